import { crc32 } from 'node:zlib';

/** A request as it was sent. */
export interface SentRequest {
  readonly accountId: string;
  /** All that counts beside the body. */
  readonly said: string;
  /** The body, or what stands for it. */
  readonly body: Uint8Array;
}

/** A written answer and all that its next use is checked against. */
export interface Replay {
  /** What it occupies. */
  readonly bytes: number;
}

/** Without a hit of theirs in the meantime, so many accounts are watched at a time. */
const MOST_ACCOUNTS = 10_000;
/** Of the objects and strings around the answer. */
const BYTES_BESIDE = 1_024;

interface Held<R extends Replay> {
  readonly request: SentRequest;
  readonly replay: R;
  readonly bytes: number;
  /** Since it was last passed over for its place. */
  wasUsed: boolean;
}

/**
 * Answers of the cache as they were written for the very same request, byte by byte. Such a request need not be read again. They are found
 * by a checksum of the body, and then all bytes are compared: of 1 KB that takes 0.2 µs, and a digest or a text of it 1 to 3 µs. Two
 * requests with one checksum have one place, so the later one takes it. Bounded; the oldest go first, but for those that have been
 * used meanwhile, which get a second chance: moving one at each use would cost more.
 */
export class Replays<R extends Replay> {
  private readonly byChecksum = new Map<number, Held<R>>();
  /** The number from which the checksums of an account begin, so that equal bodies of two accounts have two places. */
  private readonly accounts = new Map<string, number>();
  private accountsSeen = 0;
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  /** Whether the cache has answered requests of this account, so that it is worth to look for the next one here. */
  watches(accountId: string): boolean {
    return this.accounts.has(accountId);
  }

  watch(accountId: string): void {
    if (this.accounts.has(accountId)) return;
    if (this.accounts.size >= MOST_ACCOUNTS) this.accounts.clear();
    this.accounts.set(accountId, this.accountsSeen++ >>> 0);
  }

  get(request: SentRequest): R | undefined {
    const held = this.byChecksum.get(this.checksumOf(request));
    if (held === undefined || !isSame(held.request, request)) return undefined;
    held.wasUsed = true;
    return held.replay;
  }

  set(request: SentRequest, replay: R): void {
    const checksum = this.checksumOf(request);
    this.remove(checksum);
    const bytes = replay.bytes + request.body.length + BYTES_BESIDE;
    if (bytes > this.mostBytes / 4) return;
    // What is moved to the end comes again here at most once, as unused.
    for (const [oldest, held] of this.byChecksum) {
      if (this.bytes + bytes <= this.mostBytes) break;
      if (held.wasUsed) this.moveToEnd(oldest, held);
      else this.remove(oldest);
    }
    // A copy, because the body may be a part of a larger piece of memory.
    const own = { ...request, body: new Uint8Array(request.body) };
    this.byChecksum.set(checksum, { request: own, replay, bytes, wasUsed: false });
    this.bytes += bytes;
  }

  delete(request: SentRequest): void {
    const checksum = this.checksumOf(request);
    const held = this.byChecksum.get(checksum);
    if (held !== undefined && isSame(held.request, request)) this.remove(checksum);
  }

  private checksumOf({ accountId, body }: SentRequest): number {
    return crc32(body, this.accounts.get(accountId) ?? 0);
  }

  private moveToEnd(checksum: number, held: Held<R>): void {
    this.byChecksum.delete(checksum);
    held.wasUsed = false;
    this.byChecksum.set(checksum, held);
  }

  private remove(checksum: number): void {
    const held = this.byChecksum.get(checksum);
    if (held === undefined) return;
    this.byChecksum.delete(checksum);
    this.bytes -= held.bytes;
  }
}

function isSame(a: SentRequest, b: SentRequest): boolean {
  return a.accountId === b.accountId && a.said === b.said && Buffer.compare(a.body, b.body) === 0;
}
