import type { ServerWebSocket, WebSocketHandler } from 'bun';

/** The way to a WebSocket's client. */
export type ClientSocket = Pick<ServerWebSocket<SocketHandler>, 'send' | 'close' | 'terminate' | 'getBufferedAmount'>;

/** What stands behind one WebSocket. A route hands it over with the upgrade of the request that opens it. */
export interface SocketHandler {
  opened(socket: ClientSocket): void;
  message(data: string | Uint8Array): void;
  /** There is room again for what is sent. */
  drained(): void;
  /** By whom and why ever; called once. 1006 where the connection was cut. */
  closed(code: number, reason: string): void;
}

/** A client that answers no ping for so long is gone. */
const IDLE_SECONDS = 120;
/**
 * The server holds what has come of a message until all of it is there, and says nothing of it before: no budget sees it, so each
 * connection can take so much. OpenAI's realtime API takes 15 MiB of audio in a message, which are 20 MiB of base64.
 */
export const LARGEST_MESSAGE_BYTES = 20 * 1024 * 1024;
/** What a message has beside a body. */
const ENVELOPE_BYTES = 64 * 1024;
/** Above every event: nothing is sent before the one before it has gone out, and what is beyond is dropped by the server. */
const MOST_WAITING_BYTES = 256 * 1024 * 1024;

/** The server's side of all WebSockets; each has its handler with it. */
export function socketServer(maxBodyBytes: number): WebSocketHandler<SocketHandler> {
  return {
    maxPayloadLength: Math.min(maxBodyBytes, LARGEST_MESSAGE_BYTES) + ENVELOPE_BYTES,
    backpressureLimit: MOST_WAITING_BYTES,
    idleTimeout: IDLE_SECONDS,
    sendPings: true,
    open: (socket) => socket.data.opened(socket),
    message: (socket, data) => socket.data.message(data),
    drain: (socket) => socket.data.drained(),
    close: (socket, code, reason) => socket.data.closed(code, reason),
  };
}

export function isUpgrade({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  return method === 'GET' && headers.get('upgrade')?.toLowerCase() === 'websocket';
}
