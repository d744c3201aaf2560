import { deserialize, serialize } from 'bun:jsc';

/** Of the messages of one turn, before them: its length in bytes, little-endian. */
const HEAD_BYTES = 4;
/** Ours come nowhere near it; more is a sign that the two sides do not understand each other. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** What of a socket is needed. */
export interface WireSocket {
  /** Gives how many bytes were taken. */
  write(bytes: Uint8Array): number;
  end(): void;
}

interface Said {
  readonly message: unknown;
  readonly onRefused: (error: Error) => void;
}

/**
 * Messages over a stream of bytes between processes of one machine that trust each other: anything that can be cloned. Those of one turn of
 * the event loop are cloned together and share a write: each by itself costs three times as much on either side.
 */
export class Wire {
  readonly #socket: WireSocket;
  readonly #onMessage: (message: unknown) => void;
  /** Said in this turn. */
  #said: Said[] = [];
  /** What the socket has not taken. */
  #rest: Uint8Array | null = null;
  /** What has come and is not whole yet, and how many bytes that is. */
  #parts: Uint8Array[] = [];
  #length = 0;
  /** How many bytes it must be before it is looked at again. */
  #needed = HEAD_BYTES;

  constructor(socket: WireSocket, onMessage: (message: unknown) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
  }

  /**
   * The message must not be changed afterwards.
   *
   * @param onRefused is told why it was not sent: it is no data
   */
  send(message: unknown, onRefused: (error: Error) => void): void {
    this.#said.push({ message, onRefused });
    if (this.#said.length === 1) setImmediate(() => this.#write());
  }

  /** To be called when the socket has drained. */
  drained(): void {
    if (this.#rest === null) return;
    const rest = this.#rest;
    this.#rest = null;
    this.#give(rest);
  }

  end(): void {
    this.#write();
    this.#socket.end();
  }

  #write(): void {
    if (this.#said.length === 0) return;
    const said = this.#said;
    this.#said = [];
    const body = cloneAll(said);
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(body.length);
    this.#give(Buffer.concat([head, body]));
  }

  #give(bytes: Uint8Array): void {
    if (this.#rest !== null) {
      this.#rest = Buffer.concat([this.#rest, bytes]);
      return;
    }
    const written = Math.max(0, this.#socket.write(bytes));
    if (written < bytes.length) this.#rest = bytes.subarray(written);
  }

  /** Throws where these are no messages. */
  received(bytes: Uint8Array): void {
    this.#parts.push(bytes.slice());
    this.#length += bytes.length;
    if (this.#length < this.#needed) return;
    const [only] = this.#parts;
    const all = only !== undefined && this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    const read = this.#readAll(all);
    this.#parts = read === all.length ? [] : [all.subarray(read)];
    this.#length = all.length - read;
  }

  /** Gives how many bytes were read. */
  #readAll(bytes: Uint8Array): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let from = 0;
    this.#needed = HEAD_BYTES;
    while (bytes.length - from >= HEAD_BYTES) {
      const length = view.getUint32(from, true);
      if (length > MAX_BYTES) throw new Error('The other process says what cannot be understood.');
      const end = from + HEAD_BYTES + length;
      this.#needed = HEAD_BYTES + length;
      if (end > bytes.length) break;
      const messages: unknown[] = deserialize(bytes.slice(from + HEAD_BYTES, end));
      from = end;
      this.#needed = HEAD_BYTES;
      for (const message of messages) this.#onMessage(message);
    }
    return from;
  }
}

function cloneAll(said: readonly Said[]): Buffer {
  try {
    return clone(said.map(({ message }) => message));
  } catch {
    return clone(said.flatMap((one) => (isData(one) ? [one.message] : [])));
  }
}

function clone(messages: readonly unknown[]): Buffer {
  return serialize(messages, { binaryType: 'nodebuffer' });
}

function isData({ message, onRefused }: Said): boolean {
  try {
    clone([message]);
    return true;
  } catch (error) {
    onRefused(error instanceof Error ? error : new Error(String(error)));
    return false;
  }
}
