import { Failure } from '../../domain/failure/failure.ts';
import type { UpstreamBody } from '../ports/upstream.ts';
import type { RelayedStream } from './relayed-call.ts';

/** JSON up to this size is read before it is relayed; longer bodies are relayed as they arrive. */
const LOOKED_AT_BYTES = 1024 * 1024;

export interface Beginning {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether these are all bytes of the body. */
  readonly isWhole: boolean;
}

/** Reads a body to its end, or until it is too long to be inspected. */
export async function readBeginning(body: UpstreamBody): Promise<Beginning | Failure> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const piece = await body.read();
    if (piece instanceof Failure) return piece;
    if (piece === null) return { bytes: new Uint8Array(Buffer.concat(pieces)), isWhole: true };
    pieces.push(piece);
    length += piece.length;
    if (length > LOOKED_AT_BYTES) return { bytes: new Uint8Array(Buffer.concat(pieces)), isWhole: false };
  }
}

/** Changes an answer's bytes on their way to the client. */
export interface Passage {
  /** Returns the bytes to relay for a piece, possibly none yet. */
  push(piece: Uint8Array): Uint8Array;
  /** Returns the bytes that were held back. */
  end(): Uint8Array;
}

export interface PassingEnd {
  ended(): Promise<Failure | null>;
  failed(failure: Failure): void;
  left(): void;
}

/** An answer that is relayed piece by piece, as the client reads it. */
export class PassingAnswer implements RelayedStream {
  private isOver = false;

  constructor(
    private readonly body: UpstreamBody,
    private first: Uint8Array | null,
    private readonly passage: Passage | null,
    private readonly end: PassingEnd,
  ) {}

  async next(): Promise<Uint8Array | null | Failure> {
    for (;;) {
      if (this.isOver) return null;
      const piece = this.first ?? (await this.body.read());
      this.first = null;
      if (piece instanceof Failure) return this.fail(piece);
      const out = piece === null ? (this.passage?.end() ?? null) : (this.passage?.push(piece) ?? piece);
      if (piece !== null) {
        if (out !== null && out.length > 0) return out;
        continue;
      }
      const problem = await this.end.ended();
      if (problem !== null) return this.fail(problem);
      this.isOver = true;
      if (out !== null && out.length > 0) return out;
    }
  }

  clientLeft(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.body.cancel();
    this.end.left();
  }

  private fail(failure: Failure): Failure {
    this.isOver = true;
    this.body.cancel();
    this.end.failed(failure);
    return failure;
  }
}
