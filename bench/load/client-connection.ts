import { MessageParser, Outbox } from './http-messages.ts';
import { marker } from './mock-answers.ts';
import { noncePlaceholder, type RequestTemplate } from './protocol.ts';

/** An empty string for a complete answer, else what was wrong with it. */
export type Problem = string;

const markerByte = marker.charCodeAt(0);
const tailLength = 64;

/** Renders the template once and stamps a fresh number into it for every request. */
export class RequestWriter {
  private readonly bytes: Buffer;
  private readonly nonceAt: number;
  private nonce: number;

  constructor(template: RequestTemplate, port: number) {
    const headers = Object.entries(template.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = Buffer.byteLength(template.body);
    const head = `POST ${template.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers.join('')}Content-Length: ${length}\r\n\r\n`;
    this.bytes = Buffer.from(head + template.body);
    this.nonceAt = this.bytes.indexOf(noncePlaceholder);
    // Starts at random, so that no two runs against one server repeat each other.
    this.nonce = Math.floor(Math.random() * 1e11);
  }

  /** Returns the bytes of the next request, which are valid until the next call. */
  next(): Buffer {
    if (this.nonceAt >= 0) {
      this.nonce += 1;
      this.bytes.write(String(this.nonce).padStart(noncePlaceholder.length, '0'), this.nonceAt, 'latin1');
    }
    return this.bytes;
  }
}

/** A keep-alive connection that carries one request at a time and checks that every answer is complete. */
export class ClientConnection {
  private readonly parser: MessageParser;
  private outbox: Outbox | undefined;
  private done: ((problem: Problem) => void) | undefined;
  private status = 0;
  private markers = 0;
  private tail = '';
  private closed = false;

  private constructor(private readonly template: RequestTemplate) {
    this.parser = new MessageParser('response', {
      onHead: (head) => {
        this.status = Number(head.startLine.slice(9, 12));
      },
      onBody: (fragment) => this.readBody(fragment),
      onEnd: () => this.settle(this.judge()),
    });
  }

  static async open(port: number, template: RequestTemplate): Promise<ClientConnection> {
    const connection = new ClientConnection(template);
    await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open(socket) {
          socket.setNoDelay(true);
          connection.outbox = new Outbox(socket);
          connection.closeSocket = () => socket.end();
        },
        data: (_socket, bytes) => connection.parser.push(bytes),
        drain: () => connection.outbox?.drain(),
        close: () => connection.onClose('connection closed before the response was complete'),
        error: (_socket, error) => connection.onClose(error.message),
      },
    });
    return connection;
  }

  get usable(): boolean {
    return !this.closed;
  }

  /** Sends one request; calls `done` exactly once. */
  send(bytes: Buffer, done: (problem: Problem) => void): void {
    this.status = 0;
    this.markers = 0;
    this.tail = '';
    this.done = done;
    if (this.closed || this.outbox === undefined) this.settle('connection closed before the request was sent');
    else this.outbox.send(bytes);
  }

  close(): void {
    this.closed = true;
    this.closeSocket();
  }

  private closeSocket: () => void = () => {};

  private onClose(reason: string): void {
    this.closed = true;
    this.parser.close();
    this.settle(reason);
  }

  private readBody(fragment: Buffer): void {
    for (let at = fragment.indexOf(markerByte); at >= 0; at = fragment.indexOf(markerByte, at + 1)) this.markers += 1;
    const ending = fragment.toString('latin1', Math.max(0, fragment.length - tailLength), fragment.length);
    this.tail = ending.length === tailLength ? ending : (this.tail + ending).slice(-tailLength);
  }

  private judge(): Problem {
    if (this.status !== 200) return `status ${this.status}, body ends: ${this.tail}`;
    const { expectedMarkers, expectedEnding } = this.template;
    if (this.markers !== expectedMarkers) return `${this.markers} of ${expectedMarkers} content chunks arrived`;
    return this.tail.includes(expectedEnding) ? '' : `the response does not end with ${expectedEnding}: ${this.tail}`;
  }

  private settle(problem: Problem): void {
    const done = this.done;
    this.done = undefined;
    done?.(problem);
  }
}
