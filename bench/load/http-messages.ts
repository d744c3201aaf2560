/** The parts of an HTTP/1.1 head that the load generator and the mock upstream read. */
export interface MessageHead {
  /** The start line, such as `POST /v1/chat/completions HTTP/1.1` or `HTTP/1.1 200 OK`. */
  readonly startLine: string;
  /** The header lines, as received, without the empty one. */
  readonly headerLines: string;
}

export interface MessageListener {
  onHead(head: MessageHead): void;
  /** Receives a piece of the body without the transfer coding; valid only during the call. */
  onBody(fragment: Buffer): void;
  onEnd(): void;
}

type State = 'head' | 'sized-body' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers' | 'until-close';

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const nothing = Buffer.alloc(0);

/**
 * Splits a byte stream into HTTP/1.1 messages. The load generator and the mock upstream share one core and must cost little: a socket with
 * this parser costs a fraction of a full client or server.
 */
export class MessageParser {
  private state: State = 'head';
  private remaining = 0;
  private pending: Buffer = nothing;

  constructor(
    private readonly side: 'request' | 'response',
    private readonly listener: MessageListener,
  ) {}

  push(bytes: Buffer): void {
    let rest = this.pending.length === 0 ? bytes : Buffer.concat([this.pending, bytes]);
    this.pending = nothing;
    while (rest.length > 0) {
      const next = this.step(rest);
      if (next === undefined) {
        this.pending = Buffer.from(rest);
        return;
      }
      rest = next;
    }
  }

  /** Handles the peer's closing: an answer without a length ends here; anything else was truncated and never ends. */
  close(): void {
    if (this.state === 'until-close') this.finish();
  }

  /** Consumes one element and returns what follows, or undefined if the element is not complete yet. */
  private step(bytes: Buffer): Buffer | undefined {
    switch (this.state) {
      case 'head':
        return this.readHead(bytes);
      case 'sized-body':
      case 'chunk-data':
        return this.readCounted(bytes);
      case 'chunk-size':
        return this.readChunkSize(bytes);
      case 'chunk-end':
        return this.readLine(bytes, () => {
          this.state = 'chunk-size';
        });
      case 'trailers':
        return this.readLine(bytes, (line) => {
          if (line.length === 0) this.finish();
        });
      case 'until-close':
        this.listener.onBody(bytes);
        return nothing;
    }
  }

  private readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(headEnd);
    if (end < 0) return undefined;
    const text = bytes.toString('latin1', 0, end);
    const firstBreak = text.indexOf('\r\n');
    const startLine = firstBreak < 0 ? text : text.slice(0, firstBreak);
    const headerLines = firstBreak < 0 ? '' : text.slice(firstBreak + 2);
    this.listener.onHead({ startLine, headerLines });
    this.enterBody(headerLines);
    return bytes.subarray(end + headEnd.length);
  }

  private enterBody(headerLines: string): void {
    if (/^transfer-encoding:.*chunked/im.test(headerLines)) {
      this.state = 'chunk-size';
      return;
    }
    const length = /^content-length: *(\d+)/im.exec(headerLines)?.[1];
    if (length === undefined && this.side === 'response') {
      this.state = 'until-close';
      return;
    }
    this.remaining = Number(length ?? 0);
    this.state = 'sized-body';
    if (this.remaining === 0) this.finish();
  }

  private readCounted(bytes: Buffer): Buffer {
    const taken = Math.min(this.remaining, bytes.length);
    this.listener.onBody(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    this.remaining -= taken;
    if (this.remaining === 0) {
      if (this.state === 'chunk-data') this.state = 'chunk-end';
      else this.finish();
    }
    return bytes.subarray(taken);
  }

  private readChunkSize(bytes: Buffer): Buffer | undefined {
    return this.readLine(bytes, (line) => {
      this.remaining = Number.parseInt(line, 16);
      this.state = this.remaining === 0 ? 'trailers' : 'chunk-data';
    });
  }

  private readLine(bytes: Buffer, use: (line: string) => void): Buffer | undefined {
    const end = bytes.indexOf(lineEnd);
    if (end < 0) return undefined;
    use(bytes.toString('latin1', 0, end));
    return bytes.subarray(end + lineEnd.length);
  }

  private finish(): void {
    this.state = 'head';
    this.listener.onEnd();
  }
}

/** The writing part of both `Bun.connect` and `Bun.listen` sockets. */
interface WritableSocket {
  write(bytes: Uint8Array): number;
}

/** Buffers what a socket does not accept at once and sends it in order when the socket drains. */
export class Outbox {
  private waiting: Buffer[] = [];

  constructor(private readonly socket: WritableSocket) {}

  send(bytes: Buffer): void {
    if (this.waiting.length > 0) {
      this.waiting.push(Buffer.from(bytes));
      return;
    }
    const written = Math.max(0, this.socket.write(bytes));
    // Copied because the caller may reuse its buffer; this is needed only when the socket is full.
    if (written < bytes.length) this.waiting.push(Buffer.from(bytes.subarray(written)));
  }

  drain(): void {
    while (this.waiting.length > 0) {
      const first = this.waiting[0] ?? nothing;
      const written = Math.max(0, this.socket.write(first));
      if (written < first.length) {
        this.waiting[0] = first.subarray(written);
        return;
      }
      this.waiting.shift();
    }
  }
}
