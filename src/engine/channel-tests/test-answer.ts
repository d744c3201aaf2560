import type { Part } from '../../domain/exchange/part.ts';
import type { ExchangeResponse } from '../../domain/exchange/response.ts';
import { ResponseCollector } from '../../domain/exchange/response-collector.ts';
import type { StreamPart } from '../../domain/exchange/stream-part.ts';
import type { Usage } from '../../domain/exchange/usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { DecodeSource } from '../../formats/format.ts';
import { truncatedStream } from '../../formats/shared/answer-failure.ts';
import { EventStreamToSse } from '../../formats/shared/aws-event-stream.ts';
import type { Target } from '../directory/target.ts';
import type { UpstreamAnswer } from '../ports/upstream.ts';

/** An answer of a few words comes nowhere near. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** What so many bytes of a stream can come to in memory, many small pieces each. */
const MAX_COLLECTED_BYTES = 16 * MAX_ANSWER_BYTES;

const NO_CONTENT: ReadonlySet<StreamPart['type']> = new Set(['start', 'usage', 'finish', 'end']);

/** What a person wants to see of the answer to a test. */
export interface TestAnswer {
  /** What the model said, thoughts left out; empty where it said nothing. */
  readonly text: string;
  /** The model thought before it spoke. */
  readonly thought: boolean;
  /** The upstream's own word for why the model stopped. */
  readonly finish: string | null;
  readonly usage: Usage | null;
  /** It came as a stream. */
  readonly streamed: boolean;
}

/** Reads a 200's body; `onContent` is called at each piece of content of a stream. */
export async function readTestAnswer(
  target: Target,
  answer: UpstreamAnswer,
  stream: boolean,
  onContent: () => void,
): Promise<TestAnswer | Failure> {
  const source = { provider: target.channel.provider, channel: target.channel.id, quirks: target.encoding.quirks };
  const isWhole = answer.headers.get('content-type')?.includes('application/json') === true;
  return stream && !isWhole ? readStream(target, source, answer, onContent) : readWhole(target, source, answer);
}

async function readWhole(target: Target, source: DecodeSource, answer: UpstreamAnswer): Promise<TestAnswer | Failure> {
  const bytes = await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES });
  if (bytes instanceof Failure) return bytes;
  const response = target.upstream.decodeAnswer(bytes, source);
  return response instanceof Failure ? response : answerOf(response, false);
}

function answerOf({ candidates, usage }: ExchangeResponse, streamed: boolean): TestAnswer {
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

async function readStream(
  target: Target,
  source: DecodeSource,
  answer: UpstreamAnswer,
  onContent: () => void,
): Promise<TestAnswer | Failure> {
  const decoder = target.upstream.decodeStream(source);
  const frames = target.framing === 'aws-event-stream' ? new EventStreamToSse() : null;
  const gathered = new GatheredStream(onContent);
  let length = 0;
  while (!gathered.isOver) {
    const piece = await answer.body.read();
    if (piece instanceof Failure) return piece;
    length += piece?.length ?? 0;
    if (length > MAX_ANSWER_BYTES) break;
    if (piece !== null) {
      gathered.take(decoder.push(frames === null ? piece : frames.push(piece)));
      continue;
    }
    if (frames !== null) gathered.take(decoder.push(frames.end()));
    gathered.take(decoder.end());
    break;
  }
  answer.body.cancel();
  return gathered.result();
}

class GatheredStream {
  private failure: Failure | null = null;
  private readonly collector = new ResponseCollector(MAX_COLLECTED_BYTES);

  constructor(private readonly onContent: () => void) {}

  get isOver(): boolean {
    return this.collector.isOver;
  }

  take(parts: readonly StreamPart[]): void {
    for (const part of parts) if (!this.isOver) this.takeOne(part);
  }

  result(): TestAnswer | Failure {
    if (this.failure !== null) return this.failure;
    const { response } = this.collector;
    return response === null ? truncatedStream() : answerOf(response, true);
  }

  private takeOne(part: StreamPart): void {
    if (part.type === 'error') this.failure = part.failure;
    else if (!NO_CONTENT.has(part.type)) this.onContent();
    this.collector.see(part);
  }
}
