import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { DecodeSource, StreamDecoder } from '../format.ts';
import { cleanMessage } from '../shared/clean-message.ts';
import { isRecord } from '../shared/record.ts';
import { EventReader, type ServerSentEvent } from '../shared/sse.ts';
import {
  decodeCitation,
  decodeFinish,
  decodeLogprobs,
  decodeUsage,
  failureOfFinish,
  isOfText,
  stateOf,
} from './response.ts';
import { THINKING, TOOL_PLAN } from './schema.ts';

type Members = Readonly<Record<string, unknown>>;

interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'tool-plan' | 'tool-call';
  /** Which of the upstream's blocks it is. */
  readonly key: string;
  /** The text so far, which citations point into. */
  text: string;
  /** Its end has come; it stays open for citations until something else begins. */
  isEnded: boolean;
}

const EMPTY: Members = {};

/**
 * Decodes the events of a streamed answer: `message-start`, per block of content `content-start`, `content-delta`,
 * `content-end`, for tools `tool-plan-delta`, `tool-call-start`, `tool-call-delta`, `tool-call-end`, between them
 * `citation-start` and `citation-end`, and at last `message-end` with the reason and the usage. Some servers send `[DONE]` after it.
 */
export class CohereStreamDecoder implements StreamDecoder {
  private readonly reader = new EventReader();
  private parts: StreamPart[] = [];
  private open: OpenBlock | null = null;
  /** Events of later blocks that came while one was still open. */
  private held: Members[] = [];
  private hasCalls = false;
  private isStarted = false;
  private isOver = false;

  constructor(private readonly source: DecodeSource) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    if (this.isOver) return [];
    try {
      this.reader.push(piece, this.onEvent);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.fail('event_too_large', 'The upstream sent an event that is too large.');
    }
    return this.take();
  }

  end(): readonly StreamPart[] {
    if (this.isOver) return [];
    this.reader.end(this.onEvent);
    if (this.isOver) return this.take();
    if (this.isStarted) this.fail('truncated_stream', 'The upstream ended the stream before the answer was complete.');
    else this.fail('empty_stream', 'The upstream answered 200 with an empty stream.');
    return this.take();
  }

  private readonly onEvent = ({ data }: ServerSentEvent): void => {
    if (this.isOver || data.startsWith('[DONE]')) return;
    const event = parseJson(data);
    if (isRecord(event)) this.handle(event);
    else this.fail('garbage', 'The upstream sent an event that is not a JSON object.');
  };

  private handle(event: Members): void {
    const delta = isRecord(event.delta) ? event.delta : EMPTY;
    switch (event.type) {
      case 'message-start':
        this.start(event.id);
        return;
      case 'message-end':
        this.start(event.id);
        this.finish(delta);
        return;
      case 'debug':
        return;
      case undefined:
        this.failWith(event);
        return;
      default:
        this.start(null);
        this.onBlockEvent(event);
    }
  }

  private start(id: unknown): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.parts.push({ type: 'start', id: typeof id === 'string' ? id : null, created: null });
  }

  private finish(delta: Members): void {
    this.isOver = true;
    const failure = failureOfFinish(delta.finish_reason, delta);
    if (failure !== null) {
      this.parts.push({ type: 'error', failure });
      return;
    }
    this.closeAll();
    this.parts.push({ type: 'finish', candidate: 0, finish: decodeFinish(delta.finish_reason, this.hasCalls) });
    const usage = decodeUsage(delta.usage);
    if (usage !== null) this.parts.push({ type: 'usage', usage });
    this.parts.push({ type: 'end' });
  }

  // ---- blocks

  private onBlockEvent(event: Members): void {
    const key = keyOf(event);
    if (key === null) return;
    const { open } = this;
    if (open !== null && open.key !== key && key !== CITATION) {
      if (!open.isEnded && open.kind !== 'tool-plan') {
        this.held.push(event);
        return;
      }
      this.close();
    }
    const message = isRecord(event.delta) && isRecord(event.delta.message) ? event.delta.message : EMPTY;
    switch (event.type) {
      case 'content-start':
      case 'content-delta':
        this.onContent(key, isRecord(message.content) ? message.content : EMPTY, event.logprobs);
        return;
      case 'tool-plan-delta':
        this.onPlan(key, message.tool_plan);
        return;
      case 'tool-call-start':
        this.onToolCall(key, isRecord(message.tool_calls) ? message.tool_calls : EMPTY);
        return;
      case 'tool-call-delta':
        this.onArguments(isRecord(message.tool_calls) ? message.tool_calls : EMPTY);
        return;
      case 'citation-start':
        this.onCitation(message.citations);
        return;
      case 'content-end':
      case 'tool-call-end':
        if (this.open !== null) this.open.isEnded = true;
        this.replayHeld();
    }
  }

  private replayHeld(): void {
    if (this.held.length === 0) return;
    const { held } = this;
    this.held = [];
    for (const event of held) this.onBlockEvent(event);
  }

  private onContent(key: string, { text, thinking }: Members, logprobs: unknown): void {
    if (typeof thinking === 'string') {
      if (thinking === '') return;
      if (this.open === null) {
        this.open = { kind: 'thinking', key, text: '', isEnded: false };
        this.parts.push({ type: 'reasoning-start', candidate: 0 });
      }
      this.parts.push({ type: 'reasoning-delta', candidate: 0, text: thinking });
    } else if (typeof text === 'string' && text !== '') {
      if (this.open === null) {
        this.open = { kind: 'text', key, text: '', isEnded: false };
        this.parts.push({ type: 'text-start', candidate: 0 });
      }
      this.open.text += text;
      const decoded = logprobs === undefined ? [] : decodeLogprobs(logprobs);
      this.parts.push({
        type: 'text-delta',
        candidate: 0,
        text,
        ...(decoded.length === 0 ? {} : { logprobs: decoded }),
      });
    }
  }

  private onPlan(key: string, text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    if (this.open === null) {
      this.open = { kind: 'tool-plan', key, text: '', isEnded: false };
      this.parts.push({ type: 'reasoning-start', candidate: 0 });
    }
    this.parts.push({ type: 'reasoning-delta', candidate: 0, text });
  }

  private onToolCall(key: string, call: Members): void {
    const called = isRecord(call.function) ? call.function : EMPTY;
    this.hasCalls = true;
    this.open = { kind: 'tool-call', key, text: '', isEnded: false };
    const id = textOf(call.id) || key.replace(':', '_');
    this.parts.push({ type: 'tool-call-start', candidate: 0, id, name: textOf(called.name) });
    this.onArguments(call);
  }

  private onArguments({ function: called }: Members): void {
    const text = isRecord(called) ? textOf(called.arguments) : '';
    if (text !== '' && this.open?.kind === 'tool-call') {
      this.parts.push({ type: 'tool-call-delta', candidate: 0, arguments: text });
    }
  }

  private onCitation(citation: unknown): void {
    if (!isRecord(citation) || !isOfText(citation) || this.open?.kind !== 'text') return;
    for (const decoded of decodeCitation(citation, this.open.text)) {
      this.parts.push({ type: 'citation', candidate: 0, citation: decoded });
    }
  }

  private closeAll(): void {
    this.close();
    while (this.held.length > 0) {
      this.replayHeld();
      this.close();
    }
  }

  private close(): void {
    const { open } = this;
    this.open = null;
    if (open === null) return;
    if (open.kind === 'text') this.parts.push({ type: 'text-end', candidate: 0 });
    else if (open.kind === 'tool-call') this.parts.push({ type: 'tool-call-end', candidate: 0 });
    else {
      const state = stateOf(open.kind === 'thinking' ? THINKING : TOOL_PLAN, this.source);
      this.parts.push({ type: 'reasoning-end', candidate: 0, state });
    }
  }

  // ---- failures

  /** An event without a type is an error's envelope, `{message}`. */
  private failWith({ message }: Members): void {
    const said = cleanMessage(textOf(message));
    this.fail('error_in_200', said === '' ? 'The upstream sent an event without a type.' : said);
  }

  private fail(kind: string, message: string): void {
    this.isOver = true;
    this.parts.push({ type: 'error', failure: new Failure('upstream_error', { kind, message }) });
  }

  private take(): readonly StreamPart[] {
    const { parts } = this;
    this.parts = [];
    return parts;
  }
}

const CITATION = 'citation';

/** The block that an event is about; `null` for an event that is about none. */
function keyOf({ type, index }: Members): string | null {
  if (typeof type !== 'string') return null;
  if (type.startsWith('content-')) return `content:${String(index ?? 0)}`;
  if (type.startsWith('tool-call-')) return `call:${String(index ?? 0)}`;
  if (type.startsWith('tool-plan-')) return 'plan';
  return type.startsWith('citation-') ? CITATION : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
