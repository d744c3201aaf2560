import { deserialize, serialize } from 'bun:jsc';

/** Of a message, before it: its length in bytes, little-endian. */
const HEAD_BYTES = 4;
/** No message of ours comes near it; more is a sign that the two sides do not understand each other. */
const MAX_BYTES = 1024 * 1024 * 1024;

/** What of a socket is needed. */
export interface WireSocket {
  /** Gives how many bytes were taken. */
  write(bytes: Uint8Array): number;
  end(): void;
}

/** Messages over a stream of bytes between processes of one machine that trust each other: anything that can be cloned. */
export class Wire {
  readonly #socket: WireSocket;
  readonly #onMessage: (message: unknown) => void;
  /** What waits to be written, oldest first. */
  #out: Uint8Array[] = [];
  #isScheduled = false;
  #in: Uint8Array = new Uint8Array(0);

  constructor(socket: WireSocket, onMessage: (message: unknown) => void) {
    this.#socket = socket;
    this.#onMessage = onMessage;
  }

  /** Those of one turn of the event loop share a write. Throws a `DataCloneError` for what is no data. */
  send(message: unknown): void {
    const body = serialize(message, { binaryType: 'nodebuffer' });
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(body.length);
    this.#out.push(head, body);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.flush());
  }

  /** Writes as much as the socket takes; to be called when it has drained, too. */
  flush(): void {
    this.#isScheduled = false;
    const [only] = this.#out;
    if (only === undefined) return;
    const bytes = this.#out.length === 1 ? only : Buffer.concat(this.#out);
    const written = Math.max(0, this.#socket.write(bytes));
    this.#out = written === bytes.length ? [] : [bytes.subarray(written)];
    // The rest goes when the socket has drained; until then messages only gather.
    this.#isScheduled = this.#out.length > 0;
  }

  /** Throws where these are no messages. */
  received(bytes: Uint8Array): void {
    this.#in = this.#in.length === 0 ? bytes.slice() : Buffer.concat([this.#in, bytes]);
    let from = 0;
    for (let end = this.#endOf(from); end !== null; end = this.#endOf(from)) {
      const message = this.#in.slice(from + HEAD_BYTES, end);
      from = end;
      this.#onMessage(deserialize(message));
    }
    this.#in = this.#in.subarray(from);
  }

  end(): void {
    this.flush();
    this.#socket.end();
  }

  /** Where the message that begins at `from` ends, if all of it is there. */
  #endOf(from: number): number | null {
    if (this.#in.length < from + HEAD_BYTES) return null;
    const length = new DataView(this.#in.buffer, this.#in.byteOffset + from).getUint32(0, true);
    if (length > MAX_BYTES) throw new Error('The other process says what cannot be understood.');
    const end = from + HEAD_BYTES + length;
    return end <= this.#in.length ? end : null;
  }
}
