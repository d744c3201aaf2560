import { Bag, type Bagged, NOWHERE } from '../../domain/concurrency/bag.ts';
import type { PingSettings } from '../settings/settings.ts';

/** The interval between two checks of all streams. */
const LOOK_MS = 1_000;

/** A stream whose client's waiting time can be observed. */
export interface PingedStream {
  /** How many times the client has asked for the next piece. */
  readonly reads: number;
  /** Whether the client waits for the stream, rather than the stream for the client. */
  readonly isWanted: boolean;
  /** Called each time the client has waited for the ping interval. */
  ping(): void;
}

/** One stream under observation. */
export interface PingWatch extends Bagged {
  readonly stream: PingedStream;
  /** The value of `reads` at the last check. */
  reads: number;
  /** The number of consecutive checks at which the client waited. */
  looks: number;
}

/**
 * Sends pings on silent streams. Checking all streams once a second is cheaper than a timer per stream, which every event would have to
 * reset.
 */
export class Pings {
  private readonly watched = new Bag<PingWatch>();
  private readonly looksBetween: number;

  constructor({ intervalMs }: PingSettings) {
    this.looksBetween = Math.ceil(intervalMs / LOOK_MS);
  }

  get isOn(): boolean {
    return this.looksBetween > 0;
  }

  watch(stream: PingedStream): PingWatch {
    const watch = { stream, reads: stream.reads, looks: 0, place: NOWHERE };
    if (this.isOn) this.watched.add(watch);
    return watch;
  }

  unwatch(watch: PingWatch): void {
    this.watched.delete(watch);
  }

  /** Checks every stream once. Call it once a second. */
  look(): void {
    for (const seen of this.watched) {
      const { stream } = seen;
      seen.looks = stream.isWanted && stream.reads === seen.reads ? seen.looks + 1 : 0;
      seen.reads = stream.reads;
      if (seen.looks < this.looksBetween) continue;
      seen.looks = 0;
      stream.ping();
    }
  }

  /** Resolves to the result, or to `null` if it did not arrive within the ping interval. */
  within<Result>(result: Promise<Result>): Promise<Result | null> {
    return new Promise((resolve, reject) => {
      const ping = () => {
        this.unwatch(watch);
        resolve(null);
      };
      const watch = this.watch({ reads: 0, isWanted: true, ping });
      result.then(
        (value) => {
          this.unwatch(watch);
          resolve(value);
        },
        (error) => {
          this.unwatch(watch);
          reject(error);
        },
      );
    });
  }
}
