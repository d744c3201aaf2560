import { ByteBudget } from '../../domain/access/byte-budget.ts';
import type { AnswerMemorySettings } from '../ports/answer-memory.ts';

const ACCOUNT_SHARE = 0.5;
/** A whole answer is there as it came, as what goes out and, in between, as the values in it. */
const HELD_PER_BYTE = 3;
/** What a stream holds whose client reads more slowly than its upstream sends: measured with one that sends as fast as it can, 3 to 5 MB. */
const BEHIND_BYTES = 4 * 1024 * 1024;
/**
 * A stream that has waited for its client, and not for its upstream, at so many looks, one a second, is behind: what the runtime
 * has read ahead of it grows. That the client still takes some of it changes nothing: the sockets between take megabytes before
 * one that reads nothing shows.
 */
const BEHIND_LOOKS = 2;
/**
 * After so many it is ended, whether or not there is room. The server itself closes a connection that has taken nothing for two
 * minutes; this is for one that takes a byte now and then, and never as much as waits for it.
 */
const MOST_LOOKS = 300;

/** A stream of which can be seen whether its client reads. */
export interface WatchedStream {
  /** How often the client has asked for more. */
  readonly reads: number;
  /** The client waits for the stream rather than the stream for the client: it has taken all that there was. */
  readonly isWanted: boolean;
  /** There is no room for what a client leaves lying. */
  stalled(): void;
  /** The client has left it lying for too long. */
  abandoned(): void;
}

interface Watch {
  readonly held: HeldBytes;
  /** As they were at the last look. */
  reads: number;
  /** For how many looks they have not changed. */
  looks: number;
  /** For how many looks the stream has waited for its client. */
  behind: number;
}

/**
 * What answers hold that are under way: whole ones of some size, streams that say nothing of what they get, and streams whose
 * clients are behind. Everything else is bounded by what passes at a time.
 */
export class AnswerMemory {
  private readonly budget: ByteBudget;
  private readonly watched = new Map<WatchedStream, Watch>();

  constructor(
    { maxHeldBytes }: AnswerMemorySettings,
    private readonly mostLooks = MOST_LOOKS,
  ) {
    this.budget = new ByteBudget({ total: maxHeldBytes, perAccount: Math.ceil(maxHeldBytes * ACCOUNT_SHARE) });
  }

  /** For one request; `whenOver` is told what to do at its end, once there is something. */
  open(accountId: string, whenOver: (release: () => void) => void): HeldBytes {
    return new HeldBytes(this.budget, accountId, whenOver);
  }

  watch(stream: WatchedStream, held: HeldBytes): void {
    this.watched.set(stream, { held, reads: stream.reads, looks: 0, behind: 0 });
  }

  unwatch(stream: WatchedStream): void {
    this.watched.delete(stream);
  }

  /** Looks once at every stream; to be called once a second. */
  look(): void {
    for (const [stream, seen] of this.watched) {
      if (stream.isWanted && seen.behind >= BEHIND_LOOKS) seen.held.give(BEHIND_BYTES);
      seen.behind = stream.isWanted ? 0 : seen.behind + 1;
      seen.looks = stream.isWanted || stream.reads !== seen.reads ? 0 : seen.looks + 1;
      seen.reads = stream.reads;
      if (seen.behind === BEHIND_LOOKS && !seen.held.take(BEHIND_BYTES)) {
        this.unwatch(stream);
        stream.stalled();
      } else if (seen.looks >= this.mostLooks) {
        this.unwatch(stream);
        stream.abandoned();
      }
    }
  }
}

/** What one request holds until it is over. */
export class HeldBytes {
  private bytes = 0;
  private isOver = false;
  private hasBegun = false;

  constructor(
    private readonly budget: ByteBudget,
    private readonly accountId: string,
    private readonly whenOver: (release: () => void) => void,
  ) {}

  /** Whether there was room for so many bytes of a whole answer, with what is made of them. */
  readonly hold = (bytes: number): boolean => this.take(bytes * HELD_PER_BYTE);

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
