import { type Foundation, foundationAt, lastText, onFoundations } from '../../../domain/exchange/foundation.ts';
import type { RestField } from '../../../domain/exchange/loss.ts';
import type {
  CacheMark,
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
import { exactOf, jsonOf } from '../../shared/json/exact-json.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { Steps } from '../../shared/request/steps.ts';
import { noteUnknown } from '../shared/rest.ts';
import { stateInField, unwrapFoundation, unwrapThought } from '../shared/state-token.ts';
import { decodeCitation } from './citations.ts';
import { FORMAT } from './schema.ts';

/*
 * Converts a client's messages to canonical ones. Content that only Anthropic understands stays whole, as an unknown part.
 */

type Wire = Readonly<Record<string, unknown>>;

const MESSAGE_MEMBERS = new Set(['role', 'content']);
const TEXT_MEMBERS = new Set(['type', 'text', 'cache_control', 'citations']);
const MEDIA_MEMBERS = new Set(['type', 'source', 'cache_control', 'title', 'context', 'citations']);
const THINKING_MEMBERS = new Set(['type', 'thinking', 'signature']);
const REDACTED_MEMBERS = new Set(['type', 'data']);
const CALL_MEMBERS = new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller']);
const RESULT_MEMBERS = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);
export const CACHE_MEMBERS: ReadonlySet<string> = new Set(['type', 'ttl']);
const CITATION_MEMBERS = new Set(['enabled']);

/** Reads blocks. Members without a canonical place go to `rest`. A tool result gets the name of the call that it answers. */
export class BlockDecoder {
  private readonly namesByCall = new Map<string, string>();
  /** The foundations of the current turn's calls; `foundation` is the one for the next call. */
  private founded = new Map<Part, Foundation>();
  private foundation: Foundation | null = null;

  constructor(private readonly rest: RestField[]) {}

  /** Returns the `system` parameter as one message of text parts. */
  system(value: unknown): Message[] {
    if (value === null || value === undefined || value === '') return [];
    const parts = this.parts(value, 'system');
    return parts.length === 0 ? [] : [{ role: 'system', parts, path: 'system' }];
  }

  *messages(value: unknown): Steps<Message[]> {
    const messages: Message[] = [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    for (const [index, wire] of list.entries()) {
      messages.push(...this.message(isRecord(wire) ? wire : {}, `messages[${index}]`));
      yield;
    }
    return messages;
  }

  /**
   * Decodes a message. A user turn with tool results becomes several messages, because results are only allowed in messages of
   * the role `tool`.
   */
  private message(wire: Wire, path: string): Message[] {
    noteUnknown(wire, MESSAGE_MEMBERS, path, this.rest);
    this.foundation = null;
    const parts = this.parts(wire.content, `${path}.content`);
    if (wire.role === 'assistant') return [this.onFoundations({ role: wire.role, parts, path })];
    if (wire.role === 'system') return [{ role: wire.role, parts, path }];
    const messages: Message[] = [];
    let run: Part[] = [];
    let runIsOfResults = false;
    const close = () => {
      if (run.length > 0) messages.push({ role: runIsOfResults ? 'tool' : 'user', parts: run, path });
      run = [];
    };
    for (const part of parts) {
      const isResult = part.type === 'tool-result';
      if (isResult !== runIsOfResults) close();
      runIsOfResults = isResult;
      run.push(part);
    }
    close();
    return messages.length === 0 ? [{ role: 'user', parts: [], path }] : messages;
  }

  /** Gives a foundation that no call follows to the last text of the turn. */
  private onFoundations(message: Message): Message {
    const { founded, foundation } = this;
    const words = lastText(message.parts);
    if (foundation !== null && words !== undefined) founded.set(words, foundation);
    this.founded = new Map();
    this.foundation = null;
    return founded.size === 0 ? message : onFoundations(message, founded);
  }

  /**
   * Decodes content. `path` is the path of the content itself. A string's part has this path; an array's parts have it with an
   * index.
   */
  private parts(content: unknown, path: string): Part[] {
    if (typeof content === 'string') return [{ type: 'text', text: content, path }];
    if (!Array.isArray(content)) return [];
    return content.flatMap((block: unknown, index) => this.part(block, `${path}[${index}]`) ?? []);
  }

  /** Returns `null` for a block that only carries the foundation of the next call. */
  private part(value: unknown, path: string): Part | null {
    const block = isRecord(value) ? value : {};
    switch (block.type) {
      case 'text':
        return this.text(block, path);
      case 'image':
      case 'document':
        return this.media(block.type, block, path) ?? unknown(value, path);
      case 'thinking':
        return this.thinking(block, path);
      case 'redacted_thinking':
        return this.redacted(block, path);
      case 'tool_use':
        return this.call(block, path);
      case 'tool_result':
        return this.result(block, path);
      default:
        return unknown(value, path);
    }
  }

  private text(block: Wire, path: string): TextPart {
    noteUnknown(block, TEXT_MEMBERS, path, this.rest);
    const citations = Array.isArray(block.citations) ? block.citations.map(decodeCitation) : [];
    return {
      type: 'text',
      text: String(block.text),
      path,
      ...this.cache(block, path),
      ...(citations.length === 0 ? {} : { citations }),
    };
  }

  private thinking(block: Wire, path: string): ReasoningPart {
    noteUnknown(block, THINKING_MEMBERS, path, this.rest);
    const text = String(block.thinking);
    const { signature } = block;
    if (typeof signature !== 'string' || signature === '') return { type: 'reasoning', text, path };
    const sealed = text === '' ? unwrapThought(signature) : null;
    if (sealed !== null) return { ...sealed, path };
    return { type: 'reasoning', text, path, state: stateInField(signature, 'anthropic') };
  }

  private redacted(block: Wire, path: string): ReasoningPart | null {
    noteUnknown(block, REDACTED_MEMBERS, path, this.rest);
    const data = String(block.data);
    const foundation = unwrapFoundation(data);
    if (foundation === null) {
      return { type: 'reasoning', text: '', redacted: true, state: stateInField(data, 'anthropic'), path };
    }
    this.foundation = foundationAt(path, foundation);
    return null;
  }

  private call(block: Wire, path: string): ToolCallPart {
    noteUnknown(block, CALL_MEMBERS, path, this.rest);
    const { caller } = block;
    // `direct` means that the model itself made the call, as every format assumes. Only Anthropic has calls from code
    // execution.
    if (isRecord(caller) && caller.type !== 'direct') {
      const why = "only Anthropic's own code execution calls tools";
      this.rest.push({ path: `${path}.caller`, value: caller, verdict: 'dropped', why });
    }
    const [id, name] = [String(block.id), String(block.name)];
    this.namesByCall.set(id, name);
    const input = jsonOf(block.input ?? {});
    const call = { type: 'tool-call', id, name, arguments: input, path, ...this.cache(block, path) } as const;
    if (this.foundation !== null) this.founded.set(call, this.foundation);
    this.foundation = null;
    return call;
  }

  private result(block: Wire, path: string): ToolResultPart {
    noteUnknown(block, RESULT_MEMBERS, path, this.rest);
    const id = String(block.tool_use_id);
    const name = this.namesByCall.get(id);
    return {
      type: 'tool-result',
      id,
      content: this.resultContent(block.content, `${path}.content`),
      path,
      ...(name === undefined ? {} : { name }),
      ...(typeof block.is_error === 'boolean' ? { isError: block.is_error } : {}),
      ...this.cache(block, path),
    };
  }

  private resultContent(content: unknown, path: string): ToolResultPart['content'] {
    if (!Array.isArray(content)) return typeof content === 'string' ? [{ type: 'text', text: content, path }] : [];
    return content.map((value: unknown, index) => {
      const part = isRecord(value) && CONTENT_TYPES.has(value.type) ? this.part(value, `${path}[${index}]`) : null;
      return part !== null && isContent(part) ? part : unknown(value, `${path}[${index}]`);
    });
  }

  /** Returns `null` for a source without a canonical form (a document made of blocks, a future source type). */
  private media(type: 'image' | 'document', block: Wire, path: string): MediaPart | null {
    const wire = isRecord(block.source) ? block.source : {};
    const known = sourceOf(wire);
    if (known === null) return null;
    noteUnknown(block, MEDIA_MEMBERS, path, this.rest);
    noteUnknown(wire, known.members, `${path}.source`, this.rest);
    const citations = isRecord(block.citations) ? block.citations : {};
    noteUnknown(citations, CITATION_MEMBERS, `${path}.citations`, this.rest);
    return {
      type,
      source: known.source,
      mediaType: typeof wire.media_type === 'string' ? wire.media_type : null,
      path,
      ...(typeof block.title === 'string' ? { title: block.title } : {}),
      ...(typeof block.context === 'string' ? { context: block.context } : {}),
      ...(typeof citations.enabled === 'boolean' ? { citationsEnabled: citations.enabled } : {}),
      ...this.cache(block, path),
    };
  }

  private cache(block: Wire, path: string): { cache?: CacheMark } {
    const control = block.cache_control;
    if (!isRecord(control)) return {};
    noteUnknown(control, CACHE_MEMBERS, `${path}.cache_control`, this.rest);
    return { cache: cacheMark(control) };
  }
}

/** Returns the mark; Anthropic's default is five minutes ("Prompt caching", 1-hour cache duration). */
export function cacheMark(control: Wire): CacheMark {
  return { ttl: control.ttl === '1h' ? '1h' : '5m' };
}

function sourceOf(wire: Wire): { readonly source: MediaSource; readonly members: ReadonlySet<string> } | null {
  const { type, data, url, file_id: id } = wire;
  if (type === 'base64') return { source: { kind: 'base64', data: String(data) }, members: DATA_MEMBERS };
  if (type === 'url') return { source: { kind: 'url', url: String(url) }, members: URL_MEMBERS };
  if (type === 'file') return { source: { kind: 'file', id: String(id), format: FORMAT }, members: FILE_MEMBERS };
  if (type === 'text') return { source: { kind: 'text', text: String(data) }, members: DATA_MEMBERS };
  return null;
}

const DATA_MEMBERS = new Set(['type', 'media_type', 'data']);
const URL_MEMBERS = new Set(['type', 'url']);
const FILE_MEMBERS = new Set(['type', 'file_id']);

const CONTENT_TYPES: ReadonlySet<unknown> = new Set(['text', 'image', 'document']);

function isContent(part: Part): part is TextPart | MediaPart | UnknownPart {
  return part.type === 'text' || part.type === 'unknown' || part.type === 'image' || part.type === 'document';
}

function unknown(value: unknown, path: string): UnknownPart {
  return { type: 'unknown', format: FORMAT, value: exactOf(value), path };
}
