import { FILE_CHUNK_BYTES, type StoredFile } from '../../domain/batches/stored-file.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { freeBytes } from '../../domain/own-bytes.ts';
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

/** A chunk that was read, or is being read. */
interface ReadChunk {
  readonly number: number;
  readonly bytes: Promise<Uint8Array | null>;
  /** The bytes, once they are there. */
  content: Uint8Array | null;
  /** The ranges that still need it. */
  readers: number;
}

/**
 * Reads ranges of a file. Keeps the last chunk, because neighbouring ranges are read at the same time, or one after the other. Earlier ones
 * are freed at once: they live long enough for the garbage collector to leave them behind.
 */
export class FileRanges {
  private last: ReadChunk | null = null;

  constructor(
    private readonly files: Pick<FileStore, 'chunk'>,
    private readonly fileId: string,
  ) {}

  /** Resolves to the bytes; `null` if the file was deleted, or is shorter. */
  async read(offset: number, length: number): Promise<Uint8Array | null> {
    const range = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const number = Math.floor((offset + at) / FILE_CHUNK_BYTES);
      const from = offset + at - number * FILE_CHUNK_BYTES;
      const copied = await this.copy(number, from, range.subarray(at));
      if (copied === 0) return null;
      at += copied;
    }
    return range;
  }

  /** Copies as much as the chunk has; resolves to the number of bytes. */
  private async copy(number: number, from: number, target: Uint8Array): Promise<number> {
    const chunk = this.last?.number === number ? this.last : this.begin(number);
    chunk.readers++;
    try {
      chunk.content = await chunk.bytes;
      const piece = chunk.content?.subarray(from, from + target.length);
      if (piece !== undefined) target.set(piece);
      return piece?.length ?? 0;
    } finally {
      chunk.readers--;
      if (chunk.content === null && this.last === chunk) this.last = null;
      if (this.last !== chunk) freeUnread(chunk);
    }
  }

  private begin(number: number): ReadChunk {
    const before = this.last;
    const chunk = { number, bytes: this.files.chunk(this.fileId, number), content: null, readers: 0 };
    this.last = chunk;
    if (before !== null) freeUnread(before);
    return chunk;
  }
}

function freeUnread({ content, readers }: ReadChunk): void {
  if (content !== null && readers === 0) freeBytes(content);
}

/** Returns the failure for a file that does not exist, has expired or belongs to another account. */
export function fileGone(): Failure {
  return new Failure('object_not_found', {
    message: 'No such file: it was deleted, has expired, or belongs to another account.',
    kind: 'file_not_found',
    param: 'file_id',
  });
}
