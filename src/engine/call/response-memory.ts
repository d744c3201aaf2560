import { ByteBudget } from '../../domain/access/byte-budget.ts';
import { Bag, type Bagged, NOWHERE } from '../../domain/concurrency/bag.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { MemoryFigures } from '../ports/figures.ts';
import { type ResponseMemorySettings, responseMemoryFull } from '../ports/response-memory.ts';

const ACCOUNT_SHARE = 0.5;
/** A whole answer exists up to three times: as received bytes, as parsed values and as the bytes that are sent. */
const HELD_PER_BYTE = 3;
/**
 * Memory used by a stream whose client reads more slowly than the upstream sends. Measured: 3 to 5 MB with an upstream
 * that sends as fast as it can.
 */
const BEHIND_BYTES = 4 * 1024 * 1024;
/**
 * A stream counts as behind after it was found waiting for its client, not for its upstream, in this many consecutive
 * checks, one a second. From then on the runtime's read-ahead buffer grows. Reads in between do not reset the count:
 * the sockets on the way accept megabytes, so a client that reads nothing seems to read at first.
 */
const BEHIND_LOOKS = 2;
/**
 * After this many checks without a read the stream is ended, even if there is memory left. The server closes a
 * connection that has accepted nothing for two minutes; this bound is for a client that takes a byte now and then but
 * never all that is buffered.
 */
const MOST_LOOKS = 300;

/** A stream whose reads by the client can be observed. */
export interface WatchedStream {
  /** How many times the client has asked for the next piece. */
  readonly reads: number;
  /** Whether the client waits for the stream, having taken everything that was available. */
  readonly isWanted: boolean;
  /** Called when the client is behind and there is no memory left for its buffered bytes. */
  stalled(): void;
  /** Called when the client has read nothing for too long. */
  abandoned(): void;
}

/** One stream under observation. */
export interface WatchedResponse extends Bagged {
  readonly stream: WatchedStream;
  readonly buffered: BufferedBytes;
  /** The value of `reads` at the last check. */
  reads: number;
  /** The number of consecutive checks at which the client neither waited for data nor had read any. */
  looks: number;
  /** The number of consecutive checks at which the stream waited for its client. */
  behind: number;
}

/**
 * Bounds the memory of answers in progress: large whole answers, streams whose upstream data has not produced output
 * yet, and streams whose clients are behind. All other data is bounded by the size of one piece.
 */
export class ResponseMemory {
  private readonly budget: ByteBudget;
  private readonly watched = new Bag<WatchedResponse>();

  constructor(
    { maxHeldBytes }: ResponseMemorySettings,
    private readonly mostLooks = MOST_LOOKS,
  ) {
    this.budget = new ByteBudget({ total: maxHeldBytes, perAccount: Math.ceil(maxHeldBytes * ACCOUNT_SHARE) });
  }

  get figures(): MemoryFigures {
    return this.budget.figures;
  }

  /**
   * Starts to count the bytes of one request. `whenOver` registers the release at the first bytes taken, so that a
   * request that takes none registers nothing.
   */
  open(accountId: string, whenOver: (release: () => void) => void): BufferedBytes {
    return new BufferedBytes(this.budget, accountId, whenOver);
  }

  watch(stream: WatchedStream, buffered: BufferedBytes): WatchedResponse {
    const watch = { stream, buffered, reads: stream.reads, looks: 0, behind: 0, place: NOWHERE };
    this.watched.add(watch);
    return watch;
  }

  unwatch(watch: WatchedResponse): void {
    this.watched.delete(watch);
  }

  /** Checks every stream once. Call it once a second. */
  look(): void {
    for (const seen of this.watched) {
      const { stream } = seen;
      if (stream.isWanted && seen.behind >= BEHIND_LOOKS) seen.buffered.give(BEHIND_BYTES);
      seen.behind = stream.isWanted ? 0 : seen.behind + 1;
      seen.looks = stream.isWanted || stream.reads !== seen.reads ? 0 : seen.looks + 1;
      seen.reads = stream.reads;
      if (seen.behind === BEHIND_LOOKS && !seen.buffered.take(BEHIND_BYTES)) {
        this.unwatch(seen);
        stream.stalled();
      } else if (seen.looks >= this.mostLooks) {
        this.unwatch(seen);
        stream.abandoned();
      }
    }
  }
}

/** The bytes that one request holds until it ends. */
export class BufferedBytes {
  private bytes = 0;
  private isOver = false;
  private hasBegun = false;

  constructor(
    private readonly budget: ByteBudget,
    private readonly accountId: string,
    private readonly whenOver: (release: () => void) => void,
  ) {}

  /** Takes memory for a whole answer of `bytes` bytes, including its parsed form. Returns false if there is not enough. */
  readonly takeWhole = (bytes: number): boolean => this.take(bytes * HELD_PER_BYTE);

  take(bytes: number): boolean {
    if (this.isOver || !this.budget.take(this.accountId, bytes)) return false;
    this.bytes += bytes;
    if (!this.hasBegun) {
      this.hasBegun = true;
      this.whenOver(() => this.release());
    }
    return true;
  }

  give(bytes: number): void {
    if (this.isOver) return;
    this.bytes -= bytes;
    this.budget.give(this.accountId, bytes);
  }

  private release(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.budget.give(this.accountId, this.bytes);
  }
}

/** Bytes below this size are not counted against the memory, because single events of this size are common. */
const UNCOUNTED_BYTES = 256 * 1024;
/**
 * Twice the size of the largest event. A stream that has sent more than this without any output for the client is
 * treated as empty.
 */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Counts the bytes that the upstream has sent since the stream last produced output: an incomplete event, or data that
 * the client does not get.
 */
export class UnproductiveBytes {
  private bytes = 0;
  private held = 0;

  constructor(private readonly memory: BufferedBytes) {}

  /** Counts a piece that produced no output. Returns the failure if the total is too large, else `null`. */
  heard(length: number): Failure | null {
    this.bytes += length;
    if (this.bytes <= UNCOUNTED_BYTES) return null;
    if (this.bytes > MOST_BYTES) {
      return new Failure('upstream_error', {
        kind: 'empty_stream',
        message: `The upstream sent ${MOST_BYTES} bytes without any content for the client.`,
      });
    }
    const more = this.bytes - this.held;
    if (!this.memory.take(more)) return responseMemoryFull();
    this.held = this.bytes;
    return null;
  }

  /** Resets the count, because the stream has produced output. */
  said(): void {
    if (this.bytes === 0) return;
    if (this.held > 0) this.memory.give(this.held);
    this.bytes = 0;
    this.held = 0;
  }
}
