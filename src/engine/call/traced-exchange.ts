import type { ContentRoom, TracedExchange } from '../ports/tracing.ts';

/** The most bytes of a prompt or an answer that are kept for the content of spans. */
const MOST_CONTENT_BYTES = 256 * 1024;
/** The beginning and the end of an answer that are kept otherwise: they have its id and why it ended. */
const HEAD_BYTES = 1024;
const TAIL_BYTES = 4096;
/** The most pieces of the end of an answer that are kept before they are joined. */
const MOST_TAIL_PIECES = 32;
const NOTHING = new Uint8Array(0);
const BOUNDLESS: ContentRoom = { take: () => true, release: () => undefined };

/**
 * The parts of a prompt and its answer that a trace needs, as the client sends and receives them. Without content these are the two ends
 * of the answer. A call may be recorded before its answer is sent, so it is read only when the spans are made.
 */
export class RecordedExchange implements TracedExchange {
  request: Uint8Array | null = null;
  answerType: string | null = null;
  isTooLarge = false;
  private readonly pieces: Uint8Array[] = [];
  private answerBytes = 0;
  /** The bytes that it has taken from the room. */
  private held = 0;
  private isReleased = false;
  private head: Uint8Array = NOTHING;
  /** Pieces whose end is that of the answer so far. */
  private tail: Uint8Array[] = [];
  private tailBytes = 0;

  constructor(
    readonly hasContent: boolean,
    private readonly room: ContentRoom = BOUNDLESS,
  ) {}

  get size(): number {
    return this.held;
  }

  get answer(): Uint8Array | null {
    return this.hasContent && !this.isTooLarge ? Buffer.concat(this.pieces) : null;
  }

  get ends(): readonly [head: Uint8Array, tail: Uint8Array] {
    return [this.head, this.joinedTail()];
  }

  asked(body: Uint8Array): void {
    if (!this.hasContent || !this.holds(body.length)) return;
    this.request = new Uint8Array(body);
  }

  /** Forms hold media, which spans never have. */
  askedByForm(): void {}

  answers(contentType: string | null): void {
    this.answerType = contentType;
  }

  said(piece: Uint8Array): void {
    // Copies: `slice` of a Buffer would keep all of its memory, which may be a whole answer.
    if (this.head.length === 0) this.head = new Uint8Array(piece.subarray(0, HEAD_BYTES));
    this.endsWith(new Uint8Array(piece.subarray(-TAIL_BYTES)));
    if (!this.hasContent || this.isReleased) return;
    this.answerBytes += piece.length;
    if (this.answerBytes > MOST_CONTENT_BYTES) this.giveUp();
    else if (this.holds(piece.length)) this.pieces.push(new Uint8Array(piece));
  }

  end(): void {}

  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.room.release(this.held);
    this.held = 0;
    this.request = null;
    this.pieces.length = 0;
  }

  /** Joins pieces only now and then, since an answer has hundreds. */
  private endsWith(piece: Uint8Array): void {
    this.tail.push(piece);
    this.tailBytes += piece.length;
    if (this.tail.length < MOST_TAIL_PIECES && this.tailBytes <= 2 * TAIL_BYTES) return;
    const joined = this.joinedTail();
    this.tail = [joined];
    this.tailBytes = joined.length;
  }

  private joinedTail(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.tail).subarray(-TAIL_BYTES));
  }

  private holds(bytes: number): boolean {
    if (this.isTooLarge || this.isReleased) return false;
    if (bytes > MOST_CONTENT_BYTES || !this.room.take(bytes)) {
      this.giveUp();
      return false;
    }
    this.held += bytes;
    return true;
  }

  /** Content is exported whole or not at all, like a capture. */
  private giveUp(): void {
    if (this.isTooLarge) return;
    this.isTooLarge = true;
    this.room.release(this.held);
    this.held = 0;
    this.request = null;
    this.pieces.length = 0;
  }
}
