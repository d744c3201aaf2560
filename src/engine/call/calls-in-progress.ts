import { Bag, type Bagged } from '../../domain/concurrency/bag.ts';
import type { Clock } from '../ports/clock.ts';

/** A call whose answer has not ended. */
export interface RunningCall {
  readonly requestId: string;
  /** When it arrived, in milliseconds since 1970. */
  readonly atMs: number;
  readonly elapsedMs: number;
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly format: string;
  readonly modelId: string | null;
  /** The channel that was asked last; `null` before the first. */
  readonly channelId: string | null;
  readonly stream: boolean;
  readonly retryCount: number;
  /** `null` until the first byte is sent to the client. */
  readonly firstByteMs: number | null;
}

/** The conditions for running calls, which must all hold; `null` for any. */
export interface WantedRunning {
  readonly accountId: string | null;
  readonly keyId: string | null;
  readonly modelId: string | null;
  readonly channelId: string | null;
}

/** The most running calls that are listed. */
export const MOST_RUNNING = 50;

/** The number of calls that ended in the last minute, and how many of them failed through no fault of the client. */
export interface RecentCalls {
  readonly finished: number;
  readonly failed: number;
}

/** A call, as far as it is watched while it runs. */
export interface WatchedCall extends Bagged {
  /** When it arrived, in milliseconds since 1970. */
  readonly atMs: number;
  running(): RunningCall;
}

const SECONDS = 60;

/** The calls in progress in this process, and how those of the last minute ended. */
export class CallsInProgress {
  private readonly calls = new Bag<WatchedCall>();
  private readonly finished = new Uint32Array(SECONDS);
  private readonly failed = new Uint32Array(SECONDS);
  /** The second in which a call ended last. */
  private second: number;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {
    this.second = this.now();
  }

  began(call: WatchedCall): void {
    this.calls.add(call);
  }

  /** @param hasFailed whether the gateway or an upstream is at fault */
  ended(call: WatchedCall, hasFailed: boolean): void {
    this.calls.delete(call);
    this.moveOn();
    const place = this.second % SECONDS;
    this.finished[place] = (this.finished[place] ?? 0) + 1;
    if (hasFailed) this.failed[place] = (this.failed[place] ?? 0) + 1;
  }

  lastMinute(): RecentCalls {
    this.moveOn();
    const sum = (counts: Uint32Array) => counts.reduce((total, count) => total + count, 0);
    return { finished: sum(this.finished), failed: sum(this.failed) };
  }

  /** Returns the calls that have been running for the longest time, the oldest first, at most `MOST_RUNNING`. */
  oldest(wanted: WantedRunning): readonly RunningCall[] {
    const found: RunningCall[] = [];
    for (const call of [...this.calls].sort((a, b) => a.atMs - b.atMs)) {
      if (found.length >= MOST_RUNNING) break;
      const running = call.running();
      if (isWanted(running, wanted)) found.push(running);
    }
    return found;
  }

  /** Clears the counts of the seconds that have passed since the last call. */
  private moveOn(): void {
    const now = this.now();
    const passed = Math.min(now - this.second, SECONDS);
    for (let step = 1; step <= passed; step++) {
      const place = (this.second + step) % SECONDS;
      this.finished[place] = 0;
      this.failed[place] = 0;
    }
    this.second = now;
  }

  private now(): number {
    return Math.floor(this.clock.monotonicMs() / 1_000);
  }
}

function isWanted(call: RunningCall, wanted: WantedRunning): boolean {
  const { accountId, keyId, modelId, channelId } = wanted;
  return (
    (accountId === null || call.accountId === accountId) &&
    (keyId === null || call.keyId === keyId) &&
    (modelId === null || call.modelId === modelId) &&
    (channelId === null || call.channelId === channelId)
  );
}
