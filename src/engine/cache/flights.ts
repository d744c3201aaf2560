/** A request that is under way, and that others wait for. */
interface Flight {
  readonly landed: Promise<void>;
  land(): void;
}

/** Requests under way, by the key of what they will put into the cache. */
export class Flights {
  private readonly underWay = new Map<string, Flight>();

  /** Resolves when the request of this key is over, however it has ended; `null` if none is under way. */
  of(key: string): Promise<void> | null {
    return this.underWay.get(key)?.landed ?? null;
  }

  /** The caller makes the request for all. It calls what this returns when its request is over. */
  begin(key: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const flight: Flight = { landed: promise, land: resolve };
    this.underWay.set(key, flight);
    return () => {
      if (this.underWay.get(key) === flight) this.underWay.delete(key);
      flight.land();
    };
  }
}
