import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../engine/ports/store.ts';
import type { UpgradePlan } from '../shared/upgrade-plan.ts';
import { openConnection } from './connection.ts';
import { lockFolder } from './folder-lock.ts';
import { migrate } from './migrate.ts';
import { SQLITE_CHAIN } from './migrations/index.ts';
import { planFileUpgrade } from './plan-upgrade.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { copyOldDatabase, OLD_DATABASE } from './testing/2026-11-28/index.ts';
import { upgradeFile } from './upgrade-file.ts';

const logged: string[] = [];
const note = (fields: unknown, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
const logger = { debug: note, info: note, warn: note, error: note };
const HISTORY = Object.keys(SQLITE_CHAIN.migrations);

let folder: string;
let path: string;

beforeEach(() => {
  logged.length = 0;
  folder = mkdtempSync(join(tmpdir(), 'switchyard-migrate-'));
  path = join(folder, 'switchyard.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Makes a file with the first migrations only, and one usage sum. */
async function makeEarlier(migrations: number): Promise<void> {
  const database = openConnection(path, 'NORMAL');
  const earlier = Object.fromEntries(Object.entries(SQLITE_CHAIN.migrations).slice(0, migrations));
  await migrate(database, path, { chain: { ...SQLITE_CHAIN, migrations: earlier } });
  database.run("INSERT INTO usage_deltas (at_ms, account_id, requests) VALUES (1, 'acme', 1)");
  database.close();
}

function open(upgrade?: 'auto' | 'refuse', before?: (plan: UpgradePlan) => Promise<void>): Promise<Store> {
  const policy = { mode: upgrade ?? 'auto', ...(before && { beforeUpgrade: before }) };
  const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => 1 };
  return openSqliteStore({ path, secret: OLD_DATABASE.secret, clock, logger, upgrade: policy });
}

test('a plan names the missing migrations with the rows that they read, and changes nothing', async () => {
  await makeEarlier(1);
  const before = readFileSync(path);
  expect(await planFileUpgrade(path)).toEqual({
    database: path,
    kind: 'sqlite',
    state: 'due',
    changes: [
      { name: '0002-failed-and-unpriced-requests', how: 'at_once', rows: 1 },
      { name: '0003-latency-steps', how: 'at_once', rows: 1 },
      { name: '0004-billing-details', how: 'at_once', rows: 0 },
      ...HISTORY.slice(4).map((name) => expect.objectContaining({ name })),
    ],
    usedBy: null,
  });
  expect(readFileSync(path)).toEqual(before);
});

test('a file that does not exist yet is absent, and a plan does not create it', async () => {
  expect((await planFileUpgrade(path)).state).toBe('absent');
  expect((await planFileUpgrade(join(folder, 'missing', 'switchyard.sqlite'))).state).toBe('absent');
  expect(await upgradeFile({ path, logger })).toMatchObject({ state: 'absent' });
  expect(await planFileUpgrade(path)).toMatchObject({ state: 'current', changes: [] });
});

test('a file from before the baseline is due, and current after the upgrade', async () => {
  await copyOldDatabase(path);
  expect((await planFileUpgrade(path)).changes.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['0046-ledger-archive', HISTORY.at(-1)]),
  );
  expect((await upgradeFile({ path, logger })).state).toBe('due');
  expect((await planFileUpgrade(path)).state).toBe('current');
  expect((await upgradeFile({ path, logger })).state).toBe('current');
});

test('an upgrade says what it does before it begins', async () => {
  await makeEarlier(2);
  const store = await open('auto', async ({ changes }) => void logged.push(`before ${changes.length}`));
  await store.close();
  const [before, began] = logged;
  expect(before).toBe(`before ${HISTORY.length - 2}`);
  expect(began).toContain('the database file is being upgraded; an interrupted upgrade changes nothing');
  expect(began).toContain('"atOnce":["0003-latency-steps"');
});

test('a store that must not upgrade refuses an earlier file, and creates and opens others', async () => {
  await (await open('refuse')).close();
  await (await open('refuse')).close();
  rmSync(path);
  await makeEarlier(HISTORY.length - 1);
  await expect(open('refuse')).rejects.toThrow(
    `it must be upgraded first (${HISTORY.at(-1)}), and DATABASE_UPGRADE is "refuse". Run "switchyard migrate" with this version, then start again.`,
  );
  expect((await planFileUpgrade(path)).state).toBe('due');
});

test('no command upgrades the file under a running gateway', async () => {
  await makeEarlier(HISTORY.length - 1);
  const unlock = await lockFolder(path);
  try {
    const refusal = `(${HISTORY.at(-1)}): process ${process.pid} is using its folder, as a gateway or for an upgrade.`;
    await expect(open()).rejects.toThrow(refusal);
    await expect(upgradeFile({ path, logger })).rejects.toThrow(refusal);
    expect((await planFileUpgrade(path)).usedBy).toBe(`process ${process.pid}`);
  } finally {
    unlock();
  }
  await (await open()).close();
  expect(await planFileUpgrade(path)).toMatchObject({ state: 'current', usedBy: null });
});
