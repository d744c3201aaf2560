import { connect, createServer, type Socket } from 'node:net';

/** PgBouncer's response to an unknown setting in the startup message of a connection. */
const REFUSAL = 'SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: statement_timeout\0\0';

export interface RefusingPooler {
  readonly url: string;
  /** The number of connections it has refused. */
  refused(): number;
  stop(): void;
}

/** Forwards connections to the PostgreSQL of the URL as PgBouncer does: those that set `statement_timeout` are refused. */
export async function startRefusingPooler(url: string): Promise<RefusingPooler> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let refused = 0;
  const listener = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    client.once('data', (first) => {
      if (first.includes('statement_timeout')) {
        refused += 1;
        client.end(errorMessage());
        return;
      }
      const upstream = connect(Number(port), hostname);
      sockets.add(upstream);
      upstream.on('error', () => client.destroy());
      upstream.write(first);
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const own = new URL(url);
  own.port = String((listener.address() as { port: number }).port);
  return {
    url: own.href,
    refused: () => refused,
    stop() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Encodes an ErrorResponse: type, length (including its own four bytes) and fields. */
function errorMessage(): Buffer {
  const message = Buffer.alloc(5 + REFUSAL.length);
  message.write('E');
  message.writeInt32BE(4 + REFUSAL.length, 1);
  message.write(REFUSAL, 5);
  return message;
}
