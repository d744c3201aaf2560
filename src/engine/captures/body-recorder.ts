import type { CapturedBody, Omission } from '../ports/capture-store.ts';

/** The most bytes of a body that are kept. */
export const MOST_CAPTURED_BYTES = 256 * 1024;
const FIRST_ROOM_BYTES = 4 * 1024;

/** The memory that captures share. */
export interface CaptureRoom {
  /** Takes this many bytes if they are available, and returns whether they were. */
  take(bytes: number): boolean;
}

/** The first bytes of a body, collected as they arrive. */
export class BodyRecorder {
  /** Whether the memory was exhausted. */
  isStarved = false;
  private room = new Uint8Array(0);
  private kept = 0;
  private size: number | null = null;
  private contentType: string | null = null;
  private omitted: Omission | null = 'not_read';

  constructor(private readonly memory: CaptureRoom) {}

  /** The number of bytes of memory that it has taken. */
  get taken(): number {
    return this.room.length;
  }

  /** Marks the beginning of the body. */
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
