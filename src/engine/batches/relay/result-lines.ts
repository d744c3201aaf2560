import { Failure } from '../../../domain/failure/failure.ts';
import type { UpstreamBody } from '../../ports/upstream.ts';
import type { LineBodies } from '../line-bodies.ts';

/** A longer line is skipped, as if the provider had not answered. */
const LONGEST_LINE_BYTES = 32 * 1024 * 1024;
/** A line takes its memory in pieces of this size; the first one is not counted. */
const STEP_BYTES = 1024 * 1024;
const LINE_BREAK = 0x0a;

/** The memory of a long line while it arrives. A provider that an account has chosen itself cannot use up that of others. */
export class LongLine {
  private taken = 0;

  constructor(
    private readonly bodies: Pick<LineBodies, 'take' | 'giveBack'>,
    private readonly accountId: string,
  ) {}

  /** Makes room for a line of this length. Throws if there is none now. */
  grow(length: number): void {
    while (length - this.taken > STEP_BYTES) {
      if (!this.bodies.take(this.accountId, STEP_BYTES)) throw new Error('there is no memory for a result');
      this.taken += STEP_BYTES;
    }
  }

  free(): void {
    for (; this.taken > 0; this.taken -= STEP_BYTES) this.bodies.giveBack(this.accountId, STEP_BYTES);
  }
}

/** Yields the lines of a body without their line breaks; `null` for one that is too long. */
export async function* linesOf(body: UpstreamBody, memory: LongLine): AsyncGenerator<Uint8Array | null> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const take = (piece: Uint8Array) => {
    length += piece.length;
    if (length > LONGEST_LINE_BYTES) {
      pieces = [];
      memory.free();
      return;
    }
    memory.grow(length);
    pieces.push(piece);
  };
  const line = () => {
    const whole = length > LONGEST_LINE_BYTES ? null : Buffer.concat(pieces);
    pieces = [];
    length = 0;
    // The settlement of the line takes memory of its own.
    memory.free();
    return whole;
  };
  for (;;) {
    const chunk = await body.read();
    if (chunk instanceof Failure) throw new Error(`the results could not be read: ${chunk.details.message}`);
    if (chunk === null) break;
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(LINE_BREAK, at);
      take(chunk.slice(at, end < 0 ? chunk.length : end));
      if (end < 0) break;
      if (length > 0) yield line();
      at = end + 1;
    }
  }
  if (length > 0) yield line();
}
