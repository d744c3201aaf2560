import type { HeadListener, UpstreamExchange } from './upstream-exchange.ts';

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** An exchange whose answer is a `Response`: `fetch`'s, or that of a provider inside the process. */
export class FetchExchange implements UpstreamExchange {
  readonly isConnecting = null;
  private readonly cut = new AbortController();
  private response: Response | null = null;
  private reader: Reader | null = null;

  /** `ask` gets the signal by which it is cut. */
  constructor(private readonly ask: (signal: AbortSignal) => Response | Promise<Response>) {}

  send(listener: HeadListener): void {
    this.answered().then(
      ({ status, headers }) => listener.headCame(status, headers),
      (error: unknown) => listener.headLost(error),
    );
  }

  private async answered(): Promise<Response> {
    this.response = await this.ask(this.cut.signal);
    return this.response;
  }

  async read(): Promise<Uint8Array | null> {
    this.reader ??= (this.response?.body?.getReader() as Reader | undefined) ?? null;
    if (this.reader === null) return null;
    const { done, value } = await this.reader.read();
    return done ? null : value;
  }

  async bytes(): Promise<Uint8Array> {
    return (await this.response?.bytes()) ?? new Uint8Array(0);
  }

  abort(): void {
    this.cut.abort();
    // An answer from inside the process has no connection that the signal could cut.
    this.reader?.cancel().catch(() => {});
  }
}
