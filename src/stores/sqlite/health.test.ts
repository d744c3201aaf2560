import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../engine/ports/store.ts';
import { sampleChannel, sampleHealth } from '../../engine/ports/testing/samples.ts';
import { openConnection } from './connection.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { copyEmptyDatabase } from './testing/empty-database.ts';

const silent = () => {};
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let path: string;
const stores: Store[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-health-'));
  path = join(folder, 'switchyard.db');
  await copyEmptyDatabase(path);
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  const store = await openSqliteStore({ path, secret: 'health', clock, logger });
  stores.push(store);
  return store;
}

async function openWithChannel(): Promise<Store> {
  const store = await open();
  await store.directory.write('all', (writer) => writer.putChannel(sampleChannel()));
  return store;
}

test('written health survives a restart', async () => {
  const first = await openWithChannel();
  await first.health.write([sampleHealth()]);
  await first.close();
  expect(await (await open()).health.read()).toEqual([sampleHealth()]);
});

test('while another process holds the write lock, reads work, and writes give up soon and work afterwards', async () => {
  const store = await openWithChannel();
  await store.health.write([sampleHealth({ openings: 1 })]);
  const other = openConnection(path, 'NORMAL');
  other.run('BEGIN IMMEDIATE');
  await expect(store.health.write([sampleHealth({ openings: 2 })])).rejects.toThrow('database is locked');
  expect(await store.health.read()).toEqual([sampleHealth({ openings: 1 })]);
  other.run('ROLLBACK');
  other.close();
  await store.health.write([sampleHealth({ openings: 2 })]);
  expect(await store.health.read()).toEqual([sampleHealth({ openings: 2 })]);
});

test('a row that cannot be stored does not leave the others half written', async () => {
  const store = await openWithChannel();
  await store.health.write([sampleHealth({ openings: 1 })]);
  const broken = sampleHealth({ upstreamModel: 'other', openings: 1.5 });
  await expect(store.health.write([sampleHealth({ openings: 2 }), broken])).rejects.toThrow();
  expect(await store.health.read()).toEqual([sampleHealth({ openings: 1 })]);
});

test('a damaged file is reported, so that the process can end', async () => {
  await (await openWithChannel()).close();
  const intact = openConnection(path, 'NORMAL');
  const rootOf = intact.query<{ rootpage: number }, []>(
    "SELECT rootpage FROM sqlite_master WHERE name = 'channel_health'",
  );
  const page = rootOf.get()!.rootpage;
  intact.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
  const damages: unknown[] = [];
  const store = await openSqliteStore({
    path,
    secret: 'health',
    clock,
    logger,
    onFatal: (error) => damages.push(error),
  });
  await expect(store.health.write([sampleHealth()])).rejects.toThrow('malformed');
  expect(damages).toHaveLength(1);
  await store.close();
});
