import { Failure } from '../../domain/failure/failure.ts';
import { answerMemoryFull } from '../ports/answer-memory.ts';
import type { HeldBytes } from './answer-memory.ts';

/** Bytes below this size are not counted against the memory, because single events of this size are common. */
const UNCOUNTED_BYTES = 256 * 1024;
/**
 * Twice the size of the largest event. A stream that has sent more than this without any output for the client is
 * treated as empty.
 */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Counts the bytes that the upstream has sent since the stream last produced output: an incomplete event, or data that
 * the client does not get.
 */
export class UnproductiveBytes {
  private bytes = 0;
  private held = 0;

  constructor(private readonly memory: HeldBytes) {}

  /** Counts a piece that produced no output. Returns the failure if the total is too large, else `null`. */
  heard(length: number): Failure | null {
    this.bytes += length;
    if (this.bytes <= UNCOUNTED_BYTES) return null;
    if (this.bytes > MOST_BYTES) {
      return new Failure('upstream_error', {
        kind: 'empty_stream',
        message: `The upstream sent ${MOST_BYTES} bytes without any content for the client.`,
      });
    }
    const more = this.bytes - this.held;
    if (!this.memory.take(more)) return answerMemoryFull();
    this.held = this.bytes;
    return null;
  }

  /** Resets the count, because the stream has produced output. */
  said(): void {
    if (this.bytes === 0) return;
    if (this.held > 0) this.memory.give(this.held);
    this.bytes = 0;
    this.held = 0;
  }
}
