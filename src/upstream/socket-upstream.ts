import { Failure } from '../domain/failure/failure.ts';
import type {
  SocketListener,
  SocketMessage,
  UpstreamSocket,
  UpstreamSocketRequest,
  UpstreamSockets,
} from '../engine/ports/upstream.ts';
import { decodeFailure } from '../formats/shared/failure/upstream-failure.ts';
import { type PinnedPlace, UpstreamGuard } from './upstream-guard.ts';

/** Bun's members beyond the standard's. */
type PausableSocket = WebSocket & { terminate(): void; pause(): unknown; resume(): unknown };

/** Opens WebSockets with Bun's client. A redirect of the upgrade counts as a refusal: the credentials are not for another address. */
export class SocketUpstream implements UpstreamSockets {
  constructor(private readonly guard = new UpstreamGuard({ allowedRanges: [], deniedRanges: [] })) {}

  async connect(request: UpstreamSocketRequest): Promise<UpstreamSocket | Failure> {
    if (request.isGuarded !== true) return this.open(request, {});
    const place = await this.guard.pin(request.url, request.timeoutMs);
    if (place instanceof Failure) return place;
    const { url, host, tls } = place;
    return this.open({ ...request, url, headers: { ...request.headers, host } }, tls === undefined ? {} : { tls });
  }

  private open(
    { url, headers, timeoutMs, signal }: UpstreamSocketRequest,
    secured: { tls?: NonNullable<PinnedPlace['tls']> },
  ): Promise<UpstreamSocket | Failure> {
    return new Promise((resolve) => {
      const socket = new WebSocket(url, { headers, ...secured }) as PausableSocket;
      const open = new OpenSocket(socket);
      const settle = (result: UpstreamSocket | Failure) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        resolve(result);
        if (result instanceof Failure) socket.terminate();
      };
      const onAbort = () => settle(clientGone());
      const timer = setTimeout(() => settle(tooLate()), timeoutMs);
      signal.addEventListener('abort', onAbort);
      socket.onopen = () => {
        // Nothing is read before there is a listener, so that nothing must be buffered.
        socket.pause();
        settle(open);
      };
      socket.onerror = (event) => settle(refusedBy('message' in event ? String(event.message) : ''));
      if (signal.aborted) onAbort();
    });
  }
}

function clientGone(): Failure {
  return new Failure('client_closed_request', { message: 'The client closed the connection.' });
}

function tooLate(): Failure {
  return new Failure('timeout_error', {
    message: 'The upstream did not accept the WebSocket in time.',
    kind: 'first_byte_timeout',
  });
}

/** Returns the failure of a refused upgrade: Bun reports its status only in the message, and drops its body. */
function refusedBy(message: string): Failure {
  const [, status] = /Expected 101 status code: (\d{3})/.exec(message) ?? [];
  if (status !== undefined) return decodeFailure(Number(status), new Headers(), new Uint8Array(0));
  return new Failure('upstream_error', {
    message: 'The upstream could not be reached for a WebSocket.',
    kind: 'connect',
  });
}

class OpenSocket implements UpstreamSocket {
  private listener: SocketListener | null = null;
  private early: SocketMessage[] = [];
  private end: { readonly code: number; readonly reason: string } | null = null;

  constructor(private readonly socket: PausableSocket) {
    socket.binaryType = 'nodebuffer';
    socket.onmessage = ({ data }: MessageEvent<SocketMessage>) => {
      if (this.listener === null) this.early.push(data);
      else this.listener.message(data);
    };
    socket.onclose = ({ code, reason }) => {
      this.end ??= { code, reason };
      this.listener?.closed(code, reason);
    };
  }

  get waitingBytes(): number {
    return this.socket.bufferedAmount;
  }

  listen(listener: SocketListener): void {
    this.listener = listener;
    for (const data of this.early.splice(0)) listener.message(data);
    if (this.end !== null) listener.closed(this.end.code, this.end.reason);
    else this.socket.resume();
  }

  send(data: SocketMessage): void {
    this.socket.send(data as string);
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }
}
