import type { PingSettings } from '../ports/pings.ts';

/** How often it is looked who waits. */
const LOOK_MS = 1_000;

/** A stream of which can be seen how long its client has waited. */
export interface PingedStream {
  /** How often the client has asked for more. */
  readonly reads: number;
  /** The client waits for the stream rather than the stream for the client. */
  readonly isWanted: boolean;
  /** The client has waited for the interval. */
  ping(): void;
}

interface Watch {
  /** As they were at the last look. */
  reads: number;
  /** For how many looks the client has waited. */
  looks: number;
}

/** One look a second at all streams costs less than a timer for each, which would have to be set anew with every event. */
export class Pings {
  private readonly watched = new Map<PingedStream, Watch>();
  private readonly looksBetween: number;

  constructor({ intervalMs }: PingSettings) {
    this.looksBetween = Math.ceil(intervalMs / LOOK_MS);
  }

  get isOn(): boolean {
    return this.looksBetween > 0;
  }

  watch(stream: PingedStream): void {
    if (this.isOn) this.watched.set(stream, { reads: stream.reads, looks: 0 });
  }

  unwatch(stream: PingedStream): void {
    this.watched.delete(stream);
  }

  /** Looks once at every stream; to be called once a second. */
  look(): void {
    for (const [stream, seen] of this.watched) {
      seen.looks = stream.isWanted && stream.reads === seen.reads ? seen.looks + 1 : 0;
      seen.reads = stream.reads;
      if (seen.looks < this.looksBetween) continue;
      seen.looks = 0;
      stream.ping();
    }
  }

  /** The result, or `null` once it has been waited for as long as a client may hear nothing. */
  within<Result>(result: Promise<Result>): Promise<Result | null> {
    return new Promise((resolve, reject) => {
      const waiting = {
        reads: 0,
        isWanted: true,
        ping: () => {
          this.unwatch(waiting);
          resolve(null);
        },
      };
      this.watch(waiting);
      result.then(
        (value) => {
          this.unwatch(waiting);
          resolve(value);
        },
        (error) => {
          this.unwatch(waiting);
          reject(error);
        },
      );
    });
  }
}
