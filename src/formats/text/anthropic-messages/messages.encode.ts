import type { Message, Part, TextPart } from '../../../domain/exchange/part.ts';
import { type JsonText, joined, listed, Unwritten } from '../../shared/json/json-writer.ts';
import type { Steps } from '../../shared/request/steps.ts';
import { type Block, encodePart, isString } from './content.encode.ts';
import type { Encoding } from './encoding.ts';

interface Turn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly path: string | undefined;
  readonly blocks: Block[];
  /** Whether a single text may be written as a string. */
  isString: boolean;
  readonly members: Readonly<Record<string, unknown>>;
}

export interface Conversation {
  readonly system: { readonly blocks: Block[]; readonly isString: boolean };
  readonly turns: readonly Turn[];
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/**
 * Encodes the conversation. The leading instructions become `system`, the rest strictly alternating turns; a client's own turns
 * of this format stay as they are. Tool results come first in a user turn, as the API requires.
 */
export function* encodeMessages(encoding: Encoding): Steps<Conversation> {
  const { request, own } = encoding;
  const isLeading = (message: Message) => (own ? message.path === 'system' : isInstruction(message));
  const firstTurn = request.messages.findIndex((message) => !isLeading(message));
  const leading = firstTurn < 0 ? request.messages : request.messages.slice(0, firstTurn);
  const parts = leading.flatMap((message) => namedParts(message, encoding)).filter((part) => isText(part, encoding));
  const blocks = parts.flatMap((part) => encodePart(part, encoding) ?? []);
  const system = { blocks, isString: blocks.length === 1 && isString(parts[0], own) };
  if (firstTurn < 0) return onlyInstructions(system, encoding);
  const turns: Turn[] = [];
  const messages = request.messages.slice(firstTurn);
  const following = turnsAfter(messages);
  yield;
  for (const [index, message] of messages.entries()) {
    const place = { next: following[index], isLast: index === messages.length - 1 };
    addMessage(turns, message, place, encoding);
    yield;
  }
  return { system, turns: own ? turns : turns.filter((turn) => turn.blocks.length > 0) };
}

interface Place {
  /** The next message that is not an instruction. */
  readonly next: Message | undefined;
  readonly isLast: boolean;
}

/**
 * Returns for each message the next one that is not an instruction. Computed from the end, so that each message is visited once.
 */
function turnsAfter(messages: readonly Message[]): readonly (Message | undefined)[] {
  let next: Message | undefined;
  const found = messages.toReversed().map((message) => {
    const after = next;
    if (!isInstruction(message)) next = message;
    return after;
  });
  return found.reverse();
}

/**
 * Returns whether the part is text, which is all that `system` allows. Leaving out an image there would change the meaning of the
 * instructions.
 */
function isText(part: Part, { losses }: Encoding): boolean {
  if (part.type === 'text') return true;
  losses.note({
    field: part.path ?? 'system',
    verdict: 'refused',
    why: 'Anthropic system prompts are text only',
  });
  return false;
}

/** Sends the last instruction as a user turn, which the API requires. */
function onlyInstructions(system: Conversation['system'], { losses, request }: Encoding): Conversation {
  const last = system.blocks.pop();
  if (last === undefined) return { system, turns: [] };
  const field = request.messages.at(-1)?.path ?? 'messages';
  losses.note({
    field,
    verdict: 'approximated',
    why: 'the Anthropic API requires a user message, so it is sent as one',
  });
  return { system, turns: [{ role: 'user', path: undefined, blocks: [last], isString: true, members: {} }] };
}

function namedParts({ parts, name, path }: Message, { losses }: Encoding): readonly Part[] {
  if (name !== undefined) losses.carry('participant-name', path === undefined ? 'name' : `${path}.name`);
  return parts;
}

function addMessage(turns: Turn[], message: Message, { next, isLast }: Place, encoding: Encoding): void {
  const { own, kept } = encoding;
  const role = turnRole(turns, message, next, encoding);
  const parts = namedParts(message, encoding);
  const prepared = role === 'assistant' && !own ? preparedAnswer(parts, isLast, encoding) : parts;
  const blocks = prepared.flatMap((part) => encodePart(part, encoding) ?? []);
  const last = turns.at(-1);
  // Each message of a client of this format is a separate turn. Only messages that were split from one turn are joined
  // again.
  const joins = last?.role === role && (!own || last.path === message.path);
  const turn: Turn = joins
    ? last
    : {
        role,
        path: message.path,
        blocks: [],
        isString: prepared.length === 1 && isString(prepared[0], own),
        members: own ? kept.restore({}, message.path) : {},
      };
  if (!joins) turns.push(turn);
  const results = blocks.filter(({ isResult }) => isResult);
  if (results.length > 0) {
    const afterResults = turn.blocks.findLastIndex(({ isResult }) => isResult) + 1;
    turn.blocks.splice(afterResults, 0, ...results);
  }
  turn.blocks.push(...blocks.filter(({ isResult }) => !isResult));
}

function turnRole(
  turns: readonly Turn[],
  message: Message,
  next: Message | undefined,
  encoding: Encoding,
): Turn['role'] {
  if (message.role === 'assistant') return 'assistant';
  if (!isInstruction(message)) return 'user';
  const { own, profile, target, losses } = encoding;
  const isLacking = target.quirks.some((quirk) => quirk.kind === 'lacks' && quirk.feature === 'system-prompt-midway');
  if (own && !isLacking) return 'system';
  const before = turns.at(-1)?.role;
  // "Mid-conversation system messages", placement: directly after the user, and either last or before the assistant.
  const fits = (before === 'user' || before === 'system') && (next === undefined || next.role === 'assistant');
  if (profile.systemMidway && fits && !isLacking) return 'system';
  losses.carry('system-prompt-midway', message.path ?? 'messages');
  return 'user';
}

/**
 * Returns an earlier answer in the form that the API accepts: without media, because no Claude model creates any, and without
 * white space at the end if the model continues from it ("Prefill Claude's response").
 */
function preparedAnswer(all: readonly Part[], isLast: boolean, { losses }: Encoding): readonly Part[] {
  const parts = all.filter((part) => {
    if (part.type !== 'image' && part.type !== 'document') return true;
    const why = 'Anthropic assistant messages cannot have images or documents';
    losses.note({ field: part.path ?? part.type, verdict: 'refused', why });
    return false;
  });
  if (!isLast) return parts;
  const last = parts.at(-1);
  if (last?.type !== 'text' || last.text === last.text.trimEnd()) return parts;
  const why = 'the Anthropic API rejects a prefilled answer that ends with whitespace';
  losses.note({ field: last.path ?? 'messages', verdict: 'approximated', why });
  const trimmed: TextPart = { ...last, text: last.text.trimEnd() };
  return [...parts.slice(0, -1), trimmed];
}

export function turnJson({ role, blocks, isString: mayBeString, members }: Turn, own: boolean): JsonText {
  const head = JSON.stringify({ role, ...members }).slice(0, -1);
  return joined(head, ',"content":', contentJson(blocks, mayBeString || !own), '}');
}

function contentJson(blocks: readonly Block[], mayBeString: boolean): JsonText {
  const [only] = blocks;
  if (blocks.length === 1 && mayBeString && only && only.plain !== null) return new Unwritten(only.plain);
  return joined('[', listed(blocks.map(({ json }) => json)), ']');
}

export function systemJson({ blocks, isString: mayBeString }: Conversation['system'], own: boolean): JsonText {
  return blocks.length === 0 ? '' : joined(',"system":', contentJson(blocks, mayBeString || !own));
}
