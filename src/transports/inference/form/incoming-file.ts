import { type FileHandle, open } from 'node:fs/promises';
import { Failure } from '../../../domain/failure/failure.ts';
import { MemoryFile } from '../../../domain/media/memory-file.ts';
import type { UploadedFile } from '../../../domain/media/uploaded-file.ts';
import type { BodyLease } from '../body-budget.ts';
import type { UploadFolder } from './upload-folder.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Files up to this size stay in memory. It equals the size of `UploadedFile.head`, which is kept in memory for files on disk as well: a
 * lower threshold would save nothing, and most images and audio files are far larger.
 */
export const IN_MEMORY_BYTES = 64 * 1024;
const READ_AT_ONCE = 256 * 1024;

interface Named {
  readonly name: string;
  readonly declaredType: string | null;
}

export interface FilePlaces {
  readonly accountId: string;
  readonly folder: UploadFolder;
  /** Accounts for the bytes in memory. */
  readonly lease: Pick<BodyLease, 'grow'>;
}

/** A file that is being received: its beginning is in memory, and a larger one is also written to disk as a whole. */
export class IncomingFile {
  private head: Bytes | null = null;
  private size = 0;
  private onDisk: { readonly path: string; readonly handle: FileHandle } | null = null;
  private diskBytes = 0;
  private isRemoved = false;

  constructor(
    private readonly named: Named,
    /** The maximum size by the form's rules. */
    private readonly maxBytes: number,
    private readonly places: FilePlaces,
  ) {}

  get length(): number {
    return this.size;
  }

  async write(piece: Uint8Array): Promise<Failure | null> {
    const inHead = piece.subarray(0, Math.max(0, IN_MEMORY_BYTES - this.size));
    if (inHead.length > 0) {
      const refusal = this.places.lease.grow(inHead.length);
      if (refusal !== null) return refusal;
      this.head ??= new Uint8Array(Math.min(IN_MEMORY_BYTES, this.maxBytes));
      this.head.set(inHead, this.size);
    }
    this.size += piece.length;
    if (this.size <= IN_MEMORY_BYTES || this.head === null) return null;
    if (this.onDisk !== null) return this.append(piece);
    const created = await this.places.folder.create(this.maxBytes);
    if (created instanceof Failure) return created;
    this.onDisk = created;
    return (await this.append(this.head)) ?? this.append(piece.subarray(inHead.length));
  }

  async finish(): Promise<UploadedFile | Failure> {
    const head = this.head ?? new Uint8Array(0);
    if (this.onDisk === null) return new MemoryFile(head.slice(0, this.size), this.named);
    const { path, handle } = this.onDisk;
    try {
      await handle.close();
    } catch (error) {
      return this.places.folder.full(String(error));
    }
    return new DiskFile(path, this.size, head, this.named);
  }

  /** Removes the file from disk, finished or not. */
  async remove(): Promise<void> {
    if (this.onDisk === null || this.isRemoved) return;
    this.isRemoved = true;
    const { accountId, folder } = this.places;
    // The only error here is that the handle is already closed.
    await this.onDisk.handle.close().catch(() => undefined);
    await folder.remove(this.onDisk.path);
    folder.giveBack(accountId, this.diskBytes);
  }

  /** Writes a piece to disk. The caller awaits it before reading more, which slows the client down to the disk's rate. */
  private async append(piece: Uint8Array): Promise<Failure | null> {
    const { accountId, folder } = this.places;
    const refusal = folder.take(accountId, piece.length);
    if (refusal !== null || this.onDisk === null) return refusal;
    this.diskBytes += piece.length;
    const { handle } = this.onDisk;
    try {
      for (let written = 0; written < piece.length; ) {
        const { bytesWritten } = await handle.write(piece, written, piece.length - written);
        written += bytesWritten;
      }
      return null;
    } catch (error) {
      return folder.full(String(error));
    }
  }
}

class DiskFile implements UploadedFile {
  readonly name: string;
  readonly declaredType: string | null;

  constructor(
    private readonly path: string,
    readonly size: number,
    readonly head: Uint8Array,
    { name, declaredType }: Named,
  ) {
    this.name = name;
    this.declaredType = declaredType;
  }

  stream(): ReadableStream<Bytes> {
    let handle: FileHandle | null = null;
    let at = 0;
    return new ReadableStream<Bytes>(
      {
        pull: async (controller) => {
          try {
            handle ??= await open(this.path, 'r');
            const room = new Uint8Array(Math.min(READ_AT_ONCE, Math.max(1, this.size - at)));
            const { bytesRead } = await handle.read(room, 0, room.length, at);
            at += bytesRead;
            if (bytesRead > 0) controller.enqueue(room.subarray(0, bytesRead));
            if (at >= this.size || bytesRead === 0) {
              await handle.close();
              controller.close();
            }
          } catch (error) {
            await handle?.close().catch(() => undefined);
            throw error;
          }
        },
        cancel: async () => {
          await handle?.close().catch(() => undefined);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async bytes(): Promise<Bytes> {
    const whole = new Uint8Array(this.size);
    let at = 0;
    for await (const piece of this.stream()) {
      whole.set(piece, at);
      at += piece.length;
    }
    if (at !== this.size) throw new Error('an uploaded file on disk was truncated');
    return whole;
  }
}
