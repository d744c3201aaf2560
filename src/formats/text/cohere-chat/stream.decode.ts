import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { emptyStream, eventNotJson, garbage, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer } from '../../shared/failure/error-in-answer.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { indexOr, nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ServerSentEvent } from '../../shared/stream/sse.ts';
import type { DecodeSource, StreamDecoder } from '../format.ts';
import { PartReader } from '../shared/part-reader.ts';
import { TextOffsets } from '../shared/text-offsets.ts';
import {
  decodeCitation,
  decodeFinish,
  decodeLogprobs,
  decodeUsage,
  failureOfFinish,
  isOfText,
  stateOf,
} from './answer.decode.ts';
import { THINKING, TOOL_PLAN } from './schema.ts';

type Members = Readonly<Record<string, unknown>>;

interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'tool-plan' | 'tool-call';
  /** Identifies the upstream's block. */
  readonly key: string;
  /** The text so far, which citations point into. */
  text: string;
  /** The block's end event has arrived. The block stays open for citations until something else begins. */
  isEnded: boolean;
}

const EMPTY: Members = {};

/**
 * Decodes the events of a streamed answer: `message-start`; for each content block `content-start`, `content-delta`,
 * `content-end`; for tools `tool-plan-delta`, `tool-call-start`, `tool-call-delta`, `tool-call-end`; between them
 * `citation-start` and `citation-end`; at the end `message-end` with the reason and the usage. Some servers send `[DONE]`
 * after it.
 */
export class CohereStreamDecoder implements StreamDecoder {
  private readonly reader = new PartReader({
    onEvent: (event) => this.onEvent(event),
    onEnd: () => this.reader.fail(this.isStarted ? truncatedStream() : emptyStream()),
  });
  private open: OpenBlock | null = null;
  /** Events of later blocks that arrived while an earlier block was still open. */
  private held: Members[] = [];
  private hasCalls = false;
  private isStarted = false;

  constructor(private readonly source: DecodeSource) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    return this.reader.push(piece);
  }

  end(): readonly StreamPart[] {
    return this.reader.end();
  }

  private onEvent({ data }: ServerSentEvent): void {
    if (data.startsWith('[DONE]')) return;
    const event = parseObject(data);
    if (event === null) this.reader.fail(eventNotJson());
    else this.handle(event);
  }

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
    this.reader.emit({ type: 'start', id: nonEmptyText(id), created: null });
  }

  private finish(delta: Members): void {
    const failure = failureOfFinish(delta.finish_reason, delta);
    if (failure !== null) {
      this.reader.fail(failure);
      return;
    }
    this.closeAll();
    this.reader.emit({ type: 'finish', candidate: 0, finish: decodeFinish(delta.finish_reason, this.hasCalls) });
    const usage = decodeUsage(delta.usage);
    if (usage !== null) this.reader.emit({ type: 'usage', usage });
    this.reader.finish();
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
    if (typeof thinking === 'string' && thinking !== '') {
      if (this.open?.kind !== 'thinking') this.close();
      if (this.open === null) {
        this.open = { kind: 'thinking', key, text: '', isEnded: false };
        this.reader.emit({ type: 'reasoning-start', candidate: 0 });
      }
      this.reader.emit({ type: 'reasoning-delta', candidate: 0, text: thinking });
    } else if (typeof text === 'string' && text !== '') {
      if (this.open?.kind !== 'text') this.close();
      if (this.open === null) {
        this.open = { kind: 'text', key, text: '', isEnded: false };
        this.reader.emit({ type: 'text-start', candidate: 0 });
      }
      this.open.text += text;
      const decoded = logprobs === undefined ? [] : decodeLogprobs(logprobs);
      this.reader.emit({
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
      this.reader.emit({ type: 'reasoning-start', candidate: 0 });
    }
    this.reader.emit({ type: 'reasoning-delta', candidate: 0, text });
  }

  private onToolCall(key: string, call: Members): void {
    const called = isRecord(call.function) ? call.function : EMPTY;
    this.close();
    this.hasCalls = true;
    this.open = { kind: 'tool-call', key, text: '', isEnded: false };
    const id = textOrEmpty(call.id) || key.replace(':', '_');
    this.reader.emit({ type: 'tool-call-start', candidate: 0, id, name: textOrEmpty(called.name) });
    this.onArguments(call);
  }

  private onArguments({ function: called }: Members): void {
    const text = isRecord(called) ? textOrEmpty(called.arguments) : '';
    if (text !== '' && this.open?.kind === 'tool-call') {
      this.reader.emit({ type: 'tool-call-delta', candidate: 0, arguments: text });
    }
  }

  private onCitation(citation: unknown): void {
    if (!isRecord(citation) || !isOfText(citation) || this.open?.kind !== 'text') return;
    for (const decoded of decodeCitation(citation, new TextOffsets(this.open.text))) {
      this.reader.emit({ type: 'citation', candidate: 0, citation: decoded });
    }
  }

  private closeAll(): void {
    this.close();
    const { held } = this;
    this.held = [];
    // Grouped by block, so that blocks without an end event do not cause a pass over all events for each block.
    for (const events of Map.groupBy(held, keyOf).values()) {
      for (const event of events) this.onBlockEvent(event);
      this.close();
    }
  }

  private close(): void {
    const { open } = this;
    this.open = null;
    if (open === null) return;
    if (open.kind === 'text') this.reader.emit({ type: 'text-end', candidate: 0 });
    else if (open.kind === 'tool-call') this.reader.emit({ type: 'tool-call-end', candidate: 0 });
    else {
      const state = stateOf(open.kind === 'thinking' ? THINKING : TOOL_PLAN, this.source);
      this.reader.emit({ type: 'reasoning-end', candidate: 0, state });
    }
  }

  // ---- failures

  /** Fails with an event without a type, which is an error envelope, `{message}`. */
  private failWith({ message }: Members): void {
    this.reader.fail(failureInAnswer(message) ?? garbage('The upstream sent an event without a type.'));
  }
}

const CITATION = 'citation';

/** Returns the block that an event belongs to; `null` for an event that belongs to none. */
function keyOf({ type, index }: Members): string | null {
  if (typeof type !== 'string') return null;
  if (type.startsWith('content-')) return `content:${indexOr(index, 0)}`;
  if (type.startsWith('tool-call-')) return `call:${indexOr(index, 0)}`;
  if (type.startsWith('tool-plan-')) return 'plan';
  return type.startsWith('citation-') ? CITATION : null;
}
