import { PiecedBody } from '../domain/media/pieced-body.ts';
import type { ComingBody, UpstreamRequest } from '../engine/ports/upstream.ts';
import { piecedStream } from './pieced-stream.ts';
import type { HeadListener, UpstreamExchange } from './upstream-exchange.ts';
import type { PinnedPlace } from './upstream-guard.ts';

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** An exchange whose answer is a `Response` from `fetch` or from an in-process provider. */
export class FetchExchange implements UpstreamExchange {
  readonly isConnecting = null;
  private readonly cut = new AbortController();
  private response: Response | null = null;
  private reader: Reader | null = null;

  /** @param ask sends the request; the signal aborts it */
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
    // An in-process answer has no connection that the signal could cut.
    this.reader?.cancel().catch(() => {});
  }
}

/** Returns an exchange over `fetch` or an in-process provider. `onTaken` is called as the upstream reads a streamed body. */
export function fetched(request: UpstreamRequest, tls: PinnedPlace['tls'], onTaken: () => void): FetchExchange {
  const coming = comingBody(request.body, onTaken);
  const whole = request.body instanceof Uint8Array ? request.body : null;
  return new FetchExchange((signal) => {
    const init = {
      method: request.method,
      headers: request.headers,
      body: whole,
      signal,
      redirect: 'manual' as const,
      ...(tls && { tls }),
      // Bun's own timeout ends a connection after 5 silent minutes, whatever the channel allows.
      timeout: false,
    };
    const { local, url, client } = request;
    if (!local) return fetch(url, coming === null ? inPieces(init) : asItComes(init, coming));
    return local(new Request(url, coming === null ? init : asItComes(init, coming)), client?.accountId ?? null);
  });
}

interface Init {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** Streams a large body over a new connection: a streamed body cannot be sent again if a kept connection turns out to be closed. */
function inPieces<T extends Init>(init: T) {
  const { body, headers } = init;
  if (body === null || body.length <= STREAMED_BYTES) return init;
  return {
    ...init,
    headers: { ...headers, 'content-length': String(body.length) },
    body: bodyStream(body),
    keepalive: false,
  };
}

/** Returns a body that is streamed or read piece by piece, else `null`. `onTaken` is called as its pieces are read. */
export function comingBody(body: UpstreamRequest['body'], onTaken: () => void): ComingBody | null {
  if (body === null || body instanceof Uint8Array) return null;
  if (body instanceof PiecedBody) return { stream: piecedStream(body, onTaken), length: body.length, onTaken };
  body.onTaken = onTaken;
  return body;
}

/** Adds the length if it is known, which avoids a chunked body. */
function asItComes<T extends Init>(init: T, { stream, length }: ComingBody) {
  const headers = length === null ? init.headers : { ...init.headers, 'content-length': String(length) };
  return { ...init, headers, body: stream, keepalive: false };
}

/** Larger bodies are sent in pieces; `fetch` copies a smaller one at once, which takes up to 1 ms per megabyte. */
export const STREAMED_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 256 * 1024;

/**
 * Returns a body as a stream that the connection pulls: copying 50 MB at once would block for 40 ms and double the memory. With its
 * `Content-Length` it is not sent chunked, which many providers would reject.
 */
export function bodyStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let from = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        if (from >= bytes.length) {
          controller.close();
          return;
        }
        controller.enqueue(bytes.subarray(from, from + PIECE_BYTES));
        from += PIECE_BYTES;
      },
    },
    { highWaterMark: 0 },
  );
}
