import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../../domain/failure/failure.ts';
import { until } from '../../../domain/testing/until.ts';
import { IncomingFile } from './incoming-file.ts';
import { UploadFolder } from './upload-folder.ts';

let path: string;
let folder: UploadFolder;
const errors: object[] = [];
const logger = { ...{ debug() {}, info() {}, warn() {} }, error: (fields: object) => void errors.push(fields) };
const lease = { grow: () => null };

beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'uploads-')), 'tmp', 'uploads');
  folder = new UploadFolder({ path, totalBytes: 1_000_000, logger });
  errors.length = 0;
});
afterEach(async () => {
  folder.close();
  await rm(join(path, '..', '..'), { recursive: true, force: true });
});

const incoming = (accountId = 'acme', maxBytes = 10_000_000) =>
  new IncomingFile({ name: 'a', declaredType: null }, maxBytes, { accountId, folder, lease });

async function written(bytes: number, accountId = 'acme'): Promise<IncomingFile> {
  const file = incoming(accountId);
  expect(await file.write(new Uint8Array(bytes))).toBeNull();
  return file;
}

/** Makes a folder of another process, with a file in it. */
async function folderOf(name: string, ageMs = 0): Promise<string> {
  const other = join(path, name);
  await mkdir(other, { recursive: true });
  await Bun.write(join(other, 'a'), 'a');
  const time = new Date(Date.now() - ageMs);
  await utimes(other, time, time);
  return other;
}

/** Returns the start of this process's folder names, up to the process id. */
async function placeOf(): Promise<string> {
  await (await written(100_000)).remove();
  const [name = ''] = await readdir(path);
  return name.split('-')[0] ?? '';
}

/** Higher than any process id (`PID_MAX_LIMIT` is 4,194,304 on Linux). */
const DEAD_PID = 5_000_000;

describe('a file', () => {
  test('can be read by its owner only', async () => {
    const file = await written(100_000);
    const [own = ''] = await readdir(path);
    const [name = ''] = await readdir(join(path, own));
    const modes = [await stat(join(path, own)), await stat(join(path, own, name))].map(({ mode }) => mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
    await file.remove();
    await file.remove();
    expect([await readdir(join(path, own)), folder.heldBytes]).toEqual([[], 0]);
  });

  test('of up to 64 KiB takes no disk space', async () => {
    const file = await written(65_536);
    expect([await readdir(path).catch(() => []), folder.heldBytes]).toEqual([[], 0]);
    await file.remove();
  });

  test('can be read repeatedly, as a stream and whole, until it is removed', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(65_536));
    const file = incoming();
    for (let piece = 0; piece < 5; piece++) await file.write(bytes);
    const whole = Buffer.concat([bytes, bytes, bytes, bytes, bytes]);
    const finished = await file.finish();
    if (finished instanceof Failure) throw new Error(finished.message);
    expect([finished.size, finished.head.length]).toEqual([327_680, 65_536]);
    for (let time = 0; time < 2; time++) {
      expect(whole.equals(await finished.bytes())).toBe(true);
      expect(whole.equals(Buffer.concat(await Array.fromAsync(finished.stream())))).toBe(true);
    }
    const reader = finished.stream().getReader();
    await reader.read();
    await reader.cancel();
    await file.remove();
    expect(finished.bytes()).rejects.toThrow('ENOENT');
  });
});

describe('the space', () => {
  test('of one account is half of the total', async () => {
    const first = await written(400_000);
    const second = incoming();
    expect(await second.write(new Uint8Array(100_001))).toMatchObject({
      code: 'rate_limit_exceeded',
      kind: 'account_upload_space',
      status: 429,
    });
    await second.remove();
    const third = await written(100_000);
    const other = await written(400_000, 'other');
    for (const file of [first, third, other]) await file.remove();
    expect(folder.heldBytes).toBe(0);
  });

  test('of all accounts is limited', async () => {
    const files = [await written(500_000, 'a'), await written(400_000, 'b')];
    const last = incoming('c');
    expect(await last.write(new Uint8Array(100_001))).toMatchObject({ code: 'storage_unavailable', status: 503 });
    for (const file of [...files, last]) await file.remove();
    expect(folder.heldBytes).toBe(0);
  });

  test('of the disk is never exhausted', async () => {
    expect(await folder.create(Number.MAX_SAFE_INTEGER)).toMatchObject({
      code: 'storage_unavailable',
      kind: 'upload_disk',
      retryAfterSeconds: 10,
    });
  });

  test('that cannot be written is reported and logged', async () => {
    await Bun.write(path, 'a file in the place of the folder');
    expect(await incoming().write(new Uint8Array(100_000))).toMatchObject({ code: 'storage_unavailable' });
    expect(errors).toMatchObject([{ path, reason: 'ENOTDIR' }]);
  });

  test('that was removed is created again', async () => {
    await (await written(100_000)).remove();
    await rm(path, { recursive: true });
    expect(await incoming().write(new Uint8Array(100_000))).toMatchObject({ kind: 'upload_disk' });
    await (await written(100_000)).remove();
  });
});

describe('a sweep', () => {
  test('removes only what dead processes have left', async () => {
    const place = await placeOf();
    const dead = await folderOf(`${place}-${DEAD_PID}-${'0'.repeat(16)}`);
    const before = await folderOf(`${place}-${process.pid}-${'0'.repeat(16)}`);
    const alive = await folderOf(`${place}-${process.ppid}-${'0'.repeat(16)}`);
    const elsewhere = await folderOf(`${'0'.repeat(16)}-${DEAD_PID}-${'0'.repeat(16)}`, 60_000);
    const gone = await folderOf(`${'0'.repeat(16)}-1-${'1'.repeat(16)}`, 700_000);
    const foreign = await folderOf('photos', 700_000);
    const own = await written(100_000);
    await folder.sweep();
    const left = await Promise.all(
      [dead, before, alive, elsewhere, gone, foreign].map((other) => Bun.file(join(other, 'a')).exists()),
    );
    expect(left).toEqual([false, false, true, true, false, true]);
    const finished = await own.finish();
    expect(finished instanceof Failure || (await finished.bytes()).length).toBe(100_000);
    await own.remove();
  });

  test('of a folder that is not there does nothing', () => folder.sweep());
});

test('the end of the process removes all files', async () => {
  const file = await written(100_000);
  folder.close();
  expect(await readdir(path)).toEqual([]);
  await file.remove();
  await until('all is given back', () => folder.heldBytes === 0);
});
