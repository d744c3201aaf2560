import { connect } from 'node:net';

export interface RawReply {
  /** 0 if no response arrived. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Whether the response arrived completely, by its length or its last chunk. */
  readonly isWhole: boolean;
}

export interface RawOptions {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Receives the body so far; the client disconnects when it returns true. */
  readonly leaveWhen?: (body: string) => boolean;
  /** Makes the client disconnect. */
  readonly signal?: AbortSignal;
}

/** Longer than a test keeps its gates closed. */
const HANG_LIMIT_MS = 300_000;

/**
 * Sends a POST over its own connection. Bun's `fetch` allows at most 256 concurrent requests per process, and loses
 * what arrived before a connection broke; this one always resolves.
 */
export function post({ port, path, headers, body, leaveWhen, signal }: RawOptions): Promise<RawReply> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = new AnswerReader();
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer.reply());
    };
    const timer = setTimeout(finish, HANG_LIMIT_MS);
    if (signal?.aborted) return finish();
    signal?.addEventListener('abort', finish);
    socket.on('error', finish);
    socket.on('close', finish);
    socket.on('data', (piece: Buffer) => {
      answer.push(piece);
      if (answer.isWhole || leaveWhen?.(answer.body)) finish();
    });
    const lines = Object.entries({ ...headers, host: `127.0.0.1:${port}`, 'content-length': Buffer.byteLength(body) });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n${body}`);
  });
}

/** Parses an HTTP/1.1 response as it arrives, with a content length or in chunks. */
class AnswerReader {
  body = '';
  isWhole = false;
  private status = 0;
  private headers = new Headers();
  private rest: Buffer = Buffer.alloc(0);
  private hasHead = false;
  private isChunked = false;
  private length = 0;
  private bytes = 0;
  private readonly decoder = new TextDecoder();

  push(piece: Buffer): void {
    this.rest = this.rest.length === 0 ? piece : Buffer.concat([this.rest, piece]);
    if (!this.hasHead && !this.takeHead()) return;
    if (this.isChunked) while (!this.isWhole && this.takeChunk());
    else {
      this.add(this.rest);
      this.rest = Buffer.alloc(0);
      this.isWhole = this.bytes >= this.length;
    }
  }

  reply(): RawReply {
    const { status, headers, body, isWhole } = this;
    return { status, headers, body, isWhole };
  }

  private takeHead(): boolean {
    const end = this.rest.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [first = '', ...lines] = this.rest.subarray(0, end).toString().split('\r\n');
    this.rest = this.rest.subarray(end + 4);
    this.status = Number(first.split(' ')[1]);
    for (const line of lines) this.headers.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1));
    this.isChunked = this.headers.get('transfer-encoding') === 'chunked';
    this.length = Number(this.headers.get('content-length') ?? 0);
    this.hasHead = true;
    return true;
  }

  private takeChunk(): boolean {
    const lineEnd = this.rest.indexOf('\r\n');
    if (lineEnd < 0) return false;
    const length = Number.parseInt(this.rest.subarray(0, lineEnd).toString(), 16);
    if (this.rest.length < lineEnd + 2 + length + 2) return false;
    this.add(this.rest.subarray(lineEnd + 2, lineEnd + 2 + length));
    this.rest = this.rest.subarray(lineEnd + 2 + length + 2);
    this.isWhole = length === 0;
    return true;
  }

  private add(bytes: Buffer): void {
    this.bytes += bytes.length;
    this.body += this.decoder.decode(bytes, { stream: true });
  }
}
