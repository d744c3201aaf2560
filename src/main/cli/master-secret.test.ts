import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { masterSecret, masterSecretPath } from './master-secret.ts';

let folder: string;
let dataDirectory: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-secret-'));
  dataDirectory = join(folder, 'data');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

test('is made once, for the owner alone, and found again', async () => {
  const secret = await masterSecret({ secret: null, dataDirectory });
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect((await stat(masterSecretPath(dataDirectory))).mode & 0o777).toBe(0o600);
  expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
  expect(await masterSecret({ secret: null, dataDirectory })).toBe(secret);
  expect(await readdir(dataDirectory)).toEqual(['master-secret']);
});

test('is the same for all of many starts at once', async () => {
  const starts = Array.from({ length: 20 }, () => masterSecret({ secret: null, dataDirectory }));
  const secrets = await Promise.all(starts);
  const kept = (await readFile(masterSecretPath(dataDirectory), 'utf8')).trim();
  expect(new Set(secrets)).toEqual(new Set([kept]));
  expect(await readdir(dataDirectory)).toEqual(['master-secret']);
});

test('comes from the environment where it is set, and then no file is made', async () => {
  expect(await masterSecret({ secret: 'a secret from outside', dataDirectory })).toBe('a secret from outside');
  await expect(readdir(dataDirectory)).rejects.toThrow('ENOENT');
});

test('that is too short is refused, and never shown or replaced', async () => {
  await expect(masterSecret({ secret: 'short', dataDirectory })).rejects.toThrow(
    'SWITCHYARD_SECRET: the master secret must have at least 16 characters',
  );
  await mkdir(dataDirectory);
  await writeFile(masterSecretPath(dataDirectory), '\n');
  await expect(masterSecret({ secret: null, dataDirectory })).rejects.toThrow('must have at least 16 characters');
  expect(await readFile(masterSecretPath(dataDirectory), 'utf8')).toBe('\n');
});
