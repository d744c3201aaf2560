import type { Losses } from '../../../domain/exchange/loss.ts';
import type { Message, Part } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { isRecord } from '../../shared/json/record.ts';
import { ruleModelOf } from '../../wire.ts';
import type { EncodeTarget } from '../format.ts';
import { type Quirk, quirksOf } from '../quirk.ts';
import { inTurnOrder } from '../shared/turn-order.ts';
import { type ContentEncoding, encodeParts, pathOf } from './content.encode.ts';
import type { Block } from './encoding.ts';
import { dialectOf } from './schema.ts';

/* Writes the conversation in Converse's form: system blocks, and alternating user and assistant turns. */

export interface Conversation {
  readonly system: readonly Block[];
  readonly messages: readonly Turn[];
  /** The names of the tools that were called. Converse requires declarations for them. */
  readonly calledTools: readonly string[];
}

export function encodeConversation(request: ExchangeRequest, target: EncodeTarget, losses: Losses): Conversation {
  const encoding: ContentEncoding = { target, losses, documents: new Map(), documentCounts: new Map() };
  const system: Block[] = [];
  const messages: Turn[] = [];
  const calledTools = new Set<string>();
  for (const message of inTurnOrder(request.messages, dialectOf(ruleModelOf(target)).prefill, losses)) {
    if (message.name !== undefined) losses.carry('participant-name', `${message.path ?? 'messages'}.name`);
    if (isInstruction(message) && messages.length === 0) {
      if (losses.carry('system-prompt', message.path)) system.push(...encodeParts(onlyText(message, losses), encoding));
      continue;
    }
    if (isInstruction(message) && !losses.carry('system-prompt-midway', message.path)) continue;
    for (const part of message.parts) if (part.type === 'tool-call') calledTools.add(part.name);
    addTurn(messages, message.role === 'assistant' ? 'assistant' : 'user', encodeParts(message, encoding));
  }
  if (messages.length === 0) sayLastInstruction(system, messages, request, losses);
  const turns = withTurnsApart(messages, target.quirks, losses);
  for (const turn of turns) nameDocuments(turn, encoding);
  return { system, messages: turns, calledTools: [...calledTools] };
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/**
 * Adds a turn. Turns must alternate, and the results of a turn's calls must come first in one message. A later system message
 * becomes a user text at its place: in the system prompt it would change the cached prefix.
 */
function addTurn(messages: Turn[], role: Turn['role'], content: readonly Block[]): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role !== role) {
    messages.push({ role, content: [...content] });
    return;
  }
  if (!content.some(isResult)) last.content.push(...content);
  else {
    const after = last.content.findLastIndex(isResult) + 1;
    last.content.splice(after, 0, ...content);
  }
}

function isResult(block: Block): boolean {
  return 'toolResult' in block;
}

/** Sends the last instruction as a user message, because "A conversation must start with a user message". */
function sayLastInstruction(
  system: Block[],
  messages: Turn[],
  { messages: asked }: ExchangeRequest,
  losses: Losses,
): void {
  const at = system.findLastIndex((block) => 'text' in block);
  const [text] = at < 0 ? [] : system.splice(at, 1);
  if (text === undefined) return;
  messages.push({ role: 'user', content: [text] });
  const why = 'the Converse API requires a user message, so the last instruction is sent as one';
  losses.note({ field: asked.at(-1)?.path ?? 'messages', verdict: 'approximated', why });
}

/**
 * Removes media and parts of a turn, which system blocks do not allow (API reference, SystemContentBlock), and notes them as
 * refused, because losing them would change the meaning of the instructions.
 */
function onlyText(message: Message, losses: Losses): Message {
  const isTaken = (part: Part) => part.type === 'text' || part.type === 'refusal' || part.type === 'unknown';
  if (message.parts.every(isTaken)) return message;
  for (const part of message.parts) {
    if (isTaken(part)) continue;
    losses.note({ field: pathOf(part), verdict: 'refused', why: 'Converse system prompts are text only' });
  }
  return { ...message, parts: message.parts.filter(isTaken) };
}

/** Adds a text with the documents' names, because a document without any text is a 400 (API reference, Message). */
function nameDocuments({ content }: Turn, { losses, documents }: ContentEncoding): void {
  if (content.some((block) => 'text' in block)) return;
  const names = content.flatMap(({ document }) => (isRecord(document) ? [String(document.name)] : []));
  if (names.length === 0) return;
  content.push({ text: names.join(', ') });
  const why = 'Bedrock requires text with a document, so the document’s name is added';
  for (const name of names) losses.note({ field: documents.get(name) ?? 'document', verdict: 'approximated', why });
}

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

const ACKNOWLEDGEMENT = 'I have the result.';
const CONTINUE = 'Continue.';

/**
 * Splits turns for models that refuse text in the same turn as calls ("Conversation blocks and tool use blocks cannot be provided
 * in the same turn") or as results. They become two turns, with a short one of the other role between them.
 */
export function withTurnsApart(turns: readonly Turn[], quirks: readonly Quirk[], losses: Losses): readonly Turn[] {
  const rules = quirksOf(quirks, 'message-order');
  const ofCalls = rules.find(({ rule }) => rule === 'calls-apart');
  const ofResults = rules.find(({ rule }) => rule === 'answered-results');
  if (ofCalls === undefined && ofResults === undefined) return turns;
  return turns.flatMap((turn) => {
    const isUser = turn.role === 'user';
    const quirk = isUser ? ofResults : ofCalls;
    const words = turn.content.filter(isConversation);
    if (quirk === undefined || words.length === 0 || words.length === turn.content.length) return [turn];
    const others = { ...turn, content: turn.content.filter((block) => !isConversation(block)) };
    const isApart = others.content.some((block) => 'toolUse' in block || 'toolResult' in block);
    if (!isApart) return [turn];
    losses.note({ field: 'messages', verdict: 'approximated', why: quirk.why });
    const said = { ...turn, content: words };
    return isUser
      ? [others, { role: 'assistant', content: [{ text: ACKNOWLEDGEMENT }] }, said]
      : [said, { role: 'user', content: [{ text: CONTINUE }] }, others];
  });
}

/** Returns whether Bedrock counts the block as a conversation block. Reasoning stays with the calls that it led to. */
function isConversation(block: Block): boolean {
  return ['text', 'image', 'document', 'video', 'audio'].some((member) => member in block);
}
