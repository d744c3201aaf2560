import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { emptyStream, eventNotJson, truncatedStream } from '../../shared/failure/answer-failure.ts';
import { exactObject } from '../../shared/json/exact-json.ts';
import { parseObject } from '../../shared/json/json-text.ts';
import { saysSomething, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { ServerSentEvent } from '../../shared/stream/sse.ts';
import type { DecodeSource, StreamDecoder } from '../format.ts';
import { PartReader } from '../shared/part-reader.ts';
import {
  decodeCitation,
  decodeFinish,
  decodeUsage,
  failedGeneration,
  redactedState,
  serviceTierOf,
  signatureState,
  unknownPart,
} from './answer.decode.ts';
import { failureOfException } from './failure.ts';
import { mediaTypeOf } from './schema.ts';

type Members = Readonly<Record<string, unknown>>;

/** The open block. Blocks that are not streamed to the client in deltas are collected until their end. */
type OpenBlock =
  | { readonly kind: 'text'; readonly index: number }
  | { readonly kind: 'reasoning'; readonly index: number; signature: string }
  | { readonly kind: 'redacted'; readonly index: number; data: string }
  | { readonly kind: 'tool-call'; readonly index: number }
  | { readonly kind: 'image'; readonly index: number; readonly format: string; data: string }
  /** A tool that the provider runs: its call or its result. */
  | {
      readonly kind: 'hosted';
      readonly index: number;
      readonly start: Members;
      input: string;
      readonly results: unknown[];
    };

/**
 * Decodes the events of converse-stream, as server-sent events (`EventStreamToSse`): `messageStart`, per block
 * `contentBlockStart` (text and reasoning have none), `contentBlockDelta`, `contentBlockStop`, then `messageStop` and, with the
 * usage, `metadata`. The answer is complete with `messageStop`.
 */
export class ConverseStreamDecoder implements StreamDecoder {
  private readonly reader = new PartReader({
    onEvent: (event) => this.onEvent(event),
    onEnd: () => this.onEnd(),
  });
  private open: OpenBlock | null = null;
  /** Events of later blocks that arrived while an earlier block was still open. */
  private held: { readonly type: string; readonly data: Members }[] = [];
  private hasCalls = false;
  private hasContent = false;
  private isStarted = false;
  private isFinished = false;

  constructor(private readonly source: DecodeSource) {}

  push(piece: Uint8Array): readonly StreamPart[] {
    return this.reader.push(piece);
  }

  end(): readonly StreamPart[] {
    return this.reader.end();
  }

  private onEnd(): void {
    if (this.isFinished) this.reader.finish();
    else this.reader.fail(this.isStarted ? truncatedStream() : emptyStream());
  }

  private onEvent({ event, data }: ServerSentEvent): void {
    const parsed = parseObject(data);
    if (parsed === null) this.reader.fail(eventNotJson());
    else if (event === 'error') this.failWithException(parsed);
    else if (event !== null) this.handle(event, parsed);
  }

  private handle(type: string, data: Members): void {
    switch (type) {
      case 'messageStart':
        this.start();
        return;
      case 'contentBlockStart':
      case 'contentBlockDelta':
      case 'contentBlockStop':
        this.start();
        this.onBlockEvent(type, data);
        return;
      case 'messageStop':
        if (this.isFinished) return;
        this.start();
        this.closeAll();
        this.onStop(data);
        return;
      case 'metadata':
        this.start();
        this.onMetadata(data);
        return;
      default:
        // Where an API is used without the event stream framing, an exception's event is named after the exception.
        if (type.endsWith('Exception')) this.failWithException({ error: { ...data, type } });
    }
  }

  private start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    this.reader.emit({ type: 'start', id: null, created: null });
  }

  private onStop({ stopReason, additionalModelResponseFields }: Members): void {
    this.isFinished = true;
    const failed = failedGeneration(stopReason, this.hasContent);
    if (failed !== null) {
      this.reader.fail(failed);
      return;
    }
    const finish = decodeFinish(stopReason, additionalModelResponseFields, this.hasCalls);
    this.reader.emit({ type: 'finish', candidate: 0, finish });
  }

  private onMetadata(data: Members): void {
    const usage = decodeUsage(data.usage);
    if (usage !== null) this.reader.emit({ type: 'usage', usage, serviceTier: serviceTierOf(data) });
    if (this.isFinished) this.reader.finish();
  }

  // ---- blocks

  private onBlockEvent(type: string, data: Members): void {
    if (this.isFinished) return;
    const index = typeof data.contentBlockIndex === 'number' ? data.contentBlockIndex : 0;
    if (this.open !== null && this.open.index !== index) {
      this.held.push({ type, data });
      return;
    }
    if (type === 'contentBlockStop') {
      this.close();
      this.replayHeld();
    } else if (type === 'contentBlockStart') this.onStart(index, isRecord(data.start) ? data.start : {});
    else if (isRecord(data.delta)) this.onDelta(index, data.delta);
  }

  /** Replays the held events of the next block, and then those of the blocks after it. */
  private replayHeld(): void {
    const { held } = this;
    this.held = [];
    for (const { type, data } of held) this.onBlockEvent(type, data);
  }

  private onStart(index: number, start: Members): void {
    this.close();
    const { toolUse, toolResult, image } = start;
    if (isRecord(toolUse) && saysSomething(toolUse) && toolUse.type !== 'server_tool_use') {
      this.open = { kind: 'tool-call', index };
      this.hasCalls = true;
      const id = textOrEmpty(toolUse.toolUseId) || `tooluse_${index}`;
      this.reader.emit({ type: 'tool-call-start', candidate: 0, id, name: textOrEmpty(toolUse.name) });
    } else if (isRecord(image) && saysSomething(image)) {
      this.open = { kind: 'image', index, format: textOrEmpty(image.format), data: '' };
    } else if (saysSomething(toolUse) || saysSomething(toolResult)) {
      this.open = { kind: 'hosted', index, start, input: '', results: [] };
    }
  }

  private onDelta(index: number, delta: Members): void {
    const { text, toolUse, toolResult, reasoningContent, citation, image } = delta;
    if (typeof text === 'string' && text !== '') this.onText(index, text);
    else if (isRecord(toolUse) && saysSomething(toolUse)) this.onToolInput(textOrEmpty(toolUse.input));
    else if (isRecord(reasoningContent) && saysSomething(reasoningContent)) this.onReasoning(index, reasoningContent);
    else if (isRecord(citation) && saysSomething(citation)) {
      this.openText(index);
      this.reader.emit({ type: 'citation', candidate: 0, citation: decodeCitation(citation) });
    } else if (isRecord(image) && isRecord(image.source) && this.open?.kind === 'image') {
      this.open.data += textOrEmpty(image.source.bytes);
    } else if (Array.isArray(toolResult) && this.open?.kind === 'hosted') this.open.results.push(...toolResult);
  }

  private onText(index: number, text: string): void {
    this.openText(index);
    this.reader.emit({ type: 'text-delta', candidate: 0, text });
  }

  private openText(index: number): void {
    if (this.open?.kind === 'text') return;
    this.close();
    this.open = { kind: 'text', index };
    this.reader.emit({ type: 'text-start', candidate: 0 });
  }

  private onToolInput(input: string): void {
    if (this.open?.kind === 'hosted') this.open.input += input;
    else if (this.open?.kind === 'tool-call' && input !== '') {
      this.reader.emit({ type: 'tool-call-delta', candidate: 0, arguments: input });
    }
  }

  private onReasoning(index: number, content: Members): void {
    if (typeof content.redactedContent === 'string' && content.redactedContent !== '') {
      if (this.open?.kind !== 'redacted') {
        this.close();
        this.open = { kind: 'redacted', index, data: '' };
        this.reader.emit({ type: 'reasoning-start', candidate: 0, redacted: true });
      }
      this.open.data += content.redactedContent;
      return;
    }
    if (this.open?.kind !== 'reasoning') {
      this.close();
      this.open = { kind: 'reasoning', index, signature: '' };
      this.reader.emit({ type: 'reasoning-start', candidate: 0 });
    }
    if (typeof content.signature === 'string') this.open.signature += content.signature;
    if (typeof content.text === 'string' && content.text !== '') {
      this.reader.emit({ type: 'reasoning-delta', candidate: 0, text: content.text });
    }
  }

  private closeAll(): void {
    this.close();
    const { held } = this;
    this.held = [];
    // Grouped by block, so that blocks without an end event do not cause a pass over all events for each block.
    for (const events of Map.groupBy(held, ({ data }) => data.contentBlockIndex).values()) {
      for (const { type, data } of events) this.onBlockEvent(type, data);
      this.close();
    }
  }

  private close(): void {
    const { open } = this;
    this.open = null;
    this.hasContent ||= open !== null;
    switch (open?.kind) {
      case 'text':
        this.reader.emit({ type: 'text-end', candidate: 0 });
        return;
      case 'reasoning':
        this.reader.emit({ type: 'reasoning-end', candidate: 0, state: signatureState(open.signature, this.source) });
        return;
      case 'redacted':
        this.reader.emit({ type: 'reasoning-end', candidate: 0, state: redactedState(open.data, this.source) });
        return;
      case 'tool-call':
        this.reader.emit({ type: 'tool-call-end', candidate: 0 });
        return;
      case 'image': {
        const source = { kind: 'base64', data: open.data } as const;
        const mediaType = mediaTypeOf('image', open.format);
        this.reader.emit({ type: 'media', candidate: 0, part: { type: 'image', source, mediaType } });
        return;
      }
      case 'hosted':
        this.reader.emit({ type: 'unknown', candidate: 0, part: unknownPart(hostedBlock(open)) });
    }
  }

  // ---- failures

  private failWithException({ error }: Members): void {
    const { type, message } = isRecord(error) ? error : {};
    this.reader.fail(failureOfException(textOrEmpty(type), textOrEmpty(message)));
  }
}

/** Returns the block in the form that it has in a whole answer. */
function hostedBlock({ start, input, results }: { start: Members; input: string; results: unknown[] }): Members {
  if (isRecord(start.toolUse)) return { toolUse: { ...start.toolUse, input: exactObject(input) ?? {} } };
  return { toolResult: { ...(isRecord(start.toolResult) ? start.toolResult : {}), content: results } };
}
