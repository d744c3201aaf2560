import { FILE_CHUNK_BYTES } from '../../domain/batches/stored-file.ts';
import { freeBytes } from '../../domain/own-bytes.ts';
import type { FileStore } from '../ports/file-store.ts';

const LINE_BREAK = 0x0a;
const NO_BYTES = new Uint8Array(0);

/** A line of a file that is not blank. */
export interface InputLine {
  /** Counted from 1, by lines of the file. */
  readonly number: number;
  /** Where it begins in the file, in bytes. */
  readonly offset: number;
  readonly length: number;
  /** Its content, until the next line is read; `null` if it is longer than the bound. */
  readonly bytes: Uint8Array | null;
}

/** Thrown if the file was deleted while it was read. */
export class FileDeleted extends Error {}

/** Reads a file line by line. At most one chunk and one line of `longest` bytes are in memory. */
export async function* inputLines(
  files: Pick<FileStore, 'chunk'>,
  file: { readonly id: string; readonly bytes: number },
  longest: number,
): AsyncGenerator<InputLine> {
  let number = 1;
  let offset = 0;
  let length = 0;
  let pieces: Uint8Array[] = [];
  const take = (piece: Uint8Array) => {
    length += piece.length;
    if (length <= longest) pieces.push(piece);
    else pieces = [];
  };
  const line = (): InputLine | null => {
    const bytes = length > longest ? null : pieces.length === 1 ? (pieces[0] ?? NO_BYTES) : Buffer.concat(pieces);
    return bytes !== null && isBlank(bytes) ? null : { number, offset, length, bytes };
  };
  for (let chunk = 0; chunk * FILE_CHUNK_BYTES < file.bytes; chunk++) {
    const bytes = await files.chunk(file.id, chunk);
    if (bytes === null) throw new FileDeleted();
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(LINE_BREAK, at);
      // The rest of the chunk outlives it.
      take(end < 0 ? bytes.slice(at) : bytes.subarray(at, end));
      if (end < 0) break;
      const found = line();
      if (found !== null) yield found;
      number++;
      offset += length + 1;
      length = 0;
      pieces = [];
      at = end + 1;
    }
    // A file has hundreds of chunks, which the garbage collector would leave behind.
    freeBytes(bytes);
  }
  const last = length === 0 ? null : line();
  if (last !== null) yield last;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
