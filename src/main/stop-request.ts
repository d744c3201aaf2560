/** A request to stop the gateway. It may begin with a drain, in which new requests are still served. */
export class StopRequest {
  readonly #drained = Promise.withResolvers<void>();
  #drains = true;

  /**
   * @param drains whether new requests are served for `server.drain_ms`, in which load balancers notice that the gateway is not ready;
   *   without that nobody waits for such a notice
   */
  constructor(
    readonly exitCode: number,
    drains: boolean,
  ) {
    if (!drains) this.endDrain();
  }

  /** Whether new requests are still to be served. */
  get drains(): boolean {
    return this.#drains;
  }

  /** Resolves when the drain has ended; at once without one. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  /** Ends the drain, because its time is over or a further request has come. */
  endDrain(): void {
    this.#drains = false;
    this.#drained.resolve();
  }
}
