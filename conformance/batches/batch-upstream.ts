/** A provider with batches as an upstream, on a free port. */
export abstract class BatchUpstream<Batch> {
  /** Newest first. */
  readonly batches: Batch[] = [];
  /** The models of requests outside of batches. */
  readonly direct: string[] = [];
  private readonly server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => this.answer(request),
  });

  get baseUrl(): string {
    return `http://127.0.0.1:${this.server.port}/v1`;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  protected abstract answer(request: Request): Promise<Response>;
}
