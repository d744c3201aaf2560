import { loggedText } from '../../formats/shared/failure/clean-message.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import type { ClientAddresses } from './client-address.ts';
import type { Connections, ServerHandler } from './route.ts';
import { isUpgrade } from './socket-route.ts';
import { isStreamed } from './streamed-responses.ts';

export interface AccessLogOptions {
  /** Writes a line, which has a newline at its end. */
  readonly write: (line: string) => void;
  readonly nowMs: () => number;
  readonly addresses: Pick<ClientAddresses, 'of'>;
}

const LONGEST_PATH = 1_000;
const LONGEST_HEADER = 300;
const NO_CONTENT = 204;
const SWITCHING_PROTOCOLS = 101;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Facts of a request that are unknown once its response is sent. */
interface Arrived {
  readonly atMs: number;
  readonly address: string | null;
  readonly method: string;
  readonly url: string;
  readonly referer: string | null;
  readonly userAgent: string | null;
}

/**
 * Writes a line in the combined format of Apache and nginx for each response, when it has ended. Queries of paths and of referers are left
 * out, since they may hold keys, one-time codes and signatures.
 */
export class AccessLog {
  constructor(private readonly options: AccessLogOptions) {}

  all(routes: Readonly<Record<string, ServerHandler>>): Record<string, ServerHandler> {
    return Object.fromEntries(Object.entries(routes).map(([path, handler]) => [path, this.around(handler)]));
  }

  around(handler: ServerHandler): ServerHandler {
    return async (request, connections) => {
      const arrived = this.arrived(request, connections);
      const response = await handler(request, connections);
      // The server has answered the handshake of a WebSocket itself.
      if (response.status !== NO_CONTENT || !isUpgrade(request)) return this.answered(arrived, response);
      this.write(arrived, SWITCHING_PROTOCOLS, null);
      return response;
    };
  }

  private arrived(request: Request, connections: Connections): Arrived {
    const { method, url, headers } = request;
    return {
      ...{ atMs: this.options.nowMs(), address: this.options.addresses.of(request, connections), method, url },
      ...{ referer: headers.get('referer'), userAgent: headers.get('user-agent') },
    };
  }

  private async answered(arrived: Arrived, response: Response): Promise<Response> {
    const { status, headers } = response;
    const type = headers.get('content-type') ?? '';
    const length = headers.get('content-length');
    if (length !== null || response.bodyUsed) this.write(arrived, status, length === null ? null : Number(length));
    else if (isStreamed(response) && response.body !== null) return this.counted(arrived, response, response.body);
    else if (type.startsWith('application/json')) return this.whole(arrived, response);
    else this.write(arrived, status, null);
    return response;
  }

  /** The body is in memory as a whole, but the response does not tell its size. */
  private async whole(arrived: Arrived, response: Response): Promise<Response> {
    const { status, headers } = response;
    const bytes = await response.bytes();
    this.write(arrived, status, bytes.length);
    return new Response(bytes.length === 0 ? null : bytes, { status, headers });
  }

  /** Counts the bytes of a stream, without reading ahead of the client. */
  private counted(arrived: Arrived, { status, headers }: Response, body: ReadableStream<Uint8Array>): Response {
    const reader = body.getReader();
    let sent = 0;
    const over = () => this.write(arrived, status, sent);
    const counted = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            if (!done) {
              sent += value.length;
              controller.enqueue(value);
              return;
            }
          } catch (error) {
            over();
            throw error;
          }
          over();
          controller.close();
        },
        async cancel(reason) {
          over();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(counted, { status, headers });
  }

  private write(arrived: Arrived, status: number, bytes: number | null): void {
    this.options.write(combinedLine(arrived, status, bytes));
  }
}

/** Returns `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i"`. */
function combinedLine(arrived: Arrived, status: number, bytes: number | null): string {
  const { atMs, address, method, url, referer, userAgent } = arrived;
  const line = `${plain(method, LONGEST_HEADER)} ${plain(requestTarget(url).path, LONGEST_PATH)} HTTP/1.1`;
  const from = referer === null ? '-' : plain(referer.split(/[?#]/, 1)[0] ?? '', LONGEST_HEADER);
  const agent = userAgent === null ? '-' : plain(userAgent, LONGEST_HEADER);
  const size = bytes === null || bytes === 0 ? '-' : String(bytes);
  return `${address ?? '-'} - - [${timeText(atMs)}] "${line}" ${status} ${size} "${from}" "${agent}"\n`;
}

/** Returns a client's text without secrets, quotes and characters that could end the line or the field. */
function plain(text: string, most: number): string {
  return loggedText(text, most).replace(/["\\]|[^\x20-\x7e]/g, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
}

/** Returns a time such as `29/Nov/2026:12:00:00 +0000`. */
function timeText(atMs: number): string {
  const [date = '', time = ''] = new Date(atMs).toISOString().split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}
