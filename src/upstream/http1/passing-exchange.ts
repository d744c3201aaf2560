import type { AnswerHead } from './answer-head.ts';
import type { Connection } from './connection.ts';
import { type Carriers, Exchange } from './exchange.ts';
import type { RequestHead } from './request-head.ts';

/** A body that is read as the connection has room for it. */
export interface PassingBytes {
  readonly stream: ReadableStream<Bytes>;
  /** `null` if unknown, in which case the body is sent chunked. */
  readonly length: number | null;
}

/** The body does not have its announced length, so the server would wait for more, or take a part of it for another request. */
export class WrongLength extends Error {}

type Bytes = Uint8Array<ArrayBuffer>;

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Bytes | undefined }>;
  cancel(): Promise<void>;
}

const EMPTY = Buffer.alloc(0);
const LINE_END = '\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/**
 * An exchange whose request body is still arriving. It uses a new connection, since it cannot be sent again if a reused one turns out to be
 * closed. At most one piece is in memory; the next is read once the socket has accepted all before it.
 *
 * An answer that arrives first ends the sending: an error at once, since the request will not become valid; a success once it has ended,
 * since a server may answer while it reads.
 */
export class PassingExchange extends Exchange {
  private reader: Reader | null = null;
  /** The piece that is being sent, and how much of it was. */
  private sending: Uint8Array | null = null;
  private sentOf = 0;
  /** The last piece of a body of known length, held back until it is certain that nothing follows. */
  private held: Bytes | null = null;
  private left: number | null;
  private state: 'reading' | 'waiting' | 'last' | 'sent' | 'stopped' = 'waiting';

  constructor(
    head: RequestHead,
    private readonly coming: PassingBytes,
    carriers: Carriers,
  ) {
    super(head, null, carriers);
    this.left = coming.length;
  }

  protected override get mustBeNew(): boolean {
    return true;
  }

  override carriedBy(connection: Connection): void {
    super.carriedBy(connection);
    this.sending = this.head.passing(this.coming.length);
  }

  override get isSent(): boolean {
    return this.state === 'sent';
  }

  override unsent(): Uint8Array | null {
    if (this.state === 'stopped') return null;
    if (this.sending !== null) return this.sentOf === 0 ? this.sending : this.sending.subarray(this.sentOf);
    if (this.state === 'waiting') this.readOn();
    return null;
  }

  override sent(bytes: number): void {
    this.sentOf += bytes;
    if (this.sending === null || this.sentOf < this.sending.length) return;
    this.sending = null;
    this.sentOf = 0;
    if (this.state === 'last') this.state = 'sent';
  }

  override began(head: AnswerHead): void {
    if (head.status >= 300) this.stop();
    super.began(head);
  }

  override ended(): void {
    this.stop();
    super.ended();
  }

  override failed(error: unknown): void {
    this.stop();
    super.failed(error, false);
  }

  override abort(): void {
    this.stop();
    super.abort();
  }

  private readOn(): void {
    this.state = 'reading';
    this.reader ??= this.coming.stream.getReader() as Reader;
    this.reader.read().then(
      ({ done, value }) => this.take(done || value === undefined ? null : value),
      (error: unknown) => this.spoiled(error),
    );
  }

  /** Handles a piece of the body; `null` is its end. */
  private take(piece: Bytes | null): void {
    if (this.state !== 'reading') return;
    if (this.left === null) this.chunk(piece);
    else this.count(piece, this.left - (piece?.length ?? 0));
  }

  private count(piece: Bytes | null, left: number): void {
    this.left = left;
    if (left < 0 || (piece === null && left > 0)) this.spoiled(new WrongLength());
    else if (piece === null) this.offer(this.held ?? EMPTY, true);
    else if (left > 0) this.offer(piece, false);
    else {
      if (piece.length > 0) this.held = piece;
      this.readOn();
    }
  }

  private chunk(piece: Uint8Array | null): void {
    if (piece === null) this.offer(LAST_CHUNK, true);
    else if (piece.length === 0) this.readOn();
    else {
      const size = Buffer.from(`${piece.length.toString(16)}${LINE_END}`);
      this.offer(Buffer.concat([size, piece, Buffer.from(LINE_END)]), false);
    }
  }

  private offer(bytes: Uint8Array, isLast: boolean): void {
    this.sending = bytes.length === 0 ? null : bytes;
    this.state = !isLast ? 'waiting' : bytes.length === 0 ? 'sent' : 'last';
    this.held = null;
    this.flush();
  }

  /** Fails the exchange: the request cannot be completed, so its connection must be closed. */
  private spoiled(error: unknown): void {
    if (this.state !== 'reading') return;
    this.stop();
    this.giveUp(error);
  }

  private stop(): void {
    if (this.state === 'sent' || this.state === 'stopped') return;
    this.state = 'stopped';
    this.sending = null;
    this.held = null;
    this.reader?.cancel().catch(() => {});
  }
}
