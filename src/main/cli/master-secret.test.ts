import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../stores/sqlite/sqlite-store.ts';
import { type MasterSecretOptions, masterSecret, masterSecretPath } from './master-secret.ts';

let folder: string;
let dataDirectory: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-secret-'));
  dataDirectory = join(folder, 'data');
});

function place(secret: string | null, databaseUrl: string | null = null): MasterSecretOptions {
  return { secret, dataDirectory, databasePath: join(dataDirectory, 'switchyard.sqlite'), databaseUrl };
}

afterEach(() => rm(folder, { recursive: true, force: true }));

test('the master secret is created once, for the owner only, and found again', async () => {
  const secret = await masterSecret(place(null));
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect((await stat(masterSecretPath(dataDirectory))).mode & 0o777).toBe(0o600);
  expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
  expect(await masterSecret(place(null))).toBe(secret);
  expect(await readdir(dataDirectory)).toEqual(['master-secret']);
});

test('the master secret is the same for many concurrent starts', async () => {
  const starts = Array.from({ length: 20 }, () => masterSecret(place(null)));
  const secrets = await Promise.all(starts);
  const kept = (await readFile(masterSecretPath(dataDirectory), 'utf8')).trim();
  expect(new Set(secrets)).toEqual(new Set([kept]));
  expect(await readdir(dataDirectory)).toEqual(['master-secret']);
});

test('the master secret comes from the environment if set, and then no file is written', async () => {
  expect(await masterSecret(place('a secret from outside'))).toBe('a secret from outside');
  await expect(readdir(dataDirectory)).rejects.toThrow('ENOENT');
});

test('a master secret that is too short is refused, and never shown or replaced', async () => {
  await expect(masterSecret(place('short'))).rejects.toThrow(
    'SWITCHYARD_SECRET: the master secret must have at least 16 characters',
  );
  await mkdir(dataDirectory);
  await writeFile(masterSecretPath(dataDirectory), '\n');
  await expect(masterSecret(place(null))).rejects.toThrow('must have at least 16 characters');
  expect(await readFile(masterSecretPath(dataDirectory), 'utf8')).toBe('\n');
});

test('the master secret is not created beside a database of another one', async () => {
  const { databasePath: path } = place(null);
  const silent = () => {};
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => 1 };
  await (await openSqliteStore({ path, secret: 'the secret that is lost', clock, logger })).close();
  await expect(masterSecret(place(null))).rejects.toThrow(
    /is missing, but .*switchyard\.sqlite holds keys .*"switchyard secret forget/,
  );
  expect(await readdir(dataDirectory)).not.toContain('master-secret');
});

test('the master secret is required with PostgreSQL, unless an earlier version stored it in the folder', async () => {
  const url = 'postgres://somewhere/app';
  await expect(masterSecret(place(null, url))).rejects.toThrow(
    /SWITCHYARD_SECRET: is required .*"switchyard secret generate"/,
  );
  await mkdir(dataDirectory);
  await writeFile(masterSecretPath(dataDirectory), 'the secret of an earlier version\n');
  expect(await masterSecret(place(null, url))).toBe('the secret of an earlier version');
});
