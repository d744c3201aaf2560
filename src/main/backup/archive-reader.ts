import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Extract, extract } from 'tar-stream';
import {
  BackupError,
  type BackupFile,
  isBackupFile,
  MANIFEST_NAME,
  type Manifest,
  parseManifest,
  printable,
} from './manifest.ts';

/** A manifest of a million media files has about 150 MB. */
const LARGEST_MANIFEST_BYTES = 256 * 1024 * 1024;

interface Entry {
  readonly name: string;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Receives the content of a file, which is then kept or discarded. */
export interface FileTarget {
  write(bytes: Uint8Array): Promise<void>;
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Reads a whole backup and verifies that it has exactly the files of its manifest, unchanged. Writes nothing. Rejects with a `BackupError`.
 */
export async function verifyArchive(path: string): Promise<Manifest> {
  const found = new Map<string, BackupFile>();
  let manifest: Manifest | null = null;
  await forEachEntry(path, async ({ name, bytes, content }) => {
    if (manifest !== null) throw new BackupError(`the backup continues after its manifest with ${printable(name)}`);
    if (name === MANIFEST_NAME) {
      manifest = parseManifest(await textOf(content, bytes));
      return;
    }
    if (!isBackupFile({ name, bytes }))
      throw new BackupError(`the backup contains ${printable(name)}, which is not part of a backup`);
    if (found.has(name)) throw new BackupError(`the backup contains ${name} twice`);
    found.set(name, { name, bytes, sha256: await digestOf(content) });
  });
  return complete(manifest, found);
}

function complete(manifest: Manifest | null, found: ReadonlyMap<string, BackupFile>): Manifest {
  if (manifest === null) throw new BackupError('the backup is incomplete: it ends before its manifest');
  const listed = new Set(manifest.files.map(({ name }) => name));
  for (const file of manifest.files) {
    const other = found.get(file.name);
    if (other === undefined) throw new BackupError(`the backup lacks ${file.name}`);
    if (other.bytes !== file.bytes || other.sha256 !== file.sha256) throw changed(file.name);
  }
  for (const name of found.keys()) {
    if (!listed.has(name)) throw new BackupError(`the backup contains ${name}, which its manifest does not list`);
  }
  return manifest;
}

/**
 * Extracts the files of a verified backup. No file gets more bytes than the manifest says. Rejects with a `BackupError` if the archive has
 * changed since it was verified.
 *
 * @param open returns a writer for a file, or `null` to skip it
 */
export async function extractArchive(
  path: string,
  manifest: Manifest,
  open: (file: BackupFile) => Promise<FileTarget | null>,
): Promise<void> {
  const listed = new Map(manifest.files.map((file) => [file.name, file]));
  await forEachEntry(path, async ({ name, bytes, content }) => {
    if (name === MANIFEST_NAME) return drain(content);
    const file = listed.get(name);
    if (file === undefined || file.bytes !== bytes) throw changed(name);
    const target = await open(file);
    if (target === null) return drain(content);
    try {
      const hash = createHash('sha256');
      for await (const piece of content) {
        hash.update(piece);
        await target.write(piece);
      }
      if (hash.digest('hex') !== file.sha256) throw changed(name);
    } catch (error) {
      await target.discard();
      throw error;
    }
    await target.keep();
    listed.delete(name);
  });
}

function changed(name: string): BackupError {
  return new BackupError(`the checksum of ${printable(name)} does not match: the backup is damaged; use another one`);
}

async function forEachEntry(path: string, visit: (entry: Entry) => Promise<void>): Promise<void> {
  const archive = extract();
  const feeding = feed(path, archive);
  // An error while reading also ends the iteration below, which reports it.
  feeding.catch(() => undefined);
  try {
    for await (const entry of archive) {
      const { name, type, size = 0 } = entry.header;
      if (type !== 'file') throw new BackupError(`the backup contains ${printable(name)}, which is not a file`);
      await visit({ name, bytes: size, content: bytesOf(entry) });
    }
  } catch (error) {
    throw isDamage(error) ? new BackupError(`the file is damaged or not a backup (${error.message})`) : error;
  }
  await feeding;
}

async function feed(path: string, archive: Extract): Promise<void> {
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      if (archive.destroyed) return;
      if (!archive.write(bytes) && !archive.destroyed) await drained(archive);
    }
    archive.end(null);
  } catch (error) {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

/** Resolves when the archive takes more, or is closed. */
function drained(archive: Extract): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      archive.off('drain', goOn);
      archive.off('close', goOn);
      resolve();
    };
    archive.on('drain', goOn);
    archive.on('close', goOn);
  });
}

async function* bytesOf(entry: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  // The library does not say the type of its pieces.
  for await (const bytes of entry) yield bytes as Uint8Array;
}

/** Whether the error is one of the archive's format, whose errors have no code. */
function isDamage(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof BackupError) && !('code' in error);
}

async function textOf(content: AsyncIterable<Uint8Array>, bytes: number): Promise<string> {
  if (bytes > LARGEST_MANIFEST_BYTES) throw new BackupError(`${MANIFEST_NAME} is too large`);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function digestOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of content) hash.update(piece);
  return hash.digest('hex');
}

async function drain(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of content);
}
