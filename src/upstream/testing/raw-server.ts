import net from 'node:net';
import tls from 'node:tls';
import { CERTIFICATE, CERTIFICATE_KEY } from './self-signed-certificate.ts';

export interface RawServer {
  readonly port: number;
  /** The heads of the requests that arrived. */
  readonly requests: string[];
  readonly connections: { opened: number; closed: number };
  close(): void;
}

/** Starts a server whose every byte the test controls; it counts connections and requests. */
export async function serveRaw(answer: string | ((socket: net.Socket) => void), secure = false): Promise<RawServer> {
  const requests: string[] = [];
  const connections = { opened: 0, closed: 0 };
  const onSocket = (socket: net.Socket) => {
    connections.opened++;
    socket.on('error', () => {});
    socket.on('close', () => connections.closed++);
    socket.once('data', (head) => {
      requests.push(head.toString());
      if (typeof answer === 'string') socket.end(answer);
      else answer(socket);
    });
  };
  const server = secure
    ? tls.createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, onSocket)
    : net.createServer(onSocket);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  server.on('tlsClientError', () => {});
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as net.AddressInfo;
  return { port, requests, connections, close: () => void server.close() };
}
