import { Failure } from '../../domain/failure/failure.ts';
import { answerMemoryFull } from '../ports/answer-memory.ts';
import type { HeldBytes } from './answer-memory.ts';

/** Until then nothing is counted: an event of this size is nothing out of the ordinary. */
const UNCOUNTED_BYTES = 256 * 1024;
/** Twice the largest event. A stream that has sent more and given nothing of it to the client says nothing. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What a stream's upstream has sent since something of it went on: an event that is not complete, or nothing of interest. */
export class QuietBytes {
  private bytes = 0;
  private held = 0;

  constructor(private readonly memory: HeldBytes) {}

  /** Counts a piece that gave nothing; the failure where that is too much. */
  heard(length: number): Failure | null {
    this.bytes += length;
    if (this.bytes <= UNCOUNTED_BYTES) return null;
    if (this.bytes > MOST_BYTES) {
      return new Failure('upstream_error', {
        kind: 'empty_stream',
        message: `The upstream sent ${MOST_BYTES} bytes without anything for the client in them.`,
      });
    }
    const more = this.bytes - this.held;
    if (!this.memory.take(more)) return answerMemoryFull();
    this.held = this.bytes;
    return null;
  }

  /** Something went on to the client. */
  said(): void {
    if (this.bytes === 0) return;
    if (this.held > 0) this.memory.give(this.held);
    this.bytes = 0;
    this.held = 0;
  }
}
