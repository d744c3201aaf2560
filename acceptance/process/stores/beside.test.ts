import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../../src/engine/ports/store.ts';
import { sampleAccount, sampleChannel, sampleEntry } from '../../../src/engine/ports/testing/samples.ts';
import { StoreOpenError } from '../../../src/stores/shared/store-open-error.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../../../src/stores/sqlite/sqlite-store.ts';

/* Several processes on one data folder: which of them may open it, and what they see of each other. */

const PROJECT = join(import.meta.dir, '..', '..', '..');
const WRITER_THREAD = join(PROJECT, 'src', 'stores', 'sqlite', 'writer-thread.ts');
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let path: string;
let stores: Store[];
let children: Bun.Subprocess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-beside-'));
  path = join(folder, 'switchyard.sqlite');
  stores = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(({ exited }) => exited));
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: Partial<SqliteStoreOptions> = {}): Promise<Store> {
  const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
  const store = await openSqliteStore({ path, secret: 'lock', clock, logger, ...options });
  stores.push(store);
  return store;
}

/** Starts another process. Its output is read by whoever needs it. */
function start(program: string, ...args: readonly string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, program), ...args], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  children.push(child);
  return child;
}

/** Starts another process that holds the folder exclusively. */
async function startHolder() {
  const holder = start('folder-holder.child.ts', path);
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('open\n');
  return holder;
}

test('processes that start at the same time on a new file all open it', async () => {
  const writers = Array.from({ length: 4 }, () => start('directory-writer.child.ts', path, '1'));
  expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
  const store = await open({ secret: 'crash' });
  expect((await store.directory.read('all')).accounts).toHaveLength(50);
});

test('a second gateway on a data folder is refused by name, and opens it once the first was killed', async () => {
  const holder = await startHolder();
  const refused = open({ exclusive: true });
  await expect(refused).rejects.toBeInstanceOf(StoreOpenError);
  await expect(refused).rejects.toThrow(`Another gateway is using this data folder: ${folder} (process ${holder.pid})`);
  holder.kill('SIGKILL');
  // Does not wait for the process to be reaped, like a supervisor.
  expect(await (await open({ exclusive: true })).directory.hasUsableKey(0)).toBe(false);
});

test('commands work beside a running gateway', async () => {
  await startHolder();
  const store = await open();
  await store.directory.write('all', (writer) => writer.putAccount(sampleAccount()));
  expect(await store.ledger.append(sampleEntry({ amountNanoUsd: 5n }))).toBe('appended');
  expect((await store.ledger.balance('acme')).balanceNanoUsd).toBe(5n);
  expect((await store.ledger.verify()).problems).toEqual([]);
});

test('commands read whole generations of health and change channels while a gateway writes', async () => {
  const gateway = start('health-writer.child.ts', path);
  const said = gateway.stdout.getReader();
  await said.read();
  const commandLine = await open({ secret: 'health' });
  const generations = async () => new Set((await commandLine.health.read()).map(({ requests }) => requests));
  const seen = new Set<number>();
  for (let at = 0; seen.size < 6; at++) {
    const requests = await generations();
    expect(requests.size).toBeLessThanOrEqual(1);
    for (const generation of requests) seen.add(generation);
    if (at % 20 === 0)
      await commandLine.directory.write('all', (writer) => writer.putChannel(sampleChannel({ weight: at + 1 })));
  }
  await gateway.stdin.end();
  const last = Number(new TextDecoder().decode((await said.read()).value));
  expect(await gateway.exited).toBe(0);
  expect([...(await generations())]).toEqual([last]);
});

test('an idle process ends, whether or not the writer thread was closed', async () => {
  await (await open()).close();
  const script = `
    import { WriterThread } from ${JSON.stringify(WRITER_THREAD)};
    const silent = () => {};
    const told = { onDown: silent, onRestarted: silent, onFatal: silent };
    const thread = new WriterThread({ path: ${JSON.stringify(path)}, secret: 's', clock: { nowMs: Date.now }, ...told });
    thread.start();
    await thread.call('ledger', 'giveBack', [{ accountId: 'acme', keyId: null }, 1n]);
  `;
  const file = join(folder, 'child.ts');
  await Bun.write(file, script);
  const child = Bun.spawn([process.execPath, file], { stderr: 'inherit' });
  expect(await child.exited).toBe(0);
});
