import { deserialize, serialize } from 'bun:jsc';

/** The frame header: the length of the following messages of one turn in bytes, little-endian. */
const HEAD_BYTES = 4;
/** Far above any real message; a larger frame means that the protocol is out of step. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** The part of a socket that is used. */
export interface WireSocket {
  /** Returns the number of bytes accepted. */
  write(bytes: Uint8Array): number;
  end(): void;
}

interface Said {
  readonly message: unknown;
  readonly onRefused: (error: Error) => void;
}

/**
 * Sends cloneable messages over a byte stream between trusted processes of one machine. Messages of one event loop turn are cloned and
 * written together, since doing so one by one costs three times as much on either side.
 */
export class Wire {
  readonly #socket: WireSocket;
  readonly #onMessage: (message: unknown) => void;
  /** Messages sent in this turn. */
  #said: Said[] = [];
  /** Bytes that the socket has not accepted yet. */
  #rest: Uint8Array | null = null;
  /** The received parts of an incomplete frame, and their total length. */
  #parts: Uint8Array[] = [];
  #length = 0;
  /** The number of bytes needed before the next parse. */
  #needed = HEAD_BYTES;

  constructor(socket: WireSocket, onMessage: (message: unknown) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
  }

  /**
   * Sends a message, which must not be changed afterwards.
   *
   * @param onRefused called if the message cannot be cloned
   */
  send(message: unknown, onRefused: (error: Error) => void): void {
    this.#said.push({ message, onRefused });
    if (this.#said.length === 1) setImmediate(() => this.#write());
  }

  /** Must be called when the socket has drained. */
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

  /** Throws if the bytes are not valid frames. */
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

  /** Returns the number of bytes consumed. */
  #readAll(bytes: Uint8Array): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let from = 0;
    this.#needed = HEAD_BYTES;
    while (bytes.length - from >= HEAD_BYTES) {
      const length = view.getUint32(from, true);
      if (length > MAX_BYTES) throw new Error('The other process sent a message that is too large.');
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
