/** A written answer and all that its next use is checked against. */
export interface Replay {
  readonly accountId: string;
  /** What it occupies, with the request that it is found by. */
  readonly bytes: number;
}

/** Without a hit of theirs in the meantime, so many accounts are watched at a time. */
const MOST_ACCOUNTS = 10_000;
/** Of the objects and strings around the answer. */
const BYTES_BESIDE = 1_024;

interface Held<R extends Replay> {
  readonly replay: R;
  /** Since it was last passed over for its place. */
  wasUsed: boolean;
}

/**
 * Answers of the cache as they were written for the very same request, byte by byte. Such a request need not be read again. Bounded; the
 * oldest go first, but for those that have been used meanwhile, which get a second chance: moving one at each use would cost more.
 */
export class Replays<R extends Replay> {
  private readonly byRequest = new Map<string, Held<R>>();
  private readonly accounts = new Set<string>();
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  /** Whether the cache has answered requests of this account, so that it is worth to look for the next one here. */
  watches(accountId: string): boolean {
    return this.accounts.has(accountId);
  }

  watch(accountId: string): void {
    if (this.accounts.size >= MOST_ACCOUNTS) this.accounts.clear();
    this.accounts.add(accountId);
  }

  get(request: string): R | undefined {
    const held = this.byRequest.get(request);
    if (held === undefined) return undefined;
    held.wasUsed = true;
    return held.replay;
  }

  set(request: string, replay: R): void {
    this.delete(request);
    const bytes = replay.bytes + BYTES_BESIDE;
    if (bytes > this.mostBytes / 4) return;
    // What is moved to the end comes again here at most once, as unused.
    for (const [oldest, held] of this.byRequest) {
      if (this.bytes + bytes <= this.mostBytes) break;
      if (held.wasUsed) this.moveToEnd(oldest, held.replay);
      else this.delete(oldest);
    }
    this.byRequest.set(request, { replay, wasUsed: false });
    this.bytes += bytes;
  }

  private moveToEnd(request: string, replay: R): void {
    this.byRequest.delete(request);
    this.byRequest.set(request, { replay, wasUsed: false });
  }

  delete(request: string): void {
    const held = this.byRequest.get(request);
    if (held === undefined) return;
    this.byRequest.delete(request);
    this.bytes -= held.replay.bytes + BYTES_BESIDE;
  }
}
