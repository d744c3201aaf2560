import type { UploadedFile } from './uploaded-file.ts';

/** A file within a body: its own bytes, or their base64 text (RFC 4648, with padding). */
export interface FilePiece {
  readonly file: UploadedFile;
  readonly as: 'bytes' | 'base64';
}

/**
 * A request body made of pieces, so that a large file never has to be in memory. Its length is known, and it can be sent
 * repeatedly.
 */
export class PiecedBody {
  /** The length in bytes. */
  readonly length: number;

  constructor(readonly pieces: readonly (Uint8Array<ArrayBuffer> | FilePiece)[]) {
    this.length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
  }
}

function lengthOf(piece: Uint8Array | FilePiece): number {
  if (piece instanceof Uint8Array) return piece.length;
  const { size } = piece.file;
  return piece.as === 'bytes' ? size : Math.ceil(size / 3) * 4;
}
