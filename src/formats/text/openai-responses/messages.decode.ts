import { type Foundation, foundationAt, lastText, onFoundations } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type {
  MediaPart,
  MediaSource,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  UnknownPart,
} from '../../../domain/exchange/part.ts';
import type { RestField, Tool } from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { exactOf } from '../../shared/json/exact-json.ts';
import { startOf } from '../../shared/json/long-text.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { Steps } from '../../shared/request/steps.ts';
import { audioTypeOf } from '../shared/audio-names.ts';
import { noteUnknown } from '../shared/rest.ts';
import { isWithheld, unwrapFoundation, unwrapThought } from '../shared/state-token.ts';
import { decodeAnnotation } from './citations.ts';
import { decodeImageItem } from './content.ts';
import { REASONS } from './fields.ts';
import { NO_STATE, nativeReasoning, ownState, reasoningText } from './reasoning.ts';
import { FORMAT } from './schema.ts';
import { nameInNamespace } from './tools.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns the input's items as messages. Consecutive assistant items become one message, as in other formats (reasoning, text and
 * parallel calls of one turn), and so do consecutive tool outputs. `path` keeps the borders between items.
 */
export function* decodeInput(input: unknown, tools: readonly Tool[], rest: RestField[]): Steps<Message[] | Failure> {
  if (typeof input === 'string') {
    return [{ role: 'user', parts: [{ type: 'text', text: input, path: 'input' }], path: 'input' }];
  }
  const reader = new InputReader(new Set(tools.flatMap((tool) => ('name' in tool ? tool.name : []))), rest);
  const items: readonly unknown[] = Array.isArray(input) ? input : [];
  for (const [index, item] of items.entries()) {
    const failure = isRecord(item) ? reader.take(item, `input[${index}]`) : null;
    if (failure) return failure;
    yield;
  }
  return reader.finish();
}

class InputReader {
  readonly messages: { role: Message['role']; parts: Part[]; path: string }[] = [];
  private readonly toolNames = new Map<string, string>();
  /** The foundations of calls and of last texts, and the foundation for the next call. */
  private readonly founded = new Map<Part, Foundation>();
  private foundation: Foundation | null = null;

  constructor(
    /** The names of the tools that the request declares. */
    private readonly declared: ReadonlySet<string>,
    private readonly rest: RestField[],
  ) {}

  finish(): Message[] {
    this.settle();
    const { messages, founded } = this;
    return founded.size === 0 ? messages : messages.map((message) => onFoundations(message, founded));
  }

  /** Gives a foundation that no call follows to the last text before it. */
  private settle(): void {
    const last = this.messages.at(-1);
    const words = last?.role === 'assistant' ? lastText(last.parts) : undefined;
    if (this.foundation !== null && words !== undefined) this.founded.set(words, this.foundation);
    this.foundation = null;
  }

  take(item: Json, path: string): Failure | null {
    switch (typeOf(item)) {
      case 'message':
        this.takeMessage(item, path);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.add('assistant', [this.toolCall(item, path)], path);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.add('tool', [this.toolResult(item, path)], path);
        break;
      case 'reasoning':
        this.add('assistant', this.reasoning(item, path), path);
        break;
      case 'image_generation_call':
        this.add('assistant', [decodeImageItem(item, null, path) ?? unknownPart(item, path)], path);
        break;
      case 'compaction':
        this.add('assistant', [compactionPart(item, path)], path);
        break;
      case 'item_reference':
        return unresolvedItem(item, path);
      default:
        // Items from the client's side of a hosted tool (`…_output`, `mcp_approval_response`) do not belong to the
        // assistant.
        this.add(/_(output|response)$/.test(typeOf(item)) ? 'user' : 'assistant', [unknownPart(item, path)], path);
    }
    return null;
  }

  private takeMessage(item: Json, path: string): void {
    const role = MESSAGE_ROLES.find((known) => known === item.role) ?? 'user';
    this.noteItem(item, MESSAGE_MEMBERS, path);
    this.add(role, decodeContent(item.content, `${path}.content`, this.rest), path);
  }

  private add(role: Message['role'], parts: readonly Part[], path: string): void {
    if (role !== 'assistant') this.settle();
    const last = this.messages.at(-1);
    if (last?.role === role && (role === 'assistant' || role === 'tool')) last.parts.push(...parts);
    else this.messages.push({ role, parts: [...parts], path });
  }

  private toolCall(item: Json, path: string): ToolCallPart {
    const full = typeof item.namespace === 'string' ? nameInNamespace(item.namespace, String(item.name)) : null;
    const isDeclared = full !== null && this.declared.has(full);
    this.noteItem(isDeclared ? { ...item, namespace: null } : item, CALL_MEMBERS, path);
    const custom = item.type === 'custom_tool_call';
    const [id, name] = [String(item.call_id), isDeclared ? full : String(item.name)];
    this.toolNames.set(id, name);
    const text = custom ? item.input : item.arguments;
    const call: ToolCallPart = {
      type: 'tool-call',
      id,
      name,
      arguments: String(text ?? ''),
      path,
      ...(custom ? { custom } : {}),
    };
    if (this.foundation !== null) this.founded.set(call, this.foundation);
    this.foundation = null;
    return call;
  }

  private toolResult(item: Json, path: string): ToolResultPart {
    this.noteItem(item, OUTPUT_MEMBERS, path);
    const custom = item.type === 'custom_tool_call_output';
    const id = String(item.call_id);
    const name = this.toolNames.get(id) ?? (typeof item.name === 'string' ? item.name : undefined);
    const content = decodeContent(item.output, `${path}.output`, this.rest).flatMap(asResultContent);
    return {
      type: 'tool-result',
      id,
      content,
      path,
      ...(name === undefined ? {} : { name }),
      ...(custom ? { custom } : {}),
    };
  }

  /**
   * Decodes a reasoning item. A token names the provider of the state and holds either the reasoning or the foundation of the
   * next call. Other encrypted content is this format's own, and then the whole item is the state. An item without encrypted
   * content is only text to every provider that has not stored it; the gateway may have made it from another provider's
   * reasoning.
   */
  private reasoning(item: Json, path: string): readonly ReasoningPart[] {
    const { encrypted_content: encrypted } = item;
    const token = typeof encrypted === 'string' && encrypted !== '' ? encrypted : null;
    const thought = token === null ? null : unwrapThought(token);
    if (token !== null && thought === null) return [{ ...nativeReasoning(item, null), path }];
    this.noteItem(item, REASONING_MEMBERS, path);
    const foundation = token === null ? null : unwrapFoundation(token);
    if (foundation !== null) {
      this.foundation = foundationAt(path, foundation);
      return [];
    }
    const shown = reasoningText(item);
    if (thought === null || isNoState(thought.state)) return [{ type: 'reasoning', ...shown, path }];
    if (thought.text !== '') return [{ ...thought, path }];
    const withheld = isWithheld({ ...thought, text: shown.text }) ? { redacted: true } : {};
    return [{ type: 'reasoning', ...shown, ...withheld, state: thought.state, path }];
  }

  private noteItem(item: Json, known: ReadonlySet<string>, path: string): void {
    for (const [key, reason] of Object.entries(OWN_MEMBERS)) {
      const value = item[key];
      if (value === undefined || value === null || (key === 'status' && value === 'completed')) continue;
      this.rest.push({ path: `${path}.${key}`, value, ...reason });
    }
    noteUnknown(item, known, path, this.rest);
  }
}

function isNoState({ family, data }: OpaqueState): boolean {
  return family === NO_STATE.family && data === NO_STATE.data;
}

/**
 * Members of items that only this format has. The status `completed` is not noted, because every other format implies it.
 */
const OWN_MEMBERS = {
  id: REASONS.itemId,
  status: REASONS.itemStatus,
  phase: REASONS.phase,
  caller: REASONS.caller,
  namespace: REASONS.caller,
} as const;

const OWN = Object.keys(OWN_MEMBERS);
const MESSAGE_ROLES = ['user', 'assistant', 'system', 'developer'] as const;
const MESSAGE_MEMBERS: ReadonlySet<string> = new Set([...OWN, 'type', 'role', 'content']);
const CALL_MEMBERS: ReadonlySet<string> = new Set([...OWN, 'type', 'call_id', 'name', 'arguments', 'input']);
const OUTPUT_MEMBERS: ReadonlySet<string> = new Set([...OWN, 'type', 'call_id', 'name', 'output']);
const REASONING_MEMBERS: ReadonlySet<string> = new Set([...OWN, 'type', 'summary', 'content', 'encrypted_content']);

/** Returns an item's type; the short form of a message has none, and a reference may have none. */
function typeOf(item: Json): string {
  if (typeof item.type === 'string') return item.type;
  return item.role === undefined && item.id !== undefined ? 'item_reference' : 'message';
}

function unresolvedItem(item: Json, path: string): Failure {
  return new Failure('invalid_value', {
    message: `${path} refers to an item that the gateway does not have: ${String(item.id).slice(0, 80)}. Send the item itself, or the id of the response that has it, as previous_response_id.`,
    param: `${path}.id`,
  });
}

function unknownPart(value: unknown, path: string): UnknownPart {
  return { type: 'unknown', format: FORMAT, value: exactOf(value), path };
}

/** Returns a compaction made by a provider. The gateway's own compactions have been replaced by messages before. */
function compactionPart(item: Json, path: string): UnknownPart {
  const { encrypted_content: encrypted } = item;
  const part = unknownPart(item, path);
  return typeof encrypted === 'string' ? { ...part, state: ownState(encrypted, null) } : part;
}

/** Returns the part as tool output, which consists of texts and media. A refusal in it is read as text. */
function asResultContent(part: Part): (TextPart | MediaPart | UnknownPart)[] {
  if (part.type === 'refusal') return [{ ...part, type: 'text' }];
  const isElsewhere = part.type === 'reasoning' || part.type === 'tool-call' || part.type === 'tool-result';
  return isElsewhere ? [] : [part];
}

// ---- content parts

const TEXT_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'text', 'annotations', 'logprobs', 'prompt_cache_breakpoint'],
]);
const IMAGE_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'image_url', 'file_id', 'detail', 'prompt_cache_breakpoint'],
]);
const FILE_MEMBERS: ReadonlySet<string> = new Set([
  ...['type', 'file_id', 'file_data', 'file_url', 'filename', 'detail', 'prompt_cache_breakpoint'],
]);
const REFUSAL_MEMBERS: ReadonlySet<string> = new Set(['type', 'refusal']);

function decodeContent(content: unknown, path: string, rest: RestField[]): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, path }];
  if (!Array.isArray(content)) return [];
  return content.filter(isRecord).map((part, index) => decodePart(part, `${path}[${index}]`, rest));
}

function decodePart(part: Json, path: string, rest: RestField[]): Part {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return decodeTextPart(part, path, rest);
    case 'refusal':
      noteUnknown(part, REFUSAL_MEMBERS, path, rest);
      return { type: 'refusal', text: String(part.refusal), path };
    case 'input_image':
      return decodeImage(part, path, rest) ?? unknownPart(part, path);
    case 'input_file':
      return decodeFile(part, path, rest) ?? unknownPart(part, path);
    case 'input_audio':
      return decodeAudio(part, path) ?? unknownPart(part, path);
    default:
      return unknownPart(part, path);
  }
}

function decodeTextPart(part: Json, path: string, rest: RestField[]): TextPart {
  noteUnknown(part, TEXT_MEMBERS, path, rest);
  noteBreakpoint(part, path, rest);
  if (Array.isArray(part.logprobs) && part.logprobs.length > 0) {
    rest.push({ path: `${path}.logprobs`, value: part.logprobs, ...REASONS.logprobs });
  }
  const citations = Array.isArray(part.annotations) ? part.annotations.filter(isRecord).map(decodeAnnotation) : [];
  return { type: 'text', text: String(part.text), path, ...(citations.length > 0 ? { citations } : {}) };
}

function decodeImage(part: Json, path: string, rest: RestField[]): MediaPart | null {
  const source = sourceOf(part.image_url, part.file_id);
  if (source === null) return null;
  noteUnknown(part, IMAGE_MEMBERS, path, rest);
  noteBreakpoint(part, path, rest);
  if (source.source.kind !== 'file' && typeof part.file_id === 'string') {
    rest.push({ path: `${path}.file_id`, value: part.file_id, ...REASONS.stored });
  }
  const detail = typeof part.detail === 'string' ? { detail: part.detail } : {};
  return { type: 'image', ...source, path, ...detail };
}

function decodeFile(part: Json, path: string, rest: RestField[]): MediaPart | null {
  const source = sourceOf(part.file_data ?? part.file_url, part.file_id, part.file_data !== undefined);
  if (source === null) return null;
  noteUnknown(part, FILE_MEMBERS, path, rest);
  noteBreakpoint(part, path, rest);
  return {
    type: 'document',
    ...source,
    path,
    ...(typeof part.filename === 'string' ? { fileName: part.filename } : {}),
    ...(typeof part.detail === 'string' ? { detail: part.detail } : {}),
  };
}

/** Decodes audio, which is no longer in OpenAI's document but still in its SDKs: `{data, format}`, as in chat completions. */
function decodeAudio(part: Json, path: string): MediaPart | null {
  const audio = part.input_audio;
  if (!isRecord(audio) || typeof audio.data !== 'string') return null;
  const mediaType = typeof audio.format === 'string' ? audioTypeOf(audio.format) : null;
  return { type: 'audio', source: { kind: 'base64', data: audio.data }, mediaType, path };
}

function noteBreakpoint(part: Json, path: string, rest: RestField[]): void {
  const value = part.prompt_cache_breakpoint;
  if (value === undefined || value === null) return;
  rest.push({ path: `${path}.prompt_cache_breakpoint`, value, ...REASONS.ownCache });
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*;base64,/i;

/** Returns a URL, a data URL or bare base64 (files only), otherwise a stored file. */
function sourceOf(
  text: unknown,
  fileId: unknown,
  isData = false,
): { readonly source: MediaSource; readonly mediaType: string | null } | null {
  if (typeof text === 'string' && text !== '') {
    const head = DATA_URL.exec(startOf(text, 256));
    if (head !== null) {
      const mediaType = head[1] === undefined || head[1] === '' ? null : head[1];
      return { source: { kind: 'base64', data: text.slice(head[0].length) }, mediaType };
    }
    return { source: isData ? { kind: 'base64', data: text } : { kind: 'url', url: text }, mediaType: null };
  }
  return typeof fileId === 'string' ? { source: { kind: 'file', id: fileId, format: FORMAT }, mediaType: null } : null;
}
