import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../engine/ports/store.ts';
import { openConnection } from './connection.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { createWriteProbe, writeProbe } from './store-health.ts';
import { WritingConnection } from './writing-connection.ts';

const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let root: string;
let folder: string;
let path: string;
let store: Store;

const problem = async () => {
  await store.storeHealth.check();
  return store.storeHealth.problem;
};

async function openIn(parent: string): Promise<void> {
  folder = join(parent, 'data');
  path = join(folder, 'switchyard.sqlite');
  store = await openSqliteStore({ path, secret: 's', clock, logger, exclusive: true });
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'switchyard-health-'));
});

afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

describe('files beneath an open database', () => {
  beforeEach(() => openIn(root));

  test('are no problem while they stay, however often they are checked', async () => {
    for (let look = 0; look < 5; look++) expect(await problem()).toBeNull();
  });

  test('are reported as missing while they are moved away', async () => {
    expect(await problem()).toBeNull();
    const away = join(root, 'elsewhere');
    renameSync(folder, away);
    expect(await problem()).toBe('the database file is missing');
    renameSync(away, folder);
    expect(await problem()).toBeNull();
  });

  test.each([
    ['the database', ''],
    ['its write-ahead log', '-wal'],
  ])('%s: deleted, and replaced by a copy of itself', async (_name, suffix) => {
    expect(await problem()).toBeNull();
    const file = `${path}${suffix}`;
    const copy = join(root, 'copy');
    copyFileSync(file, copy);
    rmSync(file);
    expect(await problem()).toBe('the database file is missing');
    renameSync(copy, file);
    expect(await problem()).toBe('the database file has been replaced');
  });
});

test('a database that rejects writes says so without naming a path', async () => {
  await openIn(root);
  const connection = new WritingConnection(path);
  const probe = createWriteProbe({ write: (nowMs) => writeProbe(connection, nowMs), path, clock });
  expect(await probe()).toBeNull();
  connection.database.run('PRAGMA query_only = ON');
  expect(await probe()).toBe('the database is read-only');
  connection.database.run('PRAGMA query_only = OFF');
  expect(await probe()).toBeNull();
  connection.close();
});

test('a write of another process is waited for', async () => {
  await openIn(root);
  const other = openConnection(path, 'FULL');
  other.run('BEGIN IMMEDIATE');
  const looking = problem();
  // Calls are processed in this order, so it was tried.
  await store.nodes.living();
  other.run('COMMIT');
  other.close();
  expect(await looking).toBeNull();
});
