import type { ServerWebSocket, WebSocketHandler } from 'bun';

/** The connection to a WebSocket's client. */
export type ClientSocket = Pick<ServerWebSocket<SocketHandler>, 'send' | 'close' | 'terminate' | 'getBufferedAmount'>;

/** The handler behind one WebSocket. A route passes it on when it upgrades the request. */
export interface SocketHandler {
  opened(socket: ClientSocket): void;
  message(data: string | Uint8Array): void;
  /** Called when there is room again for sending. */
  drained(): void;
  /** Called once, whichever side closed the connection. The code is 1006 if it was cut. */
  closed(code: number, reason: string): void;
}

/** A client that answers no ping for this long is gone. */
const IDLE_SECONDS = 120;
/**
 * The server buffers a message until it is complete, without accounting to any memory budget, so each connection can use this much.
 * OpenAI's realtime API accepts 15 MiB of audio in a message, which is 20 MiB of base64.
 */
export const LARGEST_MESSAGE_BYTES = 20 * 1024 * 1024;
/** Room for the parts of a message around the body. */
const ENVELOPE_BYTES = 64 * 1024;
/** Larger than any event: each is sent only after the previous one has gone out, and the server drops what exceeds this limit. */
const MOST_WAITING_BYTES = 256 * 1024 * 1024;

/** Returns the server's WebSocket options; each socket carries its handler as data. */
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
