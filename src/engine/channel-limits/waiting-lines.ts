import { FairQueue, type QueuePlace } from '../../domain/concurrency/fair-queue.ts';
import type { LargestSize } from '../../domain/routing/token-forecast.ts';
import { type LimitedTarget, TargetPermit } from './target-permit.ts';
import type { Full } from './target-quota.ts';

/** How often a channel without a free place is asked again: another node does not say when its requests end. */
const LOOK_MS = 250;
/** How often a channel is asked whose limit names the time. The configuration may change before. */
const LONGEST_LOOK_MS = 1_000;

type Taking = TargetPermit | Full | Promise<TargetPermit | Full>;

export interface LinePorts {
  readonly timer: (ms: number, work: () => void) => () => void;
  /** Counts a request against the limits of the target as they are configured now. */
  readonly take: (target: LimitedTarget, size: LargestSize | null) => Taking;
  /** Whether the channel is still in use. */
  readonly isInUse: () => boolean;
}

/** A request that waits for one of several targets. */
export interface WaitingRequest {
  readonly accountId: string;
  readonly size: LargestSize | null;
  readonly isWaiting: boolean;
  /** Ends the wait: the target takes the request now. */
  served(line: Line, permit: TargetPermit): void;
  /** Called when the request has lost its place in a line. It ends the wait if it was the last one. */
  lostPlace(line: Line): void;
}

/** The requests that wait for one target. */
export interface Line {
  readonly key: string;
  readonly target: LimitedTarget;
  readonly queue: FairQueue<WaitingRequest>;
  readonly places: WeakMap<WaitingRequest, QueuePlace<WaitingRequest>>;
  /** Why the target took no request when it was tried last. */
  why: Full;
}

/**
 * The requests that wait for the targets of one channel. When one of them may have room, the next request of each line is tried, one at a
 * time, so that no wait ends without a request being sent. Lines take turns, and within a line accounts do.
 */
export class WaitingLines {
  /** Exists only while requests wait. */
  #lines: Map<string, Line> | null = null;
  #isServing = false;
  #isOutdated = false;
  #stopTimer: (() => void) | null = null;

  constructor(private readonly ports: LinePorts) {}

  /** The number of places in all lines. */
  get size(): number {
    let size = 0;
    for (const { queue } of this.#lines?.values() ?? []) size += queue.size;
    return size;
  }

  /** Returns the line whose requests have to be sent before a new one to the target; `null` if there is none. */
  lineBefore(target: LimitedTarget): Line | null {
    if (this.#lines === null) return null;
    const own = this.#lines.get(keyOf(target));
    if (own !== undefined) return own;
    for (const line of this.#lines.values()) if (line.why.by === 'channel') return line;
    return null;
  }

  /**
   * Adds the request to the line of a target. If the lines are full, it takes the place of the latest request of the account that has most,
   * unless its own account has as many. Returns `null` if there is no place. Call `changed` when the request has joined all lines.
   */
  join(target: LimitedTarget, request: WaitingRequest, why: Full, mostWaiting: number): Line | null {
    const key = keyOf(target);
    const joined = this.#lines?.get(key);
    // A second place of the same request would never be left.
    if (joined?.places.has(request) === true) return joined;
    if (this.size >= mostWaiting && !this.#makeRoom(target, request)) return null;
    this.#lines ??= new Map();
    let line = this.#lines.get(key);
    if (line === undefined) {
      const first: Full = why.by === 'queue' ? { ...why, by: 'channel' } : why;
      line = { key, target, queue: new FairQueue(), places: new WeakMap(), why: first };
      this.#lines.set(key, line);
    }
    line.places.set(request, line.queue.add(request.accountId, request));
    return line;
  }

  leave(line: Line, request: WaitingRequest): void {
    const wasHead = line.queue.head === request;
    this.#remove(line, request);
    // The next one may be smaller.
    if (wasHead && line.queue.size > 0) this.changed();
  }

  #remove(line: Line, request: WaitingRequest): void {
    const place = line.places.get(request);
    if (place === undefined) return;
    line.places.delete(request);
    line.queue.remove(place);
    if (line.queue.size > 0 || this.#lines?.get(line.key) !== line) return;
    this.#lines.delete(line.key);
    if (this.#lines.size > 0) return;
    this.#lines = null;
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  /** Removes the latest request of the account with the most, if that account has more than the given request's would have. */
  #makeRoom(target: LimitedTarget, { accountId }: WaitingRequest): boolean {
    let fullest: { readonly line: Line; readonly item: WaitingRequest; readonly size: number } | null = null;
    for (const line of this.#lines?.values() ?? []) {
      const longest = line.queue.longest();
      if (longest !== null && longest.size > (fullest?.size ?? 0)) fullest = { line, ...longest };
    }
    const own = this.#lines?.get(keyOf(target))?.queue.sizeOf(accountId) ?? 0;
    if (fullest === null || fullest.size <= own + 1) return false;
    this.#remove(fullest.line, fullest.item);
    fullest.item.lostPlace(fullest.line);
    return true;
  }

  /** Serves the waiting requests, because a request has ended or limits have changed. */
  changed(): void {
    if (this.#lines === null) return;
    this.#isOutdated = true;
    if (!this.#isServing) void this.#serve();
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    let waitMs = LOOK_MS;
    try {
      do {
        this.#isOutdated = false;
        waitMs = LONGEST_LOOK_MS;
        for (const line of [...(this.#lines?.values() ?? [])]) {
          const full = await this.#serveOne(line);
          if (full !== null) waitMs = Math.min(waitMs, full.retryAfterMs > 0 ? full.retryAfterMs : LOOK_MS);
          // The other lines need the same limit, and each of them would cost a round trip to shared counters.
          if (full?.by === 'channel') break;
        }
      } while (this.#isOutdated && this.#lines !== null);
    } finally {
      this.#isServing = false;
      this.#lookIn(waitMs);
    }
  }

  /** Tries the next request of the line. Returns why it has to wait on, or `null` if it was sent. */
  async #serveOne(line: Line): Promise<Full | null> {
    const { queue } = line;
    const { head } = queue;
    if (head === null) return null;
    if (!this.ports.isInUse()) {
      this.#remove(line, head);
      head.lostPlace(line);
      this.#isOutdated = true;
      return null;
    }
    const taking = this.ports.take(line.target, head.size);
    const taken = taking instanceof Promise ? await taking : taking;
    if (!(taken instanceof TargetPermit)) {
      line.why = taken;
      return taken;
    }
    this.#isOutdated = true;
    // It may have left in the meantime; the next round then takes the place.
    const hasLeft = !head.isWaiting || !line.places.has(head);
    this.#remove(line, head);
    if (hasLeft) taken.leave();
    else {
      this.#moveBack(line);
      head.served(line, taken);
    }
    return null;
  }

  /** Gives the other lines their turn. */
  #moveBack(line: Line): void {
    if (this.#lines?.get(line.key) !== line || this.#lines.size === 1) return;
    this.#lines.delete(line.key);
    this.#lines.set(line.key, line);
  }

  #lookIn(ms: number): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#lines === null ? null : this.ports.timer(Math.max(1, Math.ceil(ms)), () => this.changed());
  }
}

function keyOf({ publicModel, place }: LimitedTarget): string {
  return `${publicModel} ${place}`;
}
