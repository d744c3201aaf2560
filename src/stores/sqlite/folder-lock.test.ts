import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../engine/ports/store.ts';
import { StoreOpenError } from '../shared/store-open-error.ts';
import { sampleAccount, sampleEntry } from '../shared/testing/samples.ts';
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

/** Another process that has the folder for itself. */
async function startHolder() {
  const script = join(import.meta.dir, 'testing', 'folder-holder.child.ts');
  const path = join(folder, 'switchyard.sqlite');
  const holder = Bun.spawn([process.execPath, script, path], { stdout: 'pipe', stderr: 'inherit' });
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('open\n');
  return holder;
}

test('a second gateway on the same data folder is refused by name, and gets it once the first was killed', async () => {
  const holder = await startHolder();
  try {
    const refused = open(true);
    await expect(refused).rejects.toBeInstanceOf(StoreOpenError);
    await expect(refused).rejects.toThrow(`Another gateway uses this data folder: ${folder} (process ${holder.pid})`);
  } finally {
    holder.kill('SIGKILL');
  }
  // Not waiting for its end: a supervisor does not either.
  expect(await (await open(true)).directory.hasUsableKey(0)).toBe(false);
});

test('commands work beside a gateway of another process', async () => {
  const holder = await startHolder();
  try {
    const store = await open(false);
    await store.directory.write('all', (writer) => writer.putAccount(sampleAccount()));
    expect(await store.ledger.append(sampleEntry({ amountNanoUsd: 5n }))).toBe('appended');
    expect((await store.ledger.balance('acme')).balanceNanoUsd).toBe(5n);
    expect((await store.ledger.verify()).problems).toEqual([]);
  } finally {
    holder.kill('SIGKILL');
    await holder.exited;
  }
});

test('closing gives the folder up, and being refused takes nothing from the one that has it', async () => {
  const first = await open(true);
  await expect(open(true)).rejects.toThrow('Another gateway');
  await expect(open(true)).rejects.toThrow('Another gateway');
  await first.close();
  const second = await open(true);
  await expect(open(true)).rejects.toThrow('Another gateway');
  await second.close();
});

test('a gateway that could not open the database leaves the folder to the next', async () => {
  await Bun.write(
    join(folder, 'switchyard.sqlite'),
    'this is no database, and long enough to be sure of that'.repeat(50),
  );
  await expect(open(true)).rejects.toThrow('damaged');
  await expect(open(true)).rejects.toThrow('damaged');
});

test('a gateway begins without the leases of the one before, a command leaves them alone', async () => {
  const purse = { accountId: 'acme', keyId: null };
  const key = { accountId: 'acme', keyId: 'ci' };
  const gateway = await open(true);
  await gateway.ledger.append(sampleEntry({ amountNanoUsd: 100n }));
  await gateway.ledger.lease(purse, 60n, 60n);
  await gateway.ledger.lease(key, 60n, 60n, 100n);
  const command = await open(false);
  expect((await command.ledger.balance('acme')).leasedNanoUsd).toBe(60n);
  const take = sampleEntry({ idempotencyKey: 'take', kind: 'adjustment', amountNanoUsd: -41n });
  expect(await command.ledger.append(take)).toBe('insufficient');
  await command.close();
  await gateway.close();
  const next = await open(true);
  expect((await next.ledger.balance('acme')).leasedNanoUsd).toBe(0n);
  expect(await next.ledger.lease(purse, 200n, 1n)).toBe(100n);
  expect(await next.ledger.lease(key, 200n, 1n, 100n)).toBe(100n);
});
