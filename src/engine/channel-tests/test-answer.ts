import type { Part } from '../../domain/exchange/part.ts';
import type { ExchangeResponse } from '../../domain/exchange/response.ts';
import { ResponseCollector } from '../../domain/exchange/response-collector.ts';
import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import type { Usage } from '../../domain/exchange/usage.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import { truncatedStream } from '../../formats/shared/failure/answer-failure.ts';
import { EventStreamToSse } from '../../formats/shared/stream/aws-event-stream.ts';
import type { DecodeSource, StreamDecoder } from '../../formats/text/format.ts';
import type { ResponseStream } from '../call/lane.ts';
import type { TextTarget } from '../directory/target.ts';

/** Reading stops at this size. An answer of a few words is much smaller. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** The memory that such an answer can take as many small stream parts. */
const MAX_COLLECTED_BYTES = 16 * MAX_ANSWER_BYTES;

const NO_CONTENT: ReadonlySet<StreamPart['type']> = new Set(['start', 'usage', 'finish', 'end']);
const NOTHING = new Uint8Array(0);

/** The parts of a test's answer that are shown to a person. */
export interface TestAnswer {
  /** The generated text without reasoning; may be empty. */
  readonly text: string;
  /** Whether the answer contains reasoning. */
  readonly thought: boolean;
  /** The finish reason in the upstream's own term. */
  readonly finish: string | null;
  readonly usage: Usage | null;
  /** Whether it was streamed. */
  readonly streamed: boolean;
}

/** Summarizes a whole answer. */
export function testAnswerOf({ candidates, usage }: ExchangeResponse, streamed = false): TestAnswer {
  const [candidate] = candidates;
  const parts = candidate?.parts ?? [];
  return {
    text: parts.map(textOf).join(''),
    thought: parts.some(({ type }) => type === 'reasoning'),
    finish: candidate?.finish.raw ?? candidate?.finish.unified ?? null,
    usage,
    streamed,
  };
}

function textOf(part: Part): string {
  return part.type === 'text' || part.type === 'refusal' ? part.text : '';
}

/** A stream that keeps only what the result of a test needs. */
export class TestStream implements ResponseStream {
  failure: Failure | null = null;
  started = false;
  readonly served = { model: null, serviceTier: null };
  private readonly decoder: StreamDecoder;
  private readonly frames: EventStreamToSse | null;
  private readonly collector = new ResponseCollector(MAX_COLLECTED_BYTES);
  private length = 0;

  constructor(
    target: TextTarget,
    source: DecodeSource,
    /** Called for each part with content. */
    private readonly onContent: () => void,
  ) {
    this.decoder = target.wire.decodeStream(source);
    this.frames = target.framing === 'aws-event-stream' ? new EventStreamToSse() : null;
  }

  push(piece: Uint8Array): Uint8Array {
    this.length += piece.length;
    this.take(this.decoder.push(this.frames === null ? piece : this.frames.push(piece)));
    return NOTHING;
  }

  end(): Uint8Array {
    if (this.frames !== null) this.take(this.decoder.push(this.frames.end()));
    this.take(this.decoder.end());
    if (!this.isOver) this.failure = truncatedStream();
    return NOTHING;
  }

  /** Ends the stream that broke off with this failure. */
  cut(failure: Failure): void {
    if (!this.isOver) this.failure = failure;
  }

  get finished(): boolean {
    return this.collector.isOver && this.failure === null;
  }

  /** Whether the rest of the stream need not be read. */
  get isOver(): boolean {
    return this.collector.isOver || this.failure !== null || this.length > MAX_ANSWER_BYTES;
  }

  result(): TestAnswer | Failure {
    if (this.failure !== null) return this.failure;
    const { response } = this.collector;
    return response === null ? truncatedStream() : testAnswerOf(response, true);
  }

  private take(parts: readonly StreamPart[]): void {
    for (const part of parts) if (!this.isOver) this.takeOne(part);
  }

  private takeOne(part: StreamPart): void {
    if (part.type === 'error') this.failure = part.failure;
    else if (!NO_CONTENT.has(part.type)) {
      this.started = true;
      this.onContent();
    }
    this.collector.see(part);
  }
}
