/** A request in flight that others wait for. */
interface Flight {
  readonly landed: Promise<void>;
  land(): void;
}

/** Requests in flight, by the key of the cache entry that they will make. */
export class Flights {
  private readonly underWay = new Map<string, Flight>();

  /** Returns a promise that resolves when the request of this key has ended in any way; `null` if none is in flight. */
  of(key: string): Promise<void> | null {
    return this.underWay.get(key)?.landed ?? null;
  }

  /** Registers the caller's request as the one that others wait for. The caller calls the returned function when its request has ended. */
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
