import { mayReturnTo } from '../../../domain/exchange/opaque-state.ts';
import {
  isMedia,
  type Message,
  markPath,
  type Part,
  type ReasoningPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../../domain/exchange/part.ts';
import { parseJson } from '../../shared/json/json-text.ts';
import { listOf } from '../../shared/json/json-values.ts';
import type { Steps } from '../../shared/request/steps.ts';
import { type Quirk, quirkOf } from '../quirk.ts';
import { lostState } from '../shared/lost-parts.ts';
import { addMark, encodeBlock } from './content.encode.ts';
import type { Body, EncodeContext } from './encoding.ts';

type ReasoningQuirk = Extract<Quirk, { kind: 'reasoning-input' }>;

/**
 * Writes a conversation. All results of one turn's calls come first. A `tool` message cannot hold media, so the media of the
 * results follow in the next user message.
 */
export class MessagesEncoder {
  private readonly out: Body[] = [];
  /** Blocks that wait for the next user message. */
  private held: Body[] = [];
  private sawTurn = false;
  private readonly ids = new Map<string, string>();
  private readonly takesReasoning: ReasoningQuirk | undefined;

  constructor(private readonly context: EncodeContext) {
    this.takesReasoning = quirkOf(context.target.quirks, 'reasoning-input');
  }

  *encode(messages: readonly Message[]): Steps<Body[]> {
    for (const message of messages) {
      if (message.role === 'tool') this.toolMessages(message);
      else if (message.role === 'assistant') this.assistantMessage(message);
      else if (message.role === 'user') this.userMessage(message);
      else this.systemMessage(message, message.role);
      yield;
    }
    this.release();
    return this.out;
  }

  private add(message: Body, path: string | undefined): void {
    this.context.own.into(path, message);
    this.out.push(message);
  }

  /** Writes the waiting blocks as a separate user message if no user message comes next. */
  private release(): void {
    if (this.held.length === 0) return;
    this.out.push({ role: 'user', content: this.held });
    this.held = [];
  }

  private systemMessage(message: Message, role: 'system' | 'developer'): void {
    const { losses, target } = this.context;
    if (!this.awaitsResults) this.release();
    if (!losses.carry('system-prompt', message.path)) return;
    const isMidway = this.sawTurn && target.carries['system-prompt-midway'] !== 'exact';
    if (isMidway && !losses.carry('system-prompt-midway', message.path)) return;
    const asUser = isMidway || target.carries['system-prompt'] !== 'exact';
    const parts = asUser ? message.parts : this.withoutMedia(message.parts);
    if (parts.length === 0) return;
    const content = this.content(parts, message.role);
    if (asUser && this.awaitsResults) {
      this.held.push(...blocksOf(content));
      return;
    }
    this.add({ role: asUser ? 'user' : this.roleOf(role), content, ...this.nameOf(message) }, message.path);
  }

  /** Whether nothing but the results of calls may follow the latest message. */
  private get awaitsResults(): boolean {
    return this.out.at(-1)?.tool_calls !== undefined;
  }

  /** Moves media out of system and developer messages, which hold only text, into a user message. */
  private withoutMedia(parts: readonly Part[]): readonly Part[] {
    const { losses, own } = this.context;
    if (own.isOwn || !parts.some(isMedia)) return parts;
    for (const part of parts) {
      const block = isMedia(part) ? encodeBlock(part, this.context) : null;
      if (block === null) continue;
      this.held.push(block);
      const why = 'a system message can contain only text, so it is sent as a user message';
      losses.note({ field: part.path ?? 'messages', verdict: 'approximated', why });
    }
    return parts.filter((part) => !isMedia(part));
  }

  /** Returns the role; one quirk may lead to another: `developer` to `system` to `user`. */
  private roleOf(role: 'system' | 'developer'): string {
    let known: string = role;
    for (const quirk of this.context.target.quirks) {
      if (quirk.kind === 'role' && quirk.from === known && quirk.from === 'developer') known = quirk.to;
    }
    for (const quirk of this.context.target.quirks) {
      if (quirk.kind === 'role' && quirk.from === known) known = quirk.to;
    }
    return known;
  }

  private nameOf({ name, path }: Message): { name?: string } {
    if (name === undefined || !this.context.losses.carry('participant-name', `${path ?? 'messages'}.name`)) return {};
    return { name };
  }

  private userMessage(message: Message): void {
    this.sawTurn = true;
    const content = this.content(message.parts, 'user');
    const before = this.held;
    this.held = [];
    const whole = before.length === 0 ? content : [...before, ...blocksOf(content)];
    this.add({ role: 'user', content: whole, ...this.nameOf(message) }, message.path);
  }

  /** Returns a single text as a plain string, which every provider accepts, and likewise a system prompt of several texts. */
  private content(parts: readonly Part[], role: Message['role']): string | Body[] {
    const blocks = parts.map((part) => encodeBlock(part, this.context)).filter((block) => block !== null);
    const isPlain = blocks.every((block) => block.type === 'text' && Object.keys(block).length === 2);
    if (!isPlain) return blocks;
    if (blocks.length === 1) return String(blocks[0]?.text);
    if (blocks.length === 0) return '';
    const joins = role !== 'user' && !this.context.own.isOwn;
    return joins ? blocks.map((block) => block.text).join('\n\n') : blocks;
  }

  // ---- tools

  private toolMessages(message: Message): void {
    for (const part of message.parts) if (part.type === 'tool-result') this.toolMessage(part);
  }

  private toolMessage(part: ToolResultPart): void {
    const { losses, own, target } = this.context;
    const { path } = part;
    if (part.isError) losses.carry('tool-result-error', `${path ?? 'messages'}.is_error`);
    const blocks: Body[] = [];
    const media: Body[] = [];
    for (const item of part.content) {
      const isText = item.type === 'text';
      if (!isText && item.type !== 'unknown' && !losses.carry('tool-result-media', item.path ?? path)) continue;
      const block = encodeBlock(item, this.context);
      if (block === null) continue;
      const stays = block.type === 'text' || own.isOwn || target.carries['tool-result-media'] === 'exact';
      (stays ? blocks : media).push(block);
    }
    const id = this.idOf(part.id);
    if (media.length > 0) this.held.push({ type: 'text', text: `Result of the tool call ${id}:` }, ...media);
    const last = blocks.at(-1);
    if (last === undefined) this.noteMark(part, 'an empty result has no block to mark');
    else addMark(last, part, this.context);
    const content = toolContent(blocks, own.isOwn);
    this.add({ role: 'tool', tool_call_id: id, content }, path);
  }

  /** Derives a valid id from the original one if a provider restricts tool call ids. A call and its result get the same id. */
  private idOf(id: string): string {
    const quirk = quirkOf(this.context.target.quirks, 'tool-call-ids');
    if (quirk === undefined || (id.length <= quirk.length && quirk.pattern.test(id))) return id;
    const known = this.ids.get(id);
    if (known !== undefined) return known;
    const made = shortId(id, quirk.length);
    this.ids.set(id, made);
    return made;
  }

  private call(part: ToolCallPart): Body | null {
    const { losses, own } = this.context;
    const { path } = part;
    if (!losses.carry(part.custom ? 'custom-tools' : 'function-tools', path)) return null;
    const id = this.idOf(part.id);
    if (part.custom) {
      const custom: Body = { name: part.name, input: part.arguments };
      own.into(`${path}.custom`, custom);
      return { id, type: 'custom', custom };
    }
    // An empty string is not valid JSON, and a provider may refuse it.
    const said: Body = { name: part.name, arguments: part.arguments === '' && !own.isOwn ? '{}' : part.arguments };
    own.into(`${path}.function`, said);
    return { id, type: 'function', function: said, ...this.stateOfCall(part) };
  }

  /** Returns the signature that Google's compatibility endpoint sent with a call. No other provider can read it. */
  private stateOfCall(part: ToolCallPart): Body {
    const { state } = part;
    if (state === undefined) return {};
    const { target, own, losses } = this.context;
    const isItsOwn = state.provider === null ? own.isOwn : state.provider === target.provider;
    if (state.family === 'google' && isItsOwn) return { extra_content: { google: { thought_signature: state.data } } };
    losses.note(lostState(part, "another vendor's state cannot be read there"));
    return {};
  }

  // ---- the assistant

  private assistantMessage(message: Message): void {
    const { own } = this.context;
    this.release();
    this.sawTurn = true;
    const out: Body = { role: 'assistant' };
    const blocks: Body[] = [];
    const calls: Body[] = [];
    for (const part of message.parts) {
      if (part.type === 'text') this.assistantText(part, out, blocks);
      else if (part.type === 'refusal') this.refusal(part, out, blocks);
      else if (part.type === 'tool-call') push(calls, this.call(part));
      else if (part.type === 'unknown') push(blocks, encodeBlock(part, this.context));
      else if (part.type !== 'reasoning' && part.type !== 'tool-result') this.assistantMedium(part, out);
    }
    const thoughts = message.parts.filter((part) => part.type === 'reasoning');
    const thinking = this.reasoning(thoughts, out);
    const content = assistantContent([...thinking, ...blocks], own.isOwn);
    const isLost = content === null && calls.length === 0 && Object.keys(out).length === 1;
    // The lost parts are already noted. A message that has no parts left would be refused by the provider.
    if (isLost && message.parts.length > 0) return;
    this.addRequiredReasoning(out);
    out.content = isLost ? '' : content;
    Object.assign(out, this.nameOf(message));
    if (calls.length > 0) out.tool_calls = calls;
    for (const part of message.parts) {
      if (part.type === 'tool-call') this.noteMark(part, 'tool calls in chat messages cannot be marked');
    }
    this.add(out, message.path);
  }

  private noteMark(part: Part, why: string): void {
    if (part.cache === undefined) return;
    this.context.losses.note({ field: markPath(part), verdict: 'dropped', why });
  }

  private assistantText(part: Extract<Part, { type: 'text' }>, out: Body, blocks: Body[]): void {
    const { citations = [], ...text } = part;
    const raw = this.context.own.isOwn ? citations.flatMap((citation) => citation.raw?.value ?? []) : [];
    if (raw.length > 0) out.annotations = raw;
    push(blocks, encodeBlock(raw.length > 0 ? text : part, this.context));
  }

  private refusal(part: Extract<Part, { type: 'refusal' }>, out: Body, blocks: Body[]): void {
    const { losses, target, own } = this.context;
    if (!losses.carry('refusal', part.path)) return;
    if (target.carries.refusal !== 'exact') blocks.push({ type: 'text', text: part.text });
    else if (own.isOwn && part.path?.includes('.content[')) blocks.push({ type: 'refusal', refusal: part.text });
    else out.refusal = `${out.refusal ?? ''}${part.text}`;
  }

  /** Adds media that the model made. Its own provider takes them back; for other providers they go into the next user message. */
  private assistantMedium(part: Exclude<Part, ReasoningPart | ToolCallPart | ToolResultPart>, out: Body): void {
    const { own, losses } = this.context;
    if (part.type === 'audio' && part.source.kind === 'file' && own.isOwn) {
      out.audio = { id: part.source.id };
      return;
    }
    const block = encodeBlock(part, this.context);
    if (block === null) return;
    if (own.isOwn && block.type === 'image_url') {
      out.images = [...(Array.isArray(out.images) ? out.images : []), block];
      return;
    }
    const why = 'an assistant message has only text, so it follows in the next user message';
    losses.note({ field: part.path ?? part.type, verdict: 'approximated', why });
    this.held.push(block);
  }

  // ---- earlier reasoning

  /**
   * Adds earlier reasoning to the message's members. Returns the blocks for providers that want reasoning in the content.
   */
  private reasoning(parts: readonly ReasoningPart[], out: Body): Body[] {
    const texts: string[] = [];
    const details: unknown[] = [];
    const field = this.takesReasoning?.field ?? null;
    for (const part of parts) {
      if (!this.mayGo(part)) continue;
      const data = part.state?.data ?? '';
      if (data !== '' && (field === null || field === 'reasoning_details')) details.push(...itemsOf(data));
      else if (part.text !== '') texts.push(part.text);
    }
    if (details.length > 0) out.reasoning_details = details;
    if (texts.length === 0) return [];
    const text = texts.join('');
    if (field === 'thinking_blocks') return [{ type: 'thinking', thinking: [{ type: 'text', text }] }];
    out[field === null || field === 'reasoning_content' ? 'reasoning_content' : 'reasoning'] = text;
    return [];
  }

  private addRequiredReasoning(out: Body): void {
    const { takesReasoning } = this;
    if (takesReasoning?.isRequired && takesReasoning.field !== 'none') out[takesReasoning.field] ??= '';
  }

  private mayGo({ state, path }: ReasoningPart): boolean {
    const { losses, target } = this.context;
    const field = path ?? 'messages';
    if (this.takesReasoning?.field === 'none') {
      losses.note({ field, verdict: 'dropped', why: this.takesReasoning.why });
      return false;
    }
    if (state === undefined) return losses.carry('reasoning-text', field);
    const { provider, channel } = target;
    if (mayReturnTo(state, { family: 'openai-chat', provider, channel })) return true;
    losses.note({ field, verdict: 'dropped', why: 'only the vendor whose model produced it accepts it' });
    return false;
  }
}

function blocksOf(content: string | readonly Body[]): readonly Body[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function push(list: Body[], item: Body | null): void {
  if (item !== null) list.push(item);
}

function itemsOf(data: string): readonly unknown[] {
  return listOf(parseJson(data));
}

function toolContent(blocks: readonly Body[], isOwn: boolean): string | readonly Body[] {
  const isPlain = blocks.every((block) => block.type === 'text' && Object.keys(block).length === 2);
  if (!isPlain || (isOwn && blocks.length > 1)) return blocks;
  return blocks.map((block) => block.text).join('\n');
}

/**
 * Joins the assistant's text into one string, which providers expect. Another format may have split one text into several blocks.
 */
function assistantContent(blocks: readonly Body[], isOwn: boolean): string | readonly Body[] | null {
  if (blocks.length === 0) return null;
  const isPlain = blocks.every((block) => block.type === 'text' && Object.keys(block).length === 2);
  if (!isPlain || (isOwn && blocks.length > 1)) return blocks;
  return blocks.map((block) => block.text).join('');
}

/**
 * Letters and digits derived from the id alone (FNV-1a over its characters, twice). This is enough for the few calls of one
 * turn.
 */
function shortId(id: string, length: number): string {
  let text = '';
  for (let round = 0; text.length < length; round++) {
    let hash = 0x811c9dc5 ^ round;
    for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
    text += (hash >>> 0).toString(36).padStart(7, '0');
  }
  return text.slice(0, length);
}
