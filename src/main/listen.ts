import type { Server } from 'bun';
import type { SocketHandler } from '../transports/inference/socket-route.ts';
import type { Gateway } from './gateway.ts';

/** An error that ends the command with only its message. */
export class ServeError extends Error {}

export interface Listening {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** @param inGroup whether other processes of this gateway listen on the same port. Throws `ServeError`. */
export function listen({ host, port }: Listening, inGroup: boolean, gateway: Gateway): Server<SocketHandler> {
  return explained({ host, port }, () =>
    Bun.serve({
      hostname: host,
      port,
      // We enforce the body limit, so that the client gets a 413 in its own format.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      idleTimeout: 120,
      development: false,
      // Outside of development Bun would share the port with any process, each of which would get part of the connections.
      reusePort: inGroup,
      routes: gateway.routes,
      fetch: gateway.fetch,
      error: gateway.error,
      websocket: gateway.websocket,
    }),
  );
}

/** Returns the port on which several processes can listen; checks that no other program listens there now. Throws `ServeError`. */
export function portForGroup(listening: Listening): number {
  const { host: hostname, port } = listening;
  const listener = explained(listening, () => Bun.listen({ hostname, port, exclusive: true, socket: { data() {} } }));
  listener.stop(true);
  return listener.port;
}

function explained<Result>(listening: Listening, listenThere: () => Result): Result {
  try {
    return listenThere();
  } catch (error) {
    throw listenError(listening, error);
  }
}

/** Returns the error for an address on which this process cannot listen. */
export function listenError({ host, port }: Listening, error: unknown): ServeError {
  const { code = '', message = String(error) } = error as { readonly code?: unknown; readonly message?: string };
  if (code === 'EADDRINUSE') {
    return new ServeError(
      `Port ${port} on ${host} is in use. Stop the program that uses it, or set PORT to another port.`,
    );
  }
  if (code === 'EACCES')
    return new ServeError(`Port ${port} needs privileges that this user lacks. Set PORT to a port above 1023.`);
  return new ServeError(`Cannot listen on ${host}:${port}: ${message}`);
}
