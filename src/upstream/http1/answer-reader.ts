import { type AnswerHead, isHeaderLine, MAX_HEAD_BYTES, MalformedAnswer, parseHead } from './answer-head.ts';

/** Receives the parts of an answer, in this order; nothing follows `ended`. */
export interface AnswerSink {
  began(head: AnswerHead): void;
  /** Receives bytes of the body, and owns them from then on. */
  came(piece: Buffer): void;
  ended(): void;
}

/** The limit for 1xx heads before the final one. */
const MAX_INTERIM = 16;
const MAX_SIZE_LINE = 4 * 1024;
/** No real chunk has a size of 2^48 or more. */
const MAX_SIZE_DIGITS = 12;

const EMPTY = Buffer.alloc(0);
const CR = 13;
const LF = 10;

type State = 'head' | 'fixed' | 'size' | 'data' | 'data-end' | 'trailers' | 'close' | 'over';

/** Replaces the sink of a finished answer, so that an idle connection does not keep it in memory. */
const NOBODY: AnswerSink = { began: () => undefined, came: () => undefined, ended: () => undefined };

/**
 * Parses a connection's answers one after another, however its bytes are split. Its methods throw `MalformedAnswer`, after which the
 * connection is unusable.
 */
export class AnswerReader {
  private sink = NOBODY;
  private state: State = 'head';
  /** The incomplete head, line or trailers so far. */
  private begun: Buffer | null = null;
  private interim = 0;
  /** The remaining bytes of the body, or of the current chunk. */
  private left = 0;
  private trailerBytes = 0;
  /** The line that `takeLine` has found: the buffer and the position in it. */
  private line: Buffer = EMPTY;
  private lineAt = 0;
  private lineEnd = 0;
  /** Whether any bytes have arrived. */
  hasBegun = false;
  /** Whether more bytes have arrived than the answer has: they would be mistaken for the next answer. */
  hasSurplus = false;

  /** Directs the next answer to this sink. */
  begin(sink: AnswerSink): void {
    this.sink = sink;
    this.state = 'head';
    this.begun = null;
    this.interim = 0;
    this.left = 0;
    this.trailerBytes = 0;
    this.line = EMPTY;
    this.hasBegun = false;
    this.hasSurplus = false;
  }

  push(bytes: Buffer): void {
    this.hasBegun = true;
    let rest = bytes;
    while (this.state === 'head') {
      const at = this.readHead(rest);
      if (at < 0) return;
      rest = rest.subarray(at);
    }
    if (rest.length === 0) return;
    if (this.state === 'over') this.hasSurplus = true;
    else this.readBody(rest);
  }

  /** Handles the server's closing of the connection. Throws if the answer is incomplete. */
  close(): void {
    if (this.state === 'over') return;
    if (this.state !== 'close') throw new CutConnection();
    this.end();
  }

  /** Returns where the body begins in `bytes`; -1 if the head is incomplete. */
  private readHead(bytes: Buffer): number {
    const { begun } = this;
    const all = begun === null ? bytes : Buffer.concat([begun, bytes]);
    const from = begun === null ? 0 : Math.max(0, begun.length - 3);
    const end = all.indexOf('\r\n\r\n', from, 'latin1');
    if (end < 0 || end > MAX_HEAD_BYTES) {
      if (all.length > MAX_HEAD_BYTES) throw new MalformedAnswer('an unterminated head');
      refuseOther(all, from);
      this.begun = all;
      return -1;
    }
    this.begun = null;
    const head = parseHead(all.toString('latin1', 0, end));
    const next = end + 4 - (begun?.length ?? 0);
    if (head.status < 200) {
      if (head.status === 101 || ++this.interim > MAX_INTERIM) throw new MalformedAnswer('an interim answer');
      return next;
    }
    this.beginBody(head, next < bytes.length);
    return next;
  }

  private beginBody(head: AnswerHead, hasMore: boolean): void {
    const { framing, length } = head;
    const isEmpty = framing === 'none' || (framing === 'fixed' && length === 0);
    if (framing === 'fixed') {
      this.state = 'fixed';
      this.left = length;
    } else this.state = framing === 'chunked' ? 'size' : 'close';
    this.sink.began(head);
    if (!isEmpty) return;
    this.hasSurplus = hasMore;
    this.end();
  }

  private end(): void {
    const { sink } = this;
    this.state = 'over';
    this.sink = NOBODY;
    sink.ended();
  }

  private readBody(bytes: Buffer): void {
    if (this.state === 'close') {
      this.sink.came(bytes);
      return;
    }
    if (this.state !== 'fixed') {
      this.readChunks(bytes);
      return;
    }
    const { left } = this;
    if (bytes.length < left) {
      this.left = left - bytes.length;
      this.sink.came(bytes);
      return;
    }
    if (bytes.length > left) this.hasSurplus = true;
    this.left = 0;
    this.sink.came(bytes.length === left ? bytes : bytes.subarray(0, left));
    this.end();
  }

  /** Passes on the data of all chunks in these bytes as one piece, compacted in place. */
  private readChunks(bytes: Buffer): void {
    let at = 0;
    let from = -1;
    let to = -1;
    while (at < bytes.length && this.state !== 'over') {
      if (this.state === 'data') {
        const end = Math.min(bytes.length, at + this.left);
        if (from < 0) {
          from = at;
          to = end;
        } else {
          bytes.copyWithin(to, at, end);
          to += end - at;
        }
        this.left -= end - at;
        at = end;
        if (this.left === 0) this.state = 'data-end';
      } else if (this.state === 'trailers') {
        at = this.readTrailer(bytes, at);
      } else at = this.readLine(bytes, at);
    }
    // The same view by `subarray` takes one and a half times as long, for each piece of each stream.
    if (to > from) this.sink.came(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from));
    if (this.state === 'over') {
      this.hasSurplus = at < bytes.length;
      this.end();
    }
  }

  /** Reads the line before a chunk, or the empty one after its data. */
  private readLine(bytes: Buffer, at: number): number {
    const next = this.takeLine(bytes, at, MAX_SIZE_LINE);
    if (next < 0) return bytes.length;
    const { line, lineAt, lineEnd } = this;
    if (this.state === 'data-end') {
      if (lineEnd !== lineAt) throw new MalformedAnswer('the end of a chunk');
      this.state = 'size';
      return next;
    }
    this.left = sizeIn(line, lineAt, lineEnd);
    this.state = this.left === 0 ? 'trailers' : 'data';
    return next;
  }

  /** Drops trailers, since no API uses them, but validates them: an invalid trailer may be another answer. */
  private readTrailer(bytes: Buffer, at: number): number {
    const next = this.takeLine(bytes, at, MAX_HEAD_BYTES);
    if (next < 0) return bytes.length;
    this.trailerBytes += this.lineEnd - this.lineAt + 2;
    if (this.trailerBytes > MAX_HEAD_BYTES) throw new MalformedAnswer('trailers');
    if (this.lineEnd === this.lineAt) this.state = 'over';
    else if (!isHeaderLine(this.line.toString('latin1', this.lineAt, this.lineEnd)))
      throw new MalformedAnswer('trailers');
    return next;
  }

  /** Finds the line that ends in `bytes` and stores its position; returns where the next one begins, or -1 if the line is incomplete. */
  private takeLine(bytes: Buffer, at: number, limit: number): number {
    const end = bytes.indexOf(LF, at);
    const begun = this.begun;
    if ((end < 0 ? bytes.length : end) - at + (begun?.length ?? 0) > limit) throw new MalformedAnswer('a long line');
    if (end < 0) {
      const rest = bytes.subarray(at);
      this.begun = begun === null ? rest : Buffer.concat([begun, rest]);
      return -1;
    }
    if (begun === null) {
      this.line = bytes;
      this.lineAt = at;
      this.lineEnd = end - 1;
    } else {
      this.line = Buffer.concat([begun, bytes.subarray(at, end + 1)]);
      this.lineAt = 0;
      this.lineEnd = this.line.length - 2;
      this.begun = null;
    }
    if (this.lineEnd < this.lineAt || this.line[this.lineEnd] !== CR) throw new MalformedAnswer('a line');
    return end + 1;
  }
}

/** The server closed the connection in the middle of an answer. */
export class CutConnection extends Error {
  readonly code = 'ECONNRESET';
}

/** Rejects bytes that cannot begin a head; otherwise a head of bare line feeds would be awaited until the timeout. */
function refuseOther(bytes: Buffer, from: number): void {
  if (bytes.indexOf('\n\n', from, 'latin1') >= 0) throw new MalformedAnswer('line feeds');
  const seen = Math.min(bytes.length, 5);
  if (bytes.toString('latin1', 0, seen) !== 'HTTP/'.slice(0, seen)) throw new MalformedAnswer('no HTTP');
}

/** Parses the size of a chunk: hexadecimal digits, optionally followed by an extension. */
function sizeIn(line: Buffer, from: number, to: number): number {
  let size = 0;
  let at = from;
  for (; at < to; at++) {
    const digit = digitOf(line[at] ?? 0);
    if (digit < 0) break;
    size = size * 16 + digit;
    if (at - from >= MAX_SIZE_DIGITS) throw new MalformedAnswer('the size of a chunk');
  }
  if (at === from) throw new MalformedAnswer('the size of a chunk');
  const digitsEnd = at;
  // Blanks are allowed only before an extension (RFC 9112, section 7.1.1).
  while (at < to && (line[at] === 32 || line[at] === 9)) at++;
  if (digitsEnd < to && line[at] !== 59) throw new MalformedAnswer('the size of a chunk');
  for (; at < to; at++) if (isControl(line[at] ?? 0)) throw new MalformedAnswer('the extension of a chunk');
  return size;
}

function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function isControl(byte: number): boolean {
  return (byte < 32 && byte !== 9) || byte === 127;
}
