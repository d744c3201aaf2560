import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { extractArchive, verifyArchive } from './archive-reader.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { FORMAT_VERSION, type Manifest } from './manifest.ts';

const FACTS = {
  format: 'switchyard-backup' as const,
  format_version: FORMAT_VERSION,
  version: '1.0.0',
  created_at: '2026-11-29T00:00:00.000Z',
  migrations: ['0001-baseline'],
  variables: [],
};
const MEDIA = `media/202611291850/${'a'.repeat(12)}/${'b'.repeat(26)}-5.png`;

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-archive-'));
  path = join(folder, 'backup.tar');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Writes a complete backup with a database of two megabytes and a media file. */
async function writeBackup(): Promise<void> {
  const pieces: Uint8Array[] = [];
  const writer = new ArchiveWriter({ write: async (bytes) => void pieces.push(Uint8Array.from(bytes)) }, new Date(0));
  await writeFile(join(folder, 'database'), Buffer.alloc(2_000_000, 'd'));
  const database = await open(join(folder, 'database'), 'r');
  await writer.addFile('database.sqlite', 2_000_000, database);
  await database.close();
  await writer.addText(MEDIA, 'image');
  await writer.finish(FACTS);
  await writeFile(path, Buffer.concat(pieces));
}

interface Written {
  readonly name: string;
  readonly text?: string;
  readonly type?: 'file' | 'symlink';
}

/** Writes an archive with these entries and a manifest that lists the files among them. */
async function writeArchive(entries: readonly Written[], change: (manifest: Manifest) => object = (same) => same) {
  const archive = pack();
  const files = entries.map(({ name, text = '' }) => ({
    ...{ name, bytes: text.length },
    sha256: createHash('sha256').update(text).digest('hex'),
  }));
  for (const { name, text = '', type = 'file' } of entries) {
    archive.entry({ name, type, ...(type === 'symlink' ? { linkname: '/etc/passwd' } : {}) }, text);
  }
  archive.entry({ name: 'manifest.json' }, JSON.stringify(change({ ...FACTS, files })));
  archive.finalize();
  const pieces: Uint8Array[] = [];
  for await (const piece of archive) pieces.push(piece as Uint8Array);
  await writeFile(path, Buffer.concat(pieces));
}

test('a backup is read as it was written', async () => {
  await writeBackup();
  const manifest = await verifyArchive(path);
  expect(manifest.files.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['database.sqlite', 2_000_000],
    [MEDIA, 5],
  ]);
  const extracted: Record<string, number> = {};
  await extractArchive(path, manifest, async ({ name }) => ({
    write: async (bytes) => {
      extracted[name] = (extracted[name] ?? 0) + bytes.length;
    },
    keep: async () => {},
    discard: async () => {},
  }));
  expect(extracted).toEqual({ 'database.sqlite': 2_000_000, [MEDIA]: 5 });
});

test('a backup that ends early is refused, wherever it ends', async () => {
  await writeBackup();
  const whole = await readFile(path);
  for (const end of [0, 100, 512, 1_000_000, 2_000_896, 2_001_920, 2_002_432, 2_002_700]) {
    await writeFile(path, whole.subarray(0, end));
    await expect(verifyArchive(path)).rejects.toThrow(/incomplete|damaged/);
  }
});

test('a changed byte is found', async () => {
  await writeBackup();
  const whole = await readFile(path);
  for (const at of [1_000_000, 2_001_408 + 512]) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await writeFile(path, changed);
    await expect(verifyArchive(path)).rejects.toThrow(/checksum|damaged|lacks|not part/);
  }
});

test('a file that is not an archive is refused', async () => {
  await writeFile(path, 'x'.repeat(10_000));
  await expect(verifyArchive(path)).rejects.toThrow('damaged or not a backup');
});

test.each([
  '../outside',
  '/etc/passwd',
  'media/../../outside',
  `media/202611291850/${'a'.repeat(12)}/../${'b'.repeat(26)}-5.png`,
  'other',
  'database.sqlite/x',
])('an archive with the file %s is refused', async (name) => {
  await writeArchive([{ name, text: 'image' }]);
  await expect(verifyArchive(path)).rejects.toThrow('not part of a backup');
});

test('links, repeated files and files beside the manifest are refused', async () => {
  await writeArchive([{ name: 'database.sqlite', type: 'symlink' }]);
  await expect(verifyArchive(path)).rejects.toThrow('is not a file');
  await writeArchive([
    { name: 'database.sqlite', text: 'a' },
    { name: 'database.sqlite', text: 'a' },
  ]);
  await expect(verifyArchive(path)).rejects.toThrow('twice');
  await writeArchive([{ name: 'database.sqlite', text: 'a' }], (manifest) => ({ ...manifest, files: [] }));
  await expect(verifyArchive(path)).rejects.toThrow('does not list');
  await writeArchive([], (manifest) => ({
    ...manifest,
    files: [{ name: 'database.sqlite', bytes: 1, sha256: '0'.repeat(64) }],
  }));
  await expect(verifyArchive(path)).rejects.toThrow('lacks database.sqlite');
});

test('a backup of a newer format names the version that made it', async () => {
  await writeArchive([], (manifest) => ({ ...manifest, format_version: 2, version: '9.0.0' }));
  await expect(verifyArchive(path)).rejects.toThrow('Switchyard 9.0.0 or later');
});

test('a destination that fails ends the writer with its error', async () => {
  let written = 0;
  const full = {
    write: async (bytes: Uint8Array) => {
      written += bytes.length;
      if (written > 500_000) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  };
  await writeFile(join(folder, 'database'), Buffer.alloc(2_000_000, 'd'));
  const database = await open(join(folder, 'database'), 'r');
  await expect(new ArchiveWriter(full, new Date(0)).addFile('database.sqlite', 2_000_000, database)).rejects.toThrow(
    'full',
  );
  await database.close();
});

test('an archive that changes after it was verified is not kept', async () => {
  await writeBackup();
  const manifest = await verifyArchive(path);
  const changed = await readFile(path);
  changed[1_000_000] = (changed[1_000_000] ?? 0) ^ 1;
  await writeFile(path, changed);
  const ended: string[] = [];
  const target = {
    write: async () => {},
    keep: async () => void ended.push('kept'),
    discard: async () => void ended.push('discarded'),
  };
  await expect(extractArchive(path, manifest, async () => target)).rejects.toThrow('checksum');
  expect(ended).toEqual(['discarded']);
});
