import type { AnswerHead } from './answer-head.ts';
import type { Carried, Connection } from './connection.ts';

/** Finds connections for exchanges. */
export interface Carriers {
  /** A resting connection, or a new one where there is none or it `mustBeNew`. */
  carry(exchange: Exchange, mustBeNew: boolean): void;
}

export interface ExchangeRequest {
  /** The head, and a body that is small. */
  readonly head: Buffer;
  /** The rest; `null` where there is none. */
  readonly body: Uint8Array | null;
  /** Whether sending it twice does the same as once. */
  readonly isIdempotent: boolean;
}

/** So much of an answer waits for its reader before the connection is read no further. */
const HELD_BYTES = 256 * 1024;

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One request and its answer. Its promises reject with errors that have a `code`, those of the system, of OpenSSL, or of
 * `MalformedAnswer`; the connection is cut then.
 */
export class Exchange implements Carried {
  private connection: Connection | null = null;
  private sentBytes = 0;
  private answer: AnswerHead | null = null;
  private pieces: Buffer[] = [];
  private heldBytes = 0;
  private isPaused = false;
  private isWhole = false;
  private isEnded = false;
  private error: unknown = null;
  private headWaiting: Waiting<AnswerHead> | null = null;
  private readWaiting: Waiting<Uint8Array | null> | null = null;

  constructor(
    private readonly request: ExchangeRequest,
    private readonly carriers: Carriers,
  ) {}

  /** Before a connection is there; afterwards it is the answer that is waited for. */
  get isConnecting(): boolean {
    return this.connection === null;
  }

  /** Sends the request. */
  head(): Promise<AnswerHead> {
    return new Promise((resolve, reject) => {
      this.headWaiting = { resolve, reject };
      this.carriers.carry(this, false);
    });
  }

  /** The next piece of the body, `null` at its end. One call at a time. */
  read(): Promise<Uint8Array | null> {
    const piece = this.pieces.shift();
    if (piece !== undefined) {
      this.heldBytes -= piece.length;
      if (this.isPaused && this.pieces.length === 0) this.resume();
      return Promise.resolve(piece);
    }
    if (this.isEnded) return Promise.resolve(null);
    if (this.error !== null) return Promise.reject(this.error);
    return new Promise((resolve, reject) => {
      this.readWaiting = { resolve, reject };
    });
  }

  /** The body from here on, whole. */
  bytes(): Promise<Uint8Array> {
    if (this.isEnded) return Promise.resolve(this.all());
    if (this.error !== null) return Promise.reject(this.error);
    this.isWhole = true;
    if (this.isPaused) this.resume();
    return new Promise<Uint8Array | null>((resolve, reject) => {
      this.readWaiting = { resolve, reject };
    }) as Promise<Uint8Array>;
  }

  /** Cuts the connection, unless the answer is over. */
  abort(): void {
    if (this.isEnded || this.error !== null) return;
    this.error = new DOMException('The exchange was cut.', 'AbortError');
    const { connection } = this;
    connection?.cut();
    this.reject();
  }

  get isOver(): boolean {
    return this.isEnded || this.error !== null;
  }

  carriedBy(connection: Connection): void {
    this.connection = connection;
    this.sentBytes = 0;
  }

  unsent(): Uint8Array | null {
    const { head, body } = this.request;
    const { sentBytes } = this;
    if (sentBytes < head.length) return sentBytes === 0 ? head : head.subarray(sentBytes);
    const from = sentBytes - head.length;
    if (body === null || from >= body.length) return null;
    return from === 0 ? body : body.subarray(from);
  }

  sent(bytes: number): void {
    this.sentBytes += bytes;
  }

  began(head: AnswerHead): void {
    this.answer = head;
    const { headWaiting } = this;
    this.headWaiting = null;
    headWaiting?.resolve(head);
  }

  came(piece: Buffer): void {
    const { readWaiting } = this;
    if (readWaiting !== null && !this.isWhole) {
      this.readWaiting = null;
      readWaiting.resolve(piece);
      return;
    }
    this.pieces.push(piece);
    this.heldBytes += piece.length;
    if (this.isWhole || this.isPaused || this.heldBytes < HELD_BYTES) return;
    this.isPaused = true;
    this.connection?.pause();
  }

  ended(): void {
    this.isEnded = true;
    const { connection, answer, readWaiting } = this;
    const isKept = answer?.isKept === true && connection?.hasSurplus === false;
    if (this.isPaused) this.resume();
    if (isKept && answer.keptMs !== null && connection !== null) connection.keptMs = answer.keptMs;
    connection?.done(isKept);
    this.readWaiting = null;
    readWaiting?.resolve(this.isWhole ? this.all() : null);
  }

  failed(error: unknown, isStale: boolean): void {
    if (this.isOver) return;
    // Whether the server has read the request cannot be known once some of it was sent.
    if (isStale && (this.request.isIdempotent || this.sentBytes === 0)) {
      this.connection = null;
      this.carriers.carry(this, true);
      return;
    }
    this.error = error;
    this.reject();
  }

  private reject(): void {
    const { headWaiting, readWaiting } = this;
    this.headWaiting = null;
    this.readWaiting = null;
    headWaiting?.reject(this.error);
    readWaiting?.reject(this.error);
  }

  private resume(): void {
    this.isPaused = false;
    this.connection?.resume();
  }

  private all(): Uint8Array {
    const { pieces } = this;
    this.pieces = [];
    const [only] = pieces;
    return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  }
}
