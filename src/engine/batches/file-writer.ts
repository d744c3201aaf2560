import { FILE_CHUNK_BYTES } from '../../domain/batches/stored-file.ts';
import type { FileStore } from '../ports/file-store.ts';

/** How long an upload may take; what has been written of it is deleted then. */
export const UPLOAD_MS = 3_600_000;

/** A code unit of a text takes at most these bytes in UTF-8. */
const MOST_BYTES_PER_UNIT = 3;
const LINE_BREAK = 0x0a;
const utf8 = new TextEncoder();

/** Writes a file in whole chunks. The caller awaits each piece, so at most one chunk is in memory, which is used again for the next one. */
export class FileWriter {
  private readonly chunk = new Uint8Array(FILE_CHUNK_BYTES);
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

  /** Writes a text and a line break; otherwise like `write`. A line that fits into the chunk is not copied elsewhere first. */
  async writeLine(text: string): Promise<boolean> {
    const room = this.chunk.length - this.filled;
    if (text.length * MOST_BYTES_PER_UNIT >= room) return this.write(utf8.encode(`${text}\n`));
    this.filled += utf8.encodeInto(text, this.chunk.subarray(this.filled)).written;
    this.chunk[this.filled++] = LINE_BREAK;
    return this.filled < FILE_CHUNK_BYTES || this.flush();
  }

  /** Makes the file visible. Resolves to `false` if it was deleted meanwhile. */
  async finish(expiresAtMs: number | null): Promise<boolean> {
    const { bytes } = this;
    if (this.filled > 0 && !(await this.flush())) return false;
    return this.files.finish(this.fileId, bytes, expiresAtMs);
  }

  private async flush(): Promise<boolean> {
    const isOpen = await this.files.append(this.fileId, this.chunks, this.chunk.subarray(0, this.filled));
    this.chunks++;
    this.filled = 0;
    return isOpen;
  }
}
