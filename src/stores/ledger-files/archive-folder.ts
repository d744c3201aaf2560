import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import {
  type ArchivedCharge,
  ArchiveFileError,
  type ArchiveFolder,
  type ArchiveHeader,
} from '../../engine/ports/ledger-archive.ts';
import { errorCodeOf } from '../shared/error-code.ts';
import { chargeFrom, chargeLine, damaged, headerFrom, headerLine } from './charge-lines.ts';

/** The number of charges in memory while a file is read. */
const BATCH = 500;

/** Stores archives as gzipped JSON lines, readable only by their owner. */
export class FileArchiveFolder implements ArchiveFolder {
  constructor(private readonly folder: string) {}

  async write(name: string, header: ArchiveHeader, charges: AsyncIterable<readonly ArchivedCharge[]>): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const draft = join(this.folder, `${name}.partial`);
    const file = await open(draft, 'w', 0o600);
    try {
      async function* lines() {
        yield `${headerLine(header)}\n`;
        for await (const batch of charges) yield `${batch.map((charge) => `${chargeLine(charge)}\n`).join('')}`;
      }
      const sink = async (bytes: AsyncIterable<Buffer>) => {
        for await (const piece of bytes) await file.appendFile(piece);
      };
      await pipeline(Readable.from(lines()), createGzip(), sink);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(this.folder, name));
    await syncFolder(this.folder);
  }

  async sha256(name: string): Promise<string | null> {
    const hash = createHash('sha256');
    try {
      for await (const piece of createReadStream(join(this.folder, name))) hash.update(piece);
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return null;
      throw error;
    }
    return hash.digest('hex');
  }

  async read(name: string) {
    const lines = linesOf(join(this.folder, name), name);
    const first = await lines.next();
    if (first.done) throw damaged(name);
    const header = headerFrom(first.value, name);
    return { header, charges: () => batchesOf(lines, name) };
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }
}

async function* batchesOf(
  lines: AsyncGenerator<string, void>,
  name: string,
): AsyncGenerator<readonly ArchivedCharge[], void> {
  let batch: ArchivedCharge[] = [];
  for await (const line of lines) {
    batch.push(chargeFrom(line, name));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Throws `ArchiveFileError` if the file is missing, truncated or not compressed. */
async function* linesOf(path: string, name: string): AsyncGenerator<string, void> {
  const source = createReadStream(path);
  const gunzip = createGunzip();
  const passing = pipeline(source, gunzip);
  // Awaited below; until then a failure must not count as unhandled.
  passing.catch(() => undefined);
  try {
    for await (const line of createInterface({ input: gunzip, crlfDelay: Number.POSITIVE_INFINITY })) yield line;
    await passing;
  } catch (error) {
    if (error instanceof ArchiveFileError) throw error;
    if (errorCodeOf(error) === 'ENOENT') throw new ArchiveFileError(`"${name}" is missing`);
    throw damaged(name);
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

/** Makes the name of a new file durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
