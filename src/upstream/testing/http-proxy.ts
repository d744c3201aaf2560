import net from 'node:net';

export interface TestProxy {
  readonly url: string;
  /** The heads of the requests that it received. */
  readonly heads: string[];
  readonly connections: { opened: number; closed: number };
  close(): void;
}

/**
 * Starts an HTTP proxy that connects to `port` on this machine whatever is requested: it opens tunnels and forwards requests. `answer`
 * replaces its behaviour.
 */
export async function serveProxy(port: number, answer?: (socket: net.Socket) => void): Promise<TestProxy> {
  const heads: string[] = [];
  const connections = { opened: 0, closed: 0 };
  const server = net.createServer((socket) => {
    connections.opened++;
    socket.on('error', () => {});
    socket.on('close', () => connections.closed++);
    socket.once('data', (bytes) => {
      const head = bytes.toString('latin1');
      heads.push(head);
      if (answer !== undefined) {
        answer(socket);
        return;
      }
      const onward = net.connect(port, '127.0.0.1', () => {
        if (head.startsWith('CONNECT ')) socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        else onward.write(bytes);
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      onward.on('close', () => socket.destroy());
      socket.on('close', () => onward.destroy());
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  // A server that listens on a port has an address of this kind.
  const { port: own } = server.address() as net.AddressInfo;
  return { url: `http://127.0.0.1:${own}`, heads, connections, close: () => void server.close() };
}
