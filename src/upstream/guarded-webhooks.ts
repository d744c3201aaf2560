import http from 'node:http';
import type { Socket } from 'node:net';
import type { AddressVerdict } from '../engine/ports/address-check.ts';
import type { WebhookAnswer, WebhookProblem, WebhookRequest, WebhookSender } from '../engine/ports/webhook-sender.ts';
import type { AlertSettings } from '../engine/settings/settings.ts';
import { AddressGuard, type Resolve } from './address-guard.ts';
import { connectGuarded } from './guarded-connection.ts';
import { NameResolver } from './name-resolver.ts';

export interface GuardedWebhooksOptions {
  readonly settings: Pick<AlertSettings, 'allowHttp' | 'allowedRanges' | 'deniedRanges'>;
  /** Replaces the name servers. */
  readonly resolve?: Resolve;
  /** Replaces the addresses of this machine's interfaces. */
  readonly ownAddresses?: () => readonly string[];
  /** Replaces the usual delay of a refusal. */
  readonly refusalMs?: number;
  /** The limit for a whole attempt; 10 seconds by default. */
  readonly totalMs?: number;
  /** Certificates to trust instead of the system's; PEM. */
  readonly certificateAuthorities?: readonly string[];
}

const TOTAL_MS = 10_000;
const CONNECT_MS = 5_000;
/** The limit for a check before an address is stored. */
const CHECK_MS = 5_000;
const MAX_HEADER_BYTES = 16_384;
/** How much of an answer is read. */
const MAX_BODY_BYTES = 4_096;
const BODY_MS = 1_000;
const MAX_URL_CHARACTERS = 2_048;
const TLS_ERROR = /CERT|TLS|SSL|SIGNED|EPROTO|ALTNAME|ISSUER/i;

/**
 * Sends webhooks without letting the author of an address reach the gateway's own network: addresses are checked at each connection, as for
 * media (`media-fetcher.ts`), and redirects are not followed.
 */
export class GuardedWebhooks implements WebhookSender {
  private readonly guard: AddressGuard;

  constructor(private readonly options: GuardedWebhooksOptions) {
    const { allowedRanges, deniedRanges } = options.settings;
    const { ownAddresses, refusalMs } = options;
    const names = new NameResolver();
    const resolve = options.resolve ?? ((hostname, signal) => names.resolve(hostname, signal));
    this.guard = new AddressGuard({ allowedRanges, deniedRanges, resolve, ownAddresses, refusalMs });
  }

  problemOf(text: string): 'invalid_url' | 'https_required' | null {
    const url = text.length > MAX_URL_CHARACTERS ? null : URL.parse(text);
    if (url === null || url.username !== '' || url.password !== '' || url.hostname === '') return 'invalid_url';
    if (url.protocol === 'https:' || (url.protocol === 'http:' && this.options.settings.allowHttp)) return null;
    return url.protocol === 'http:' ? 'https_required' : 'invalid_url';
  }

  async check(text: string): Promise<AddressVerdict> {
    const url = URL.parse(text);
    return url === null ? 'forbidden' : await this.guard.explain(url.hostname, AbortSignal.timeout(CHECK_MS));
  }

  async send(request: WebhookRequest): Promise<WebhookAnswer> {
    const problem = this.problemOf(request.url);
    if (problem !== null) return { problem };
    const deadline = AbortSignal.timeout(this.options.totalMs ?? TOTAL_MS);
    const signal = AbortSignal.any([deadline, request.signal]);
    try {
      const answer = await this.post(new URL(request.url), request, signal);
      if ('body' in answer && answer.body === null) signal.throwIfAborted();
      return answer;
    } catch (error) {
      if (request.signal.aborted) return { problem: 'stopped' };
      return { problem: deadline.aborted ? 'timeout' : problemFrom(error) };
    }
  }

  private async post(url: URL, request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> {
    const { guard } = this;
    const { certificateAuthorities } = this.options;
    const reached = await connectGuarded({ guard, url, connectMs: CONNECT_MS, certificateAuthorities }, signal);
    if (reached.kind === 'refused') return { problem: 'address_refused' };
    if (reached.kind !== 'connected') return { problem: reached.kind };
    const { socket } = reached;
    const onAbort = () => socket.destroy();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const answer = await answerTo(socket, url, request);
      const status = answer.statusCode ?? 0;
      if (request.answerBytes !== undefined) return { status, body: await readAll(answer, request.answerBytes) };
      // The status is all that matters; the rest is read so that the server can finish writing.
      await Promise.race([readSome(answer), Bun.sleep(BODY_MS)]);
      return { status };
    } finally {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
    }
  }
}

/** Sends the request over an open connection; resolves to the answer's head. */
function answerTo(socket: Socket, url: URL, { headers, body }: WebhookRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => socket,
      method: 'POST',
      host: url.hostname,
      path: url.pathname + url.search,
      setHost: false,
      headers: {
        ...headers,
        host: url.host,
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Switchyard webhooks',
        accept: '*/*',
        connection: 'close',
      },
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    request.once('response', resolve);
    // No upgrade was requested, and without a listener such an answer would never end.
    request.once('upgrade', () => reject(new Error('the host switched protocols')));
    socket.once('close', () => reject(new Error('closed before the response')));
    // Stays attached for the connection's lifetime: nothing else handles an error after the answer's end.
    request.on('error', reject);
    request.end(body);
  });
}

async function readSome(answer: http.IncomingMessage): Promise<void> {
  let bytes = 0;
  try {
    for await (const piece of answer as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > MAX_BODY_BYTES) return;
    }
  } catch {
    // The head has arrived, and decides the outcome.
  }
}

/** Resolves to the body; `null` if it is longer, or is cut off. */
async function readAll(answer: http.IncomingMessage, mostBytes: number): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > mostBytes) return null;
      pieces.push(piece);
    }
  } catch {
    return null;
  }
  return answer.complete ? Buffer.concat(pieces).toString('utf8') : null;
}

function problemFrom(error: unknown): WebhookProblem {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return TLS_ERROR.test(code) ? 'tls' : 'connection_failed';
}
