import { connect, type Socket } from 'node:net';
import { isComplete, type RawAnswer, rawAnswer } from './answer.ts';

/** A connection over which several requests are sent, one after the other. */
export class KeptConnection {
  /** Whether the server has closed it. */
  isClosed = false;
  private received = '';
  private onData = () => {};

  private constructor(private readonly socket: Socket) {
    socket.on('data', (piece: Buffer) => {
      this.received += piece.toString();
      this.onData();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
      this.onData();
    });
  }

  static open(port: number): Promise<KeptConnection> {
    const socket = connect(port, '127.0.0.1');
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('connect', () => resolve(new KeptConnection(socket)));
    });
  }

  /** Sends a request without a body. Resolves to `null` if the connection was closed instead of an answer. */
  get(path: string): Promise<RawAnswer | null> {
    return this.send(`GET ${path} HTTP/1.1\r\nhost: gateway\r\n\r\n`);
  }

  /** Sends a chat request. Resolves to `null` if the connection was closed instead of an answer. */
  chat(key: string, body: object): Promise<RawAnswer | null> {
    const json = JSON.stringify(body);
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      'host: gateway',
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(json)}`,
    ];
    return this.send(`${head.join('\r\n')}\r\n\r\n${json}`);
  }

  close(): void {
    this.socket.destroy();
  }

  private send(text: string): Promise<RawAnswer | null> {
    this.received = '';
    return new Promise((resolve) => {
      this.onData = () => {
        if (isComplete(this.received)) resolve(rawAnswer(this.received));
        else if (this.isClosed) resolve(null);
      };
      this.onData();
      if (!this.isClosed) this.socket.write(text);
    });
  }
}

/** Resolves to whether a connection to the port is refused, which means that nothing listens there. */
export function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}
