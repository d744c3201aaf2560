import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { bucketOf } from '../../src/stores/media/media-id.ts';
import { SmallDisk } from '../../src/stores/shared/testing/small-disk.ts';

const MIB = 1024 * 1024;
const TIMEOUT_MS = 600_000;
const env = { SWITCHYARD_SECRET: 'the secret of a small disk 0123456789' };

let space: Workspace;
let disk: SmallDisk;

beforeEach(async () => {
  space = await Workspace.create();
  disk = new SmallDisk(6 * MIB);
  await space.run(['accounts', 'create', 'acme'], { env });
  const database = new Database(space.database);
  database.run(`INSERT INTO captures (request_id, account_id, at_ms, bytes, facts, request, answer)
    VALUES ('large', 'acme', 1, 1, '{}', randomblob(${4 * MIB}), randomblob(1))`);
  database.close();
}, TIMEOUT_MS);
afterEach(async () => {
  disk.remove();
  await space.remove();
});

test(
  'a backup to a disk without room is refused and leaves nothing behind',
  async () => {
    const refused = await space.run(['backup', join(disk.folder, 'b.tar')], { env });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/MiB are needed, but .* are free/)]);
    expect(await readdir(disk.folder)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a backup during which the disk becomes full leaves nothing behind',
  async () => {
    const name = `${'b'.repeat(26)}-${(8 * MIB).toString(36)}.png`;
    const folder = space.path('data', 'media', bucketOf(Date.now() + 3_600_000), 'a'.repeat(12));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), Buffer.alloc(8 * MIB));
    const small = new Database(space.database);
    small.run('DELETE FROM captures');
    small.close();
    const refused = await space.run(['backup', join(disk.folder, 'b.tar')], { env });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('the disk is full')]);
    expect(await readdir(disk.folder)).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a restore to a disk without room is refused and leaves nothing behind',
  async () => {
    expect((await space.run(['backup', space.path('b.tar')], { env })).exitCode).toBe(0);
    disk.fill();
    const data = join(disk.folder, 'data');
    const refused = await space.run(['restore', '--data', data, space.path('b.tar')], { env });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/are free|disk is full/)]);
    disk.free();
    expect((await readdir(data).catch(() => [])).filter((name) => name !== 'switchyard.lock')).toEqual([]);
    expect((await space.run(['restore', '--data', data, space.path('b.tar')], { env })).exitCode).toBe(0);
  },
  TIMEOUT_MS,
);
