import { emptyRequest } from '../../domain/exchange/request.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { textOf } from '../../formats/shared/json/json-writer.ts';
import type { AttemptEvents, LoopResult } from '../call/attempt-loop.ts';
import type { BytesRequest, Lane } from '../call/lane.ts';
import type { Job } from '../call/operation.ts';
import { upstreamRequestIdOf } from '../call/upstream-request-id.ts';
import type { AskedTarget, TextTarget } from '../directory/target.ts';
import { readyFor } from '../operations/text/written-request.ts';
import type { Clock } from '../ports/clock.ts';
import type { UpstreamAnswer } from '../ports/upstream.ts';
import { type TestAnswer, TestStream, testAnswerOf } from './test-answer.ts';

/** A name that is no client format, so that every upstream format encodes the request itself. */
const CLIENT = 'channel-test';
const PROMPT = 'Reply with the single word OK.';
/** A reasoning model spends most of it before its first word; other models stop after one or two tokens. */
const MAX_OUTPUT_TOKENS = 256;
const NOTHING_SERVED = { model: null, serviceTier: null };

const utf8 = new TextEncoder();

/** One request of a test, in one of the channel's formats. */
export interface ChannelTry {
  readonly format: string;
  /** The URL without the query and credentials. */
  readonly address: string;
  /** The HTTP status of the response; `null` if there was none. */
  readonly status: number | null;
  readonly latencyMs: number;
  /** The time until the first content of a stream; else `null`. */
  readonly firstByteMs: number | null;
  readonly upstreamRequestId: string | null;
  readonly result: TestAnswer | Failure;
}

type Begun = Omit<ChannelTry, 'latencyMs' | 'result'> & { readonly startedMs: number };

/** The requests of a test, with their results as the attempt loop reports them. */
export abstract class TestTries implements AttemptEvents {
  readonly tries: ChannelTry[] = [];
  private current: Begun | null = null;

  constructor(private readonly clock: Clock) {}

  attemptBegan(_target: AskedTarget): void {}

  heard({ status, headers }: Pick<UpstreamAnswer, 'status' | 'headers'>): void {
    if (this.current === null) return;
    this.current = { ...this.current, status, upstreamRequestId: upstreamRequestIdOf(headers) };
  }

  attemptFailed(failure: Failure): void {
    this.ended(failure);
  }

  withExtras(): null {
    return null;
  }

  protected begins(format: string, url: string): void {
    this.current = {
      ...{ format, address: withoutSecrets(url) },
      ...{ status: null, firstByteMs: null, upstreamRequestId: null, startedMs: this.clock.monotonicMs() },
    };
  }

  protected heardContent(): void {
    if (this.current === null || this.current.firstByteMs !== null) return;
    this.current = { ...this.current, firstByteMs: this.clock.monotonicMs() - this.current.startedMs };
  }

  protected ended(result: TestAnswer | Failure): void {
    if (this.current === null) return;
    const { startedMs, ...facts } = this.current;
    this.tries.push({ ...facts, latencyMs: this.clock.monotonicMs() - startedMs, result });
    this.current = null;
  }
}

/** A small harmless request. Records the result at each target that is tried. */
export class TestJob extends TestTries implements Pick<Job<TextTarget, TestStream>, 'stream' | 'lane' | 'repeats'> {
  readonly repeats = 0;
  private whole: TestAnswer | null = null;

  constructor(
    clock: Clock,
    readonly stream: boolean,
  ) {
    super(clock);
  }

  lane(target: TextTarget): Lane<TestStream> {
    const source = { provider: target.channel.provider, channel: target.place, quirks: target.encoding.quirks };
    return {
      isRelayed: false,
      request: () => this.request(target),
      answer: (bytes) => {
        const response = target.wire.decodeAnswer(bytes, source);
        if (response instanceof Failure) return response;
        this.whole = testAnswerOf(response);
        return { body: '', billable: null, served: NOTHING_SERVED };
      },
      stream: () => new TestStream(target, source, () => this.heardContent()),
      streamOfWhole: (bytes) => {
        const response = target.wire.decodeAnswer(bytes, source);
        if (response instanceof Failure) return response;
        this.whole = testAnswerOf(response);
        const relay = new TestStream(target, source, () => undefined);
        return { relay, bytes: new Uint8Array(0) };
      },
    };
  }

  private request(target: TextTarget): BytesRequest | Failure | Promise<BytesRequest | Failure> {
    const { stream } = this;
    this.begins(target.wire.name, stream ? target.streamUrl : target.url);
    const encoded = target.wire.encodeRequest(smallRequest(), { ...target.encoding, stream });
    if (encoded instanceof Failure) {
      this.ended(encoded);
      return encoded;
    }
    const { body, headers = null, ...rest } = encoded;
    const names = { hasOddNames: false, duplicates: [] };
    return readyFor(target, { ...rest, names, headers, losses: [], body: utf8.encode(textOf(body)) }, null);
  }

  /** Reads the rest of the answer and records the result. */
  async read({ answer, running, target }: LoopResult<TextTarget, TestStream>): Promise<void> {
    if (answer.kind === 'whole' || this.whole !== null) {
      if (this.whole !== null) this.ended(this.whole);
    } else {
      const { relay, body } = answer;
      while (!relay.isOver) {
        const piece = await body.read();
        if (piece instanceof Failure) {
          relay.cut(piece);
          break;
        }
        if (piece === null) relay.end();
        else relay.push(piece);
        if (piece === null) break;
      }
      body.cancel();
      const result = relay.result();
      this.ended(result instanceof Failure ? target.secrets.cleaned(result) : result);
    }
    running.abandoned();
  }
}

/** Returns a request without optional parameters, because some models reject them. */
function smallRequest() {
  const messages = [{ role: 'user', parts: [{ type: 'text', text: PROMPT }] }] as const;
  return { ...emptyRequest(CLIENT, {}), messages, maxOutputTokens: MAX_OUTPUT_TOKENS };
}

/** Returns a URL without its query and user info. Some upstreams accept their key in the query. */
export function withoutSecrets(url: string): string {
  return url.replace(/\?.*$/s, '').replace(/\/\/[^/@]*@/, '//');
}
