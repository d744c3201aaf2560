import { FILE_CHUNK_BYTES, type StoredFile } from '../../domain/batches/stored-file.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { FileStore } from '../ports/file-store.ts';
import type { RelayedStream } from '../relay/relayed-call.ts';

/** Streams a file chunk by chunk, as fast as the client takes it. A file that is deleted meanwhile ends the connection. */
export class FileStream implements RelayedStream {
  private chunks = 0;

  constructor(
    private readonly files: Pick<FileStore, 'chunk'>,
    private readonly file: Pick<StoredFile, 'id' | 'bytes'>,
  ) {}

  async next(): Promise<Uint8Array | null | Failure> {
    const number = this.chunks++;
    if (number * FILE_CHUNK_BYTES >= this.file.bytes) return null;
    return (await this.files.chunk(this.file.id, number)) ?? fileGone();
  }

  clientLeft(): void {
    this.chunks = Number.MAX_SAFE_INTEGER;
  }
}

/** Reads ranges of a file. Keeps the last chunk, because neighbouring ranges are read at the same time, or one after the other. */
export class FileRanges {
  private last: { readonly number: number; readonly bytes: Promise<Uint8Array | null> } | null = null;

  constructor(
    private readonly files: Pick<FileStore, 'chunk'>,
    private readonly fileId: string,
  ) {}

  /** Resolves to the bytes; `null` if the file was deleted, or is shorter. */
  async read(offset: number, length: number): Promise<Uint8Array | null> {
    const range = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const number = Math.floor((offset + at) / FILE_CHUNK_BYTES);
      const bytes = await this.chunk(number);
      const from = offset + at - number * FILE_CHUNK_BYTES;
      const piece = bytes?.subarray(from, from + length - at) ?? null;
      if (piece === null || piece.length === 0) return null;
      range.set(piece, at);
      at += piece.length;
    }
    return range;
  }

  private async chunk(number: number): Promise<Uint8Array | null> {
    if (this.last?.number === number) return this.last.bytes;
    const read = { number, bytes: this.files.chunk(this.fileId, number) };
    this.last = read;
    let bytes: Uint8Array | null = null;
    try {
      bytes = await read.bytes;
    } finally {
      if (bytes === null && this.last === read) this.last = null;
    }
    return bytes;
  }
}

/** Returns the failure for a file that does not exist, has expired or belongs to another account. */
export function fileGone(): Failure {
  return new Failure('object_not_found', {
    message: 'No such file: it was deleted, has expired, or belongs to another account.',
    kind: 'file_not_found',
    param: 'file_id',
  });
}
