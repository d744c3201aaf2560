import type { CapturedBody, Omission } from '../ports/capture-store.ts';

/** How much of a body is kept. */
export const MOST_CAPTURED_BYTES = 256 * 1024;
const FIRST_ROOM_BYTES = 4 * 1024;

/** Memory that captures share. */
export interface CaptureRoom {
  /** Whether there is so much left; then it is taken. */
  take(bytes: number): boolean;
}

/** The first bytes of a body, as they come. */
export class HeldBody {
  /** There was no memory for it. */
  isStarved = false;
  private room = new Uint8Array(0);
  private kept = 0;
  private size: number | null = null;
  private contentType: string | null = null;
  private omitted: Omission | null = 'not_read';

  constructor(private readonly memory: CaptureRoom) {}

  /** How much memory it has taken. */
  get taken(): number {
    return this.room.length;
  }

  /** The body has begun. */
  is(contentType: string | null, omitted: Omission | null): void {
    this.contentType = contentType;
    this.omitted = omitted;
    this.size = omitted === 'form' ? null : 0;
  }

  add(piece: Uint8Array): void {
    this.size = (this.size ?? 0) + piece.length;
    if (this.omitted !== null) return;
    const length = Math.min(piece.length, MOST_CAPTURED_BYTES - this.kept);
    if (length === 0 || !this.hasRoomFor(this.kept + length)) return;
    this.room.set(piece.subarray(0, length), this.kept);
    this.kept += length;
  }

  end(): CapturedBody {
    const { size, contentType, omitted } = this;
    return { bytes: this.room.subarray(0, this.kept), size, contentType, omitted };
  }

  private hasRoomFor(bytes: number): boolean {
    if (bytes <= this.room.length) return true;
    const wanted = Math.min(MOST_CAPTURED_BYTES, Math.max(bytes, FIRST_ROOM_BYTES, this.room.length * 2));
    if (this.isStarved || !this.memory.take(wanted - this.room.length)) {
      this.isStarved = true;
      return false;
    }
    const larger = new Uint8Array(wanted);
    larger.set(this.room.subarray(0, this.kept));
    this.room = larger;
    return true;
  }
}
