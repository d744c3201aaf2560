import { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { UpstreamAnswer, WaitingClient } from '../ports/upstream.ts';
import { type AttemptTools, MAX_ANSWER_BYTES } from './answer-parts.ts';
import { type AgainInput, askAgain } from './ask-again.ts';
import type { FurtherRounds, Lane, LaneRequest } from './lane.ts';
import type { BufferedBytes } from './response-memory.ts';
import type { RunningAttempt } from './running-attempt.ts';

/** The longest wait of one round for the limits of the channel, which count a minute. */
const LONGEST_WAIT_MS = 60_000;
/** The shortest wait before the limits are looked at again. */
const LEAST_WAIT_MS = 50;
/** A token of text has about four bytes, of which a few are the form of the request. */
const TOKENS_PER_BYTE = 0.3;

interface RoundsInput extends Omit<AgainInput, 'url' | 'headers' | 'prepared'> {
  readonly target: Target;
  readonly lane: Pick<Lane, 'stream'>;
  readonly stream: boolean;
  readonly buffered: BufferedBytes;
  readonly running: Pick<RunningAttempt, 'further' | 'heard'>;
}

/** The further requests of one attempt, in the way of its first. Each counts against the limits of the channel. */
export class Rounds implements FurtherRounds {
  readonly client: WaitingClient;

  constructor(
    private readonly tools: AttemptTools,
    private readonly input: RoundsInput,
  ) {
    this.client = input.client;
  }

  async ask(prepared: LaneRequest, client: WaitingClient): Promise<UpstreamAnswer | Failure> {
    const full = await this.counted(Math.ceil((prepared.body?.length ?? 0) * TOKENS_PER_BYTE), client.signal);
    if (full !== null) return full;
    const { target, lane, stream, running } = this.input;
    const isStreamed = stream && lane.stream !== undefined;
    const url = isStreamed ? target.streamUrl : target.url;
    const headers = isStreamed ? target.streamHeaders : target.headers;
    const answer = await askAgain(this.tools, { ...this.input, client, url, headers, prepared });
    if (!(answer instanceof Failure)) running.heard(answer);
    return answer;
  }

  async read(answer: UpstreamAnswer): Promise<Uint8Array | Failure> {
    return await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES, take: this.input.buffered.takeWhole });
  }

  /** Counts the request, and waits for room if the channel is at its limits. Resolves to the failure if there is none in time. */
  private async counted(tokens: number, signal: AbortSignal): Promise<Failure | null> {
    const { clock, sleep } = this.tools;
    const { running, deadlineMs } = this.input;
    const untilMs = Math.min(deadlineMs, clock.monotonicMs() + LONGEST_WAIT_MS);
    for (;;) {
      if (signal.aborted) {
        return new Failure('client_closed_request', { message: 'The client closed the connection.' });
      }
      const afterMs = await running.further(tokens);
      if (afterMs === 0) return null;
      const waitMs = Math.max(LEAST_WAIT_MS, afterMs);
      if (clock.monotonicMs() + waitMs > untilMs) return channelFull(afterMs);
      await sleep(waitMs, signal);
    }
  }
}

/** Another channel may have room; the fullness of this one says nothing about its health. */
function channelFull(retryAfterMs: number): Failure {
  return new Failure('rate_limit_exceeded', {
    message: 'The channel is at its limit, and had no room for a further request of this answer in time.',
    kind: 'channels_full',
    side: 'gateway',
    retry: 'other-target',
    retryAfterMs,
    hint: 'Wait for retry_after seconds and send the request again, or ask an admin to raise the limits of the channel.',
  });
}
