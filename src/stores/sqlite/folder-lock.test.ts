import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../engine/ports/store.ts';
import { sampleEntry } from '../../engine/ports/testing/samples.ts';
import { openSqliteStore } from './sqlite-store.ts';

const silent = () => {};
let folder: string;
let stores: Store[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-lock-'));
  stores = [];
});

afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(exclusive: boolean): Promise<Store> {
  const store = await openSqliteStore({
    path: join(folder, 'switchyard.sqlite'),
    secret: 'lock',
    clock: { nowMs: () => 0, monotonicMs: () => performance.now() },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    exclusive,
  });
  stores.push(store);
  return store;
}

test('closing releases the folder, and a refused gateway does not affect its holder', async () => {
  const first = await open(true);
  await expect(open(true)).rejects.toThrow('Another gateway');
  await expect(open(true)).rejects.toThrow('Another gateway');
  await first.close();
  const second = await open(true);
  await expect(open(true)).rejects.toThrow('Another gateway');
  await second.close();
});

test('a gateway that could not open the database releases the folder', async () => {
  await Bun.write(
    join(folder, 'switchyard.sqlite'),
    'this is no database, and long enough to be sure of that'.repeat(50),
  );
  await expect(open(true)).rejects.toThrow('damaged');
  await expect(open(true)).rejects.toThrow('damaged');
});

test('a gateway drops the leases of the previous one, and a command leaves them alone', async () => {
  const pool = { accountId: 'acme', keyId: null };
  const key = { accountId: 'acme', keyId: 'ci' };
  const gateway = await open(true);
  await gateway.ledger.append(sampleEntry({ amountNanoUsd: 100n }));
  await gateway.ledger.lease(pool, 60n, 60n);
  await gateway.ledger.lease(key, 60n, 60n, 100n);
  const command = await open(false);
  expect((await command.ledger.balance('acme')).leasedNanoUsd).toBe(60n);
  const take = sampleEntry({ idempotencyKey: 'take', kind: 'adjustment', amountNanoUsd: -41n });
  expect(await command.ledger.append(take)).toBe('insufficient');
  await command.close();
  await gateway.close();
  const next = await open(true);
  expect((await next.ledger.balance('acme')).leasedNanoUsd).toBe(0n);
  expect(await next.ledger.lease(pool, 200n, 1n)).toBe(100n);
  expect(await next.ledger.lease(key, 200n, 1n, 100n)).toBe(100n);
});
