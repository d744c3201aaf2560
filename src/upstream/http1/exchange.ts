import type { HeadListener, UpstreamExchange } from '../upstream-exchange.ts';
import type { AnswerHead } from './answer-head.ts';
import type { Carried, Connection } from './connection.ts';
import type { Place } from './place.ts';
import type { RequestHead } from './request-head.ts';
import { ProxyError } from './tunnel.ts';

/** Finds connections for exchanges. */
export interface Carriers {
  /** Uses an idle connection, or a new one if all are busy or if it `mustBeNew`. */
  carry(exchange: Exchange, mustBeNew: boolean): void;
}

/** When this much of an answer waits for its reader, reading from the connection pauses. */
const HELD_BYTES = 256 * 1024;

/**
 * A buffer in which a head and a small body are joined for one write. All exchanges share it: whatever the system does not accept at once
 * is taken from the head and the body. So no request has its own buffer, which would have to be fetched from cold memory.
 */
const JOINED = Buffer.allocUnsafeSlow(32 * 1024);

/**
 * One request and its answer. Its errors have a `code`, from the system, from OpenSSL, or `MalformedAnswer`; the connection is cut then.
 */
export class Exchange implements Carried, UpstreamExchange {
  private connection: Connection | null = null;
  private sentBytes = 0;
  private headBytes = 0;
  private answer: AnswerHead | null = null;
  private pieces: Buffer[] = [];
  private heldBytes = 0;
  private isPaused = false;
  private isWhole = false;
  private isEnded = false;
  private error: unknown = null;
  private headListener: HeadListener | null = null;
  private reading: PromiseWithResolvers<Uint8Array | null> | null = null;

  constructor(
    protected readonly head: RequestHead,
    private readonly body: Uint8Array | null,
    private readonly carriers: Carriers,
  ) {}

  /** Whether the exchange needs a new connection. */
  protected get mustBeNew(): boolean {
    return false;
  }

  get place(): Place {
    return this.head.place;
  }

  /** Whether there is no connection yet; afterwards the exchange waits for the answer. */
  get isConnecting(): boolean {
    return this.connection === null;
  }

  send(listener: HeadListener): void {
    this.headListener = listener;
    this.carriers.carry(this, this.mustBeNew);
  }

  /** Resolves to the next piece of the body, `null` at its end. One call at a time. */
  read(): Promise<Uint8Array | null> {
    const piece = this.pieces.shift();
    if (piece !== undefined) {
      this.heldBytes -= piece.length;
      if (this.isPaused && this.pieces.length === 0) this.resume();
      return Promise.resolve(piece);
    }
    if (this.isEnded) return Promise.resolve(null);
    if (this.error !== null) return Promise.reject(this.error);
    this.reading = Promise.withResolvers<Uint8Array | null>();
    return this.reading.promise;
  }

  bytes(): Uint8Array | Promise<Uint8Array> {
    if (this.isEnded) return this.all();
    if (this.error !== null) return Promise.reject(this.error);
    this.isWhole = true;
    if (this.isPaused) this.resume();
    this.reading = Promise.withResolvers<Uint8Array | null>();
    // A reader of the whole body gets the body at its end (`ended`).
    return this.reading.promise as Promise<Uint8Array>;
  }

  /** Cuts the connection, unless the answer has ended. */
  abort(): void {
    if (!this.isOver) this.giveUp(new DOMException('The exchange was aborted.', 'AbortError'));
  }

  protected giveUp(error: unknown): void {
    this.error = error;
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
    const { body, sentBytes } = this;
    if (sentBytes === 0) return this.beginning();
    const from = sentBytes - this.headBytes;
    if (from < 0) return this.ownHead().subarray(sentBytes);
    return body === null || from >= body.length ? null : body.subarray(from);
  }

  get isSent(): boolean {
    return this.unsent() === null;
  }

  /** Returns the head, joined with the body if both fit. */
  private beginning(): Uint8Array {
    const { head, body } = this;
    const bodyBytes = body?.length ?? 0;
    if (head.mostBytes + bodyBytes > JOINED.length) return this.ownHead();
    this.headBytes = head.writeTo(JOINED, body);
    if (body !== null) JOINED.set(body, this.headBytes);
    return JOINED.subarray(0, this.headBytes + bodyBytes);
  }

  private ownHead(): Uint8Array {
    const { head, body } = this;
    const bytes = Buffer.allocUnsafe(head.mostBytes);
    this.headBytes = head.writeTo(bytes, body);
    return bytes.subarray(0, this.headBytes);
  }

  sent(bytes: number): void {
    this.sentBytes += bytes;
  }

  began(head: AnswerHead): void {
    // A proxy that reads the request demands its credentials with this status (RFC 9110, section 15.5.8).
    if (head.status === 407 && this.place.proxy !== null && this.place.tls === false) {
      throw new ProxyError('refused', head.status);
    }
    this.answer = head;
    const { headListener } = this;
    this.headListener = null;
    headListener?.headCame(head.status, head.headers);
  }

  came(piece: Buffer): void {
    const { reading } = this;
    if (reading !== null && !this.isWhole) {
      this.reading = null;
      reading.resolve(piece);
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
    const { connection, answer, reading } = this;
    const isKept = answer?.isKept === true && connection?.hasSurplus === false;
    if (this.isPaused) this.resume();
    if (isKept && answer.keptMs !== null && connection !== null) connection.keptMs = answer.keptMs;
    connection?.done(isKept);
    this.reading = null;
    reading?.resolve(this.isWhole ? this.all() : null);
  }

  failed(error: unknown, isStale: boolean): void {
    if (this.isOver) return;
    // Once part of the request was sent, the server may have processed it.
    if (isStale && (this.head.isIdempotent || this.sentBytes === 0)) {
      this.connection = null;
      this.carriers.carry(this, true);
      return;
    }
    this.error = error;
    this.reject();
  }

  protected flush(): void {
    this.connection?.flush();
  }

  private reject(): void {
    const { headListener, reading } = this;
    this.headListener = null;
    this.reading = null;
    headListener?.headLost(this.error);
    reading?.reject(this.error);
  }

  private resume(): void {
    this.isPaused = false;
    this.connection?.resume();
  }

  private all(): Uint8Array {
    const { pieces } = this;
    this.pieces = [];
    const only = pieces[0];
    return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  }
}
