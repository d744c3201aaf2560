/** A written answer and all that its next use is checked against. */
export interface Replay {
  readonly accountId: string;
  /** What it occupies. */
  readonly bytes: number;
}

/** Without a hit of theirs in the meantime, so many accounts are watched at a time. */
const MOST_ACCOUNTS = 10_000;
/** Of the objects and strings around the answer. */
const BYTES_BESIDE = 1_024;

/**
 * Answers of the cache as they were written for the very same request, byte by byte. Such a request need not be read again. Bounded; the
 * least recently used go first.
 */
export class Replays<R extends Replay> {
  private readonly byRequest = new Map<string, R>();
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
    const replay = this.byRequest.get(request);
    if (replay === undefined) return undefined;
    this.byRequest.delete(request);
    this.byRequest.set(request, replay);
    return replay;
  }

  set(request: string, replay: R): void {
    this.delete(request);
    const bytes = replay.bytes + BYTES_BESIDE;
    if (bytes > this.mostBytes / 4) return;
    this.byRequest.set(request, replay);
    this.bytes += bytes;
    for (const oldest of this.byRequest.keys()) {
      if (this.bytes <= this.mostBytes) break;
      this.delete(oldest);
    }
  }

  delete(request: string): void {
    const replay = this.byRequest.get(request);
    if (replay === undefined) return;
    this.byRequest.delete(request);
    this.bytes -= replay.bytes + BYTES_BESIDE;
  }
}
