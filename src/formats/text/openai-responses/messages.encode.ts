import { mayReturnTo, type OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import {
  type Citation,
  type MediaPart,
  type Message,
  markPath,
  type Part,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type UnknownPart,
} from '../../../domain/exchange/part.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { Steps } from '../../shared/request/steps.ts';
import { withAnsweredCalls } from '../shared/paired-results.ts';
import type { Wire, Writing } from './encoding.ts';
import { encodeMedia } from './media.ts';
import { itemOfState, standsAlone } from './reasoning.ts';
import { FORMAT } from './schema.ts';
import { calledName } from './tools.ts';

/** OpenAI refuses a longer `call_id` with a 400. */
const LONGEST_CALL_ID = 64;

const NOT_READABLE = 'only the channel that compacted the conversation can read the result';
const NOT_CITING = 'only assistant text has sources in the Responses API';

/**
 * Returns the conversation as `input`. The client's own `instructions` stay in their member; all other system messages become
 * items.
 */
export function* encodeInput(
  writing: Writing,
): Steps<{ readonly instructions: string | null; readonly input: unknown }> {
  const { request, losses, isOwn } = writing;
  const messages = isOwn ? request.messages : withAnsweredCalls(request.messages, losses);
  const own = instructionsOf(writing);
  const items = own === null ? messages : messages.slice(1);
  const only = items.length === 1 ? items[0]?.parts : undefined;
  const [part] = only ?? [];
  if (isOwn && only?.length === 1 && part?.type === 'text' && part.path === 'input') {
    return { instructions: own, input: part.text };
  }
  const writer = new InputWriter(writing);
  for (const message of items) {
    writer.take(message);
    yield;
  }
  return { instructions: own, input: writer.items };
}

function instructionsOf({ request, isOwn }: Writing): string | null {
  const [first] = request.messages;
  const [part] = first?.parts ?? [];
  if (!isOwn || first?.path !== 'instructions' || part?.type !== 'text') return null;
  return part.text;
}

class InputWriter {
  readonly items: Wire[] = [];
  private readonly customCalls = new Set<string>();
  private sawConversation = false;
  /** The message item that further assistant content is added to. */
  private open: { readonly key: string | null; readonly content: Wire[] } | null = null;
  /** A reasoning item of this turn was left out, so later items of the turn must not refer to it by their own ids. */
  private lostReasoning = false;

  constructor(private readonly writing: Writing) {}

  take(message: Message): void {
    const { losses } = this.writing;
    if (message.name !== undefined) losses.carry('participant-name', `${message.path ?? 'messages'}.name`);
    this.open = null;
    this.lostReasoning = false;
    if (message.role === 'assistant') for (const part of message.parts) this.takeAssistant(part);
    else if (message.role === 'tool') for (const part of message.parts) this.takeToolPart(part);
    else if (this.mayInstruct(message)) this.takeMessage(message);
  }

  private mayInstruct({ role, path }: Message): boolean {
    if (role === 'user') {
      this.sawConversation = true;
      return true;
    }
    return this.writing.losses.carry(this.sawConversation ? 'system-prompt-midway' : 'system-prompt', path);
  }

  private takeMessage(message: Message): void {
    const content: Wire[] = [];
    for (const part of message.parts) {
      if (part.type === 'unknown' && isItem(part)) this.takeUnknown(part);
      else if (part.type === 'tool-result') this.takeToolPart(part);
      else content.push(...this.inputContent(part));
    }
    if (content.length === 0) return;
    const item: Wire = { type: 'message', role: this.roleOf(message), content: this.shortest(content, message) };
    this.push(item, this.itemPath(message.path));
  }

  /** Returns a single text as a string, which every server accepts. The client's own items keep their form. */
  private shortest(content: readonly Wire[], { parts }: Message): unknown {
    const [only] = content;
    const [part] = parts;
    if (content.length !== 1 || only?.type !== 'input_text' || part === undefined) return content;
    return !this.writing.isOwn || part.path?.endsWith('.content') || part.path === 'instructions' ? only.text : content;
  }

  private roleOf({ role }: Message): string {
    const { losses, target } = this.writing;
    const isInstruction = role === 'system' || role === 'developer';
    if (isInstruction && this.sawConversation && !losses.isExact('system-prompt-midway')) return 'user';
    const found = target.quirks.find((quirk) => quirk.kind === 'role' && quirk.from === role);
    return found?.kind === 'role' ? found.to : role;
  }

  private inputContent(part: Part): Wire[] {
    const { losses } = this.writing;
    this.noteCache(part);
    switch (part.type) {
      case 'text':
        this.noteState(part);
        if (part.citations?.length) {
          losses.note({ field: `${part.path ?? 'messages'}.citations`, verdict: 'dropped', why: NOT_CITING });
        }
        return [this.written({ type: 'input_text', text: part.text }, part.path)];
      case 'refusal':
        return [this.written({ type: 'input_text', text: part.text }, part.path)];
      case 'unknown':
        return this.unknownContent(part);
      case 'image':
      case 'audio':
      case 'video':
      case 'document': {
        const encoded = encodeMedia(part, this.writing);
        return encoded === null ? [] : [this.written(encoded, part.path)];
      }
      default:
        losses.note({
          field: part.path ?? 'messages',
          verdict: 'refused',
          why: 'only the assistant has reasoning and tool calls',
        });
        return [];
    }
  }

  // ---- the assistant's turn

  private takeAssistant(part: Part): void {
    this.noteCache(part);
    switch (part.type) {
      case 'text':
        this.addContent(this.outputText(part), part);
        this.noteState(part);
        break;
      case 'refusal':
        if (this.writing.losses.carry('refusal', part.path)) {
          this.addContent({ type: 'refusal', refusal: part.text }, part);
        }
        break;
      case 'reasoning':
        this.takeReasoning(part);
        break;
      case 'tool-call':
        this.takeToolCall(part);
        break;
      case 'tool-result':
        this.takeToolPart(part);
        break;
      case 'unknown':
        if (isItem(part)) this.takeUnknown(part);
        else for (const content of this.unknownContent(part)) this.addContent(content, part);
        break;
      default:
        this.takeMadeMedia(part);
        break;
    }
  }

  /** Adds content: consecutive texts become content of one message. The borders between the client's own items are kept. */
  private addContent(content: Wire, part: TextPart | Part): void {
    const key = this.itemPath(part.path);
    this.written(content, part.path);
    if (this.open !== null && this.open.key === key) {
      this.open.content.push(content);
      return;
    }
    const isString = this.writing.isOwn && part.path?.endsWith('.content') && content.type === 'output_text';
    if (isString && content.annotations === undefined) {
      this.push({ type: 'message', role: 'assistant', content: content.text }, key);
      this.open = null;
      return;
    }
    const list = [content];
    this.push({ type: 'message', role: 'assistant', content: list }, key);
    this.open = { key, content: list };
  }

  private outputText(part: TextPart): Wire {
    const citations = part.citations ?? [];
    const annotations = citations.flatMap((citation) => this.annotation(citation, part) ?? []);
    const isString = this.writing.isOwn && part.path?.endsWith('.content');
    return { type: 'output_text', text: part.text, ...(isString ? {} : { annotations }) };
  }

  private annotation(citation: Citation, { text, path }: TextPart): Wire | null {
    const { losses } = this.writing;
    if (!losses.carry('citations', `${path ?? 'messages'}.citations`)) return null;
    if (citation.raw?.format === FORMAT && isRecord(citation.raw.value)) return citation.raw.value;
    const { url, title, start, end } = citation;
    if (url !== null) {
      return { type: 'url_citation', url, title: title ?? url, start_index: start ?? 0, end_index: end ?? text.length };
    }
    const why = 'the Responses API cites only web pages and its own files';
    losses.note({ field: `${path ?? 'messages'}.citations`, verdict: 'dropped', why });
    return null;
  }

  private takeReasoning({ state, path, text }: ReasoningPart): void {
    const { losses } = this.writing;
    this.open = null;
    const item = state !== undefined && this.mayReturn(state) ? itemOfState(state) : null;
    if (item !== null && standsAlone(item)) {
      this.items.push({ ...item });
      return;
    }
    this.lostReasoning = true;
    if (state === undefined) {
      if (text !== '') losses.carry('reasoning-text', path);
      return;
    }
    if (item === null) {
      losses.carry('reasoning-state', path);
      return;
    }
    const why = 'the reasoning item is stored at the provider and has no encrypted content to replace it';
    losses.note({ field: path ?? 'messages', verdict: 'dropped', why });
  }

  private takeToolCall(part: ToolCallPart): void {
    this.open = null;
    const { id, path } = part;
    const call_id = callId(id);
    const called = calledName(part.name, this.writing.request.tools);
    if (part.custom) {
      this.customCalls.add(id);
      this.push({ type: 'custom_tool_call', call_id, ...called, input: part.arguments }, path);
    } else {
      // The API requires JSON, so missing arguments become an empty object.
      const text = part.arguments === '' ? '{}' : part.arguments;
      this.push({ type: 'function_call', call_id, ...called, arguments: text }, path);
    }
    this.noteState(part);
  }

  /** Adds an image that the model made. The provider's own call goes back; another provider's image is sent in a user message. */
  private takeMadeMedia(part: MediaPart): void {
    this.open = null;
    const item = part.state !== undefined && this.mayReturn(part.state) ? itemOfState(part.state) : null;
    if (item?.type === 'image_generation_call' && part.source.kind === 'base64') {
      this.items.push({ ...item, result: part.source.data });
      return;
    }
    const content = encodeMedia(part, this.writing);
    if (content === null) return;
    this.items.push({ type: 'message', role: 'user', content: [content] });
    const why = 'assistant messages in the Responses API have no media, so it is sent as a user message';
    this.writing.losses.note({ field: part.path ?? 'messages', verdict: 'approximated', why });
  }

  // ---- tool outputs and whole items

  private takeToolPart(part: Part): void {
    this.open = null;
    if (part.type === 'unknown') this.takeUnknown(part);
    if (part.type !== 'tool-result') return;
    const { losses } = this.writing;
    this.noteCache(part);
    if (part.isError) losses.carry('tool-result-error', `${part.path ?? 'messages'}.is_error`);
    const isCustom = part.custom || this.customCalls.has(part.id);
    const type = isCustom ? 'custom_tool_call_output' : 'function_call_output';
    this.push({ type, call_id: callId(part.id), output: this.toolOutput(part) }, part.path);
  }

  private toolOutput({ content, path }: ToolResultPart): unknown {
    const [only] = content;
    if (only === undefined) return '';
    const isString = !this.writing.isOwn || only.path?.endsWith('.output');
    if (content.length === 1 && only.type === 'text' && isString) {
      this.inputContent(only);
      return only.text;
    }
    return content.flatMap((part) => {
      const isMedia = part.type !== 'text' && part.type !== 'unknown';
      if (isMedia && !this.writing.losses.carry('tool-result-media', part.path ?? path)) return [];
      return this.inputContent(part);
    });
  }

  private takeUnknown(part: UnknownPart): void {
    this.open = null;
    if (part.state !== undefined && !this.mayReturn(part.state)) {
      this.writing.losses.note({ field: part.path ?? 'messages', verdict: 'refused', why: NOT_READABLE });
    } else if (part.format === FORMAT && isRecord(part.value)) this.items.push({ ...part.value });
    else this.writing.losses.carry('unknown-blocks', part.path);
  }

  private unknownContent(part: UnknownPart): Wire[] {
    if (part.format === FORMAT && isRecord(part.value)) return [{ ...part.value }];
    this.writing.losses.carry('unknown-blocks', part.path);
    return [];
  }

  // ---- bookkeeping

  private push(item: Wire, path: string | null | undefined): void {
    this.items.push(item);
    if (path === null || path === undefined) return;
    this.writing.written.set(path, item);
    if (this.lostReasoning) this.writing.withoutIds.add(path);
  }

  private written(content: Wire, path: string | undefined): Wire {
    if (path !== undefined) this.writing.written.set(path, content);
    return content;
  }

  /** Returns `input[3]` for `input[3].content[0]`. Paths of other formats have no items. */
  private itemPath(path: string | undefined): string | null {
    return this.writing.isOwn ? (/^input\[\d+\]/.exec(path ?? '')?.[0] ?? null) : null;
  }

  private mayReturn(state: OpaqueState): boolean {
    const { provider, channel } = this.writing.target;
    return mayReturnTo(state, { family: 'openai-responses', provider, channel });
  }

  /** Texts and calls have no state of their own in this format. */
  private noteState(part: TextPart | ToolCallPart): void {
    if (part.state !== undefined) this.writing.losses.carry('reasoning-state', `${part.path ?? 'messages'}.state`);
  }

  private noteCache(part: Part): void {
    if (part.cache !== undefined) this.writing.losses.carry('cache-marks', markPath(part));
  }
}

/** Returns whether the part is a whole input item and not a part of an item's content. */
function isItem({ path }: UnknownPart): boolean {
  return path === undefined || !/\.(content|output)\[\d+\]$/.test(path);
}

/**
 * Returns a valid `call_id`, the same for a call and its output: the beginning, and a hash of the whole (FNV-1a over two
 * offsets).
 */
function callId(id: string): string {
  if (id.length <= LONGEST_CALL_ID) return id;
  return `${id.slice(0, LONGEST_CALL_ID - 17)}_${hash(id, 0x811c9dc5)}${hash(id, 0x01234567)}`;
}

function hash(text: string, offset: number): string {
  let value = offset;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
