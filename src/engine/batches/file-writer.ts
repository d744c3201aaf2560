import { FILE_CHUNK_BYTES } from '../../domain/batches/stored-file.ts';
import type { FileStore } from '../ports/file-store.ts';

/** How long an upload may take; what has been written of it is deleted then. */
export const UPLOAD_MS = 3_600_000;

/** Writes a file in whole chunks. The caller awaits each piece, so at most one chunk is in memory. */
export class FileWriter {
  private chunk = new Uint8Array(FILE_CHUNK_BYTES);
  private filled = 0;
  private chunks = 0;

  constructor(
    private readonly files: Pick<FileStore, 'append' | 'finish'>,
    private readonly fileId: string,
  ) {}

  /** The bytes written so far, including those of the chunk in memory. */
  get bytes(): number {
    return this.chunks * FILE_CHUNK_BYTES + this.filled;
  }

  /** Resolves to `false` if the file was deleted meanwhile. */
  async write(bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + FILE_CHUNK_BYTES - this.filled);
      this.chunk.set(piece, this.filled);
      this.filled += piece.length;
      at += piece.length;
      if (this.filled === FILE_CHUNK_BYTES && !(await this.flush())) return false;
    }
    return true;
  }

  /** Makes the file visible. Resolves to `false` if it was deleted meanwhile. */
  async finish(expiresAtMs: number | null): Promise<boolean> {
    const { bytes } = this;
    if (this.filled > 0 && !(await this.flush())) return false;
    return this.files.finish(this.fileId, bytes, expiresAtMs);
  }

  private async flush(): Promise<boolean> {
    const isOpen = await this.files.append(this.fileId, this.chunks, this.chunk.slice(0, this.filled));
    this.chunks++;
    this.filled = 0;
    return isOpen;
  }
}
