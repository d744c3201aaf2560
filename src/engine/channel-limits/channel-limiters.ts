import type { QueueSettings } from '../../domain/catalog/channel-limits.ts';
import { Bag, NOWHERE } from '../../domain/concurrency/bag.ts';
import type { LargestSize } from '../../domain/routing/token-forecast.ts';
import { ChannelLimiter, type LimiterPorts } from './channel-limiter.ts';
import type { LimitedTarget, TargetPermit } from './target-permit.ts';
import type { Full, LimitedBy } from './target-quota.ts';
import type { Line, WaitingLines, WaitingRequest } from './waiting-lines.ts';

/** The most requests of one process that wait at a time. */
const MOST_WAITING = 10_000;
/** The most of them that belong to one account, which may have a channel of its own with a long queue. */
const MOST_WAITING_OF_ACCOUNT = 2_500;
/** The number of limiters from which idle ones are dropped. */
const MANY_LIMITERS = 1_000;
/** The advised retry delay if a running request has to end first, as for the limits of accounts. */
const PLACE_RETRY_MS = 1_000;

export interface LimitersPorts extends LimiterPorts {
  /** How requests wait for channels without a setting of their own. */
  readonly queue: QueueSettings;
}

/** A target at its limit, and why. */
export interface FullTarget<T extends LimitedTarget = LimitedTarget> extends Full {
  readonly target: T;
}

export interface WaitInput<T extends LimitedTarget> {
  readonly accountId: string;
  readonly size: LargestSize | null;
  readonly full: readonly FullTarget<T>[];
  /** Ends the wait when it is aborted. */
  readonly signal: AbortSignal;
  /** The longest time that the call may still wait. */
  readonly mostMs: number;
  /** How long it has waited before. */
  readonly waitedMs: number;
}

/** A target that takes the request now. */
export interface Served<T extends LimitedTarget> {
  readonly target: T;
  readonly permit: TargetPermit;
}

/** Why no target took the request: none has a queue with a place, the time was up, the client left, or the gateway stops. */
export type WaitEnd = 'refused' | 'timeout' | 'left' | 'stopped';

/** Counts of waits since the start. */
export interface WaitCounts {
  served: number;
  refused: number;
  timeout: number;
  left: number;
  stopped: number;
}

/** The queue of a channel, and how often it took no request, by the limit. */
export interface LimiterFigures {
  readonly channelId: string;
  readonly waiting: number;
  readonly refusals: Readonly<Record<LimitedBy, number>>;
}

/** Returns whether requests to the target are limited. */
export function isLimited({ channel, health, limitSpelling }: LimitedTarget): boolean {
  return channel.limits !== null || (health.stated !== null && limitSpelling !== null);
}

/** The limits of channels (docs/limiting-providers.md): those that operators set, and those that providers state. */
export class ChannelLimiters {
  readonly #limiters = new Map<string, ChannelLimiter>();
  readonly #waiting = new Bag<Wait>();
  /** The number of waiting requests by account; accounts without any are absent. */
  readonly #waitingOf = new Map<string, number>();
  readonly counts: WaitCounts = { served: 0, refused: 0, timeout: 0, left: 0, stopped: 0 };
  #dropFrom = MANY_LIMITERS;
  #isStopped = false;

  constructor(private readonly ports: LimitersPorts) {}

  /** The number of requests that wait now. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Counts a request against the limits of a target, or returns why it takes none now. Call it only if the target is limited.
   * `sharePercent` is set for a request of low priority (`ChannelLimiter.take`).
   */
  take(
    target: LimitedTarget,
    size: LargestSize | null,
    sharePercent?: number,
  ): TargetPermit | Full | Promise<TargetPermit | Full> {
    return this.#of(target.channel.id).take(target, size, sharePercent);
  }

  /** Waits until one of the targets takes the request. */
  wait<T extends LimitedTarget>(input: WaitInput<T>): Promise<Served<T> | WaitEnd> {
    const { full, mostMs, signal, waitedMs } = input;
    if (signal.aborted) return Promise.resolve(this.#ended('left'));
    if (this.#isStopped) return Promise.resolve(this.#ended('stopped'));
    const queues = full.map(({ target }) => target.channel.queue ?? this.ports.queue);
    const open = full.filter((_, index) => (queues[index]?.maxWaiting ?? 0) > 0);
    const longestMs = Math.min(mostMs, Math.max(...queues.map(waitIn)) - waitedMs);
    // Nothing is gained by waiting if every limit names a time that is too late.
    const soonestMs = Math.min(...open.map(({ retryAfterMs }) => retryAfterMs));
    const isUseful = open.length > 0 && longestMs > 0 && soonestMs <= longestMs;
    const hasRoom = this.waiting < MOST_WAITING && this.#countOf(input.accountId) < MOST_WAITING_OF_ACCOUNT;
    if (!isUseful || !hasRoom) return Promise.resolve(this.#ended('refused'));
    return new Promise((resolve) => this.#begin({ ...input, full: open }, longestMs, resolve));
  }

  #begin<T extends LimitedTarget>(
    { full, accountId, size, signal }: WaitInput<T>,
    longestMs: number,
    resolve: (result: Served<T> | WaitEnd) => void,
  ): void {
    const wait = new Wait(accountId, size, (result) => {
      this.#waiting.delete(wait);
      this.#count(accountId, -1);
      stopTimer();
      signal.removeEventListener('abort', onAbort);
      if (typeof result === 'string') this.#ended(result);
      else this.counts.served++;
      // It has joined lines with targets of this type only.
      resolve(result as Served<T> | WaitEnd);
    });
    const onAbort = () => wait.end('left');
    signal.addEventListener('abort', onAbort);
    const stopTimer = this.ports.timer(longestMs, () => wait.end('timeout'));
    this.#waiting.add(wait);
    this.#count(accountId, 1);
    for (const { target, by, retryAfterMs } of full) {
      if (!wait.isWaiting) break;
      const { lines } = this.#of(target.channel.id);
      const { maxWaiting } = target.channel.queue ?? this.ports.queue;
      const line = lines.join(target, wait, { by, retryAfterMs }, maxWaiting);
      if (line !== null) wait.joined(line, { lines, target });
    }
    wait.hasJoined();
  }

  #countOf(accountId: string): number {
    return this.#waitingOf.get(accountId) ?? 0;
  }

  #count(accountId: string, change: 1 | -1): void {
    const count = this.#countOf(accountId) + change;
    if (count > 0) this.#waitingOf.set(accountId, count);
    else this.#waitingOf.delete(accountId);
  }

  #ended(end: WaitEnd): WaitEnd {
    this.counts[end]++;
    return end;
  }

  /** Ends all waits, because the gateway stops. */
  stop(): void {
    this.#isStopped = true;
    for (const wait of this.#waiting) wait.end('stopped');
  }

  *figures(): Iterable<LimiterFigures> {
    for (const { channelId, lines, refusals } of this.#limiters.values()) {
      yield { channelId, waiting: lines.size, refusals };
    }
  }

  /** Returns the number of running requests of a channel with limits. */
  runningAt(channelId: string): number {
    return this.#limiters.get(channelId)?.running ?? 0;
  }

  /** Returns the number of places in the lines of a channel. */
  waitingFor(channelId: string): number {
    return this.#limiters.get(channelId)?.lines.size ?? 0;
  }

  #of(channelId: string): ChannelLimiter {
    let limiter = this.#limiters.get(channelId);
    if (limiter === undefined) {
      if (this.#limiters.size >= this.#dropFrom) this.#dropUnused();
      limiter = new ChannelLimiter(channelId, this.ports);
      this.#limiters.set(channelId, limiter);
    }
    return limiter;
  }

  /** Drops the limiters of channels that no longer exist. Their permits stay valid. */
  #dropUnused(): void {
    for (const [id, { lines }] of this.#limiters) {
      if (lines.size === 0 && this.ports.channel(id) === null) this.#limiters.delete(id);
    }
    this.#dropFrom = Math.max(MANY_LIMITERS, 2 * this.#limiters.size);
  }
}

/** Returns how long a request may wait in all. */
function waitIn({ maxWaiting, maxWaitMs }: QueueSettings): number {
  return maxWaiting > 0 ? maxWaitMs : 0;
}

/** Returns the shortest time after which one of the targets may take a request. */
export function retryAfterOf(full: readonly Full[]): number {
  return Math.min(...full.map(({ retryAfterMs }) => (retryAfterMs > 0 ? retryAfterMs : PLACE_RETRY_MS)));
}

/** A line that a request has joined, with the request's own target: others in the line may use other formats. */
interface Joined {
  readonly lines: WaitingLines;
  readonly target: LimitedTarget;
}

/** One waiting request. */
class Wait implements WaitingRequest {
  /** Managed by the bag. */
  place = NOWHERE;
  isWaiting = true;
  readonly #joined = new Map<Line, Joined>();
  #isJoining = true;

  constructor(
    readonly accountId: string,
    readonly size: LargestSize | null,
    private readonly onEnd: (result: Served<LimitedTarget> | WaitEnd) => void,
  ) {}

  /** Notes a line that the request has joined. A request that was sent meanwhile, because it made room in another line, leaves it. */
  joined(line: Line, as: Joined): void {
    if (this.isWaiting) this.#joined.set(line, as);
    else as.lines.leave(line, this);
  }

  /** Ends the wait if no line had a place. Otherwise a channel may have got room since it refused the request. */
  hasJoined(): void {
    this.#isJoining = false;
    if (this.#joined.size === 0) this.end('refused');
    for (const { lines } of [...this.#joined.values()]) if (this.isWaiting) lines.changed();
  }

  served(line: Line, permit: TargetPermit): void {
    const joined = this.#joined.get(line);
    if (joined === undefined) permit.leave();
    else this.#over({ target: joined.target, permit });
  }

  lostPlace(line: Line): void {
    this.#joined.delete(line);
    if (this.#joined.size === 0 && !this.#isJoining) this.end('refused');
  }

  end(end: WaitEnd): void {
    this.#over(end);
  }

  #over(result: Served<LimitedTarget> | WaitEnd): void {
    if (!this.isWaiting) return;
    this.isWaiting = false;
    for (const [line, { lines }] of this.#joined) lines.leave(line, this);
    this.#joined.clear();
    this.onEnd(result);
  }
}
