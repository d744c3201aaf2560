import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyArchives } from '../../src/engine/admin/ledger/read-ledger.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { sampleCharge, sampleEntry } from '../../src/engine/ports/testing/samples.ts';
import { FileArchiveFolder } from '../../src/stores/ledger-files/archive-folder.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { killedAfter } from '../process/stores/killed.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => START, monotonicMs: () => performance.now() };

let server: SharedTestPostgres;
let url: string;
let folder: string;

beforeEach(async () => {
  server = await sharedTestPostgres();
  url = await server.createMigratedDatabase();
  folder = await mkdtemp(join(tmpdir(), 'switchyard-archive-kill-'));
}, 240_000);
afterEach(async () => {
  await server.dropDatabase(url);
  await rm(folder, { recursive: true });
});

function open(): Promise<Store> {
  return openPostgresStore({ url, secret: 'crash', clock, logger });
}

test('kill -9 while charges are archived leaves correct books, and the archive is continued', async () => {
  const store = await open();
  await store.ledger.append(sampleEntry({ amountNanoUsd: 1_000_000n, atMs: START }));
  const charged = Array.from({ length: 1_500 }, (_, index) => {
    const at = { atMs: START + Math.floor(index / 30) * DAY_MS, requestId: `req-${index}` };
    return store.ledger.charge(
      sampleCharge({ ...at, costNanoUsd: BigInt(index), keyId: index % 3 === 0 ? null : 'ci' }),
    );
  });
  await Promise.all(charged);
  const before = [await store.ledger.balances(), await store.ledger.spending()];
  let next = START + DAY_MS;
  for (let round = 0; round < 5; round++) {
    const now = String(START + 500 * DAY_MS + round * 120_000);
    const lines = 1 + Math.floor(Math.random() * 6);
    const said = await killedAfter(lines, 'ledger-archiver.child.ts', url, folder, String(next), now);
    next = Number(said.at(-1)) + DAY_MS;
    expect((await store.ledger.verify()).problems).toEqual([]);
    expect([await store.ledger.balances(), await store.ledger.spending()]).toEqual(before);
    if (store.ledgerArchive === null) throw new Error('There is no archive.');
    expect(await verifyArchives(store.ledgerArchive, new FileArchiveFolder(folder))).toEqual([]);
  }
  await store.close();
});
