import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type Pack, pack } from 'tar-stream';
import { type BackupFile, MANIFEST_NAME, type Manifest } from './manifest.ts';

/** The place that the bytes of a backup go to. */
export interface Destination {
  write(bytes: Uint8Array): Promise<void>;
}

/** Writes the files of a backup as a tar archive, with their checksums. The manifest comes last. */
export class ArchiveWriter {
  readonly #pack: Pack = pack();
  readonly #files: BackupFile[] = [];
  readonly #written: Promise<void>;
  readonly #mtime: Date;

  constructor(destination: Destination, mtime: Date) {
    this.#mtime = mtime;
    this.#written = this.#writeTo(destination);
    // The error is reported by the call that waits for it.
    this.#written.catch(() => undefined);
  }

  get files(): readonly BackupFile[] {
    return this.#files;
  }

  /** Adds an open file whose size is `bytes`. */
  addFile(name: string, bytes: number, file: FileHandle): Promise<void> {
    return this.#add(name, bytes, chunksOf(file, bytes));
  }

  addText(name: string, text: string): Promise<void> {
    const content = Buffer.from(text);
    return this.#add(name, content.length, [content]);
  }

  /** Adds the manifest, and resolves when the destination has everything. */
  async finish(manifest: Omit<Manifest, 'files'>): Promise<void> {
    const files = [...this.#files];
    await this.addText(MANIFEST_NAME, `${JSON.stringify({ ...manifest, files }, null, 1)}\n`);
    this.#pack.finalize();
    await this.#written;
  }

  async #add(name: string, bytes: number, content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    const added = Promise.withResolvers<void>();
    const entry = this.#pack.entry({ name, size: bytes, mode: 0o600, mtime: this.#mtime }, (error) =>
      error ? added.reject(error) : added.resolve(),
    );
    // If sending the entry fails, this rejection is never awaited; without a handler it would end the process.
    added.promise.catch(() => undefined);
    const sending = send(entry, content, hash).then(() => added.promise);
    // Nothing drains the entry any more if the destination has failed.
    await Promise.race([sending, this.#written.then(() => sending)]);
    this.#files.push({ name, bytes, sha256: hash.digest('hex') });
  }

  async #writeTo(destination: Destination): Promise<void> {
    // The library does not say the type of its pieces.
    for await (const bytes of this.#pack) await destination.write(bytes as Uint8Array);
  }
}

async function send(
  entry: ReturnType<Pack['entry']>,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  hash: { update(bytes: Uint8Array): unknown },
): Promise<void> {
  for await (const bytes of content) {
    hash.update(bytes);
    if (!entry.write(bytes)) await new Promise<void>((resolve) => entry.once('drain', resolve));
  }
  entry.end(null);
}

const CHUNK_BYTES = 256 * 1024;

/** Reads exactly `bytes` bytes. Throws if the file is shorter. */
async function* chunksOf(file: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error('a file became shorter while it was read');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
