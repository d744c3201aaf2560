import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../domain/testing/until.ts';
import type { SpendingPool } from '../../engine/ports/ledger.ts';
import type { Store } from '../../engine/ports/store.ts';
import { sampleCharge, sampleEntry, sampleHold, sampleRecord } from '../../engine/ports/testing/samples.ts';
import { WriteHealth } from '../shared/write-health.ts';
import { openConnection } from './connection.ts';
import { SqliteLedger } from './ledger.ts';
import { ReadingThread } from './reading-thread.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { copyEmptyDatabase } from './testing/empty-database.ts';
import { linkTo } from './testing/writer-link.ts';
import { SqliteWriter } from './writer.ts';

const BALANCE: SpendingPool = { accountId: 'acme', keyId: null };
const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let path: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-ledger-'));
  path = join(folder, 'switchyard.sqlite');
  await copyEmptyDatabase(path);
  store = await openSqliteStore({ path, secret: 's', clock, logger });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function editByHand(...statements: string[]): void {
  const tool = new Database(path);
  for (const sql of statements) tool.run(sql);
  tool.close();
}

describe('the file', () => {
  test('refuses to change or delete an entry', async () => {
    await store.ledger.append(sampleEntry());
    expect(() => editByHand('UPDATE ledger_entries SET amount_nano = 1')).toThrow('append-only');
    expect(() => editByHand('DELETE FROM ledger_entries')).toThrow('append-only');
    expect(await store.ledger.entries('acme', 10)).toHaveLength(1);
  });

  test('an index finds the entries of an account, newest first without sorting', async () => {
    const tool = new Database(path);
    const plan = tool
      .query<{ detail: string }, []>(
        `EXPLAIN QUERY PLAN SELECT * FROM ledger_entries WHERE account_id = 'acme' ORDER BY at_ms DESC, sequence DESC LIMIT 10`,
      )
      .all();
    tool.close();
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH ledger_entries USING INDEX ledger_entries_by_account (account_id=?)',
    ]);
  });

  test('closing waits for pending charges', async () => {
    const charging = store.ledger.charge(sampleCharge());
    await store.close();
    expect(await charging).toBe('charged');
    await expect(store.ledger.charge(sampleCharge())).rejects.toThrow('closed');
    store = await openSqliteStore({ path, secret: 's', clock, logger });
    expect(await store.ledger.entries('acme', 10)).toHaveLength(1);
  });
});

describe('another process', () => {
  test('that writes is waited for, without blocking this one', async () => {
    await store.ledger.append(sampleEntry({ amountNanoUsd: 100n }));
    const other = openConnection(path, 'FULL');
    other.run('BEGIN IMMEDIATE');
    const leasing = store.ledger.lease(BALANCE, 10n, 10n);
    expect(leasing).toBeInstanceOf(Promise);
    const waiting = Promise.all([
      leasing,
      store.ledger.charge(sampleCharge({ costNanoUsd: 1n })),
      store.ledger.giveBack(BALANCE, 3n),
    ]);
    // Calls are processed in this order, so all of them were tried.
    await store.nodes.living();
    other.run('COMMIT');
    other.close();
    expect((await waiting).slice(0, 2)).toEqual([10n, 'charged']);
    expect((await store.ledger.balance('acme')).balanceNanoUsd).toBe(99n);
  });
});

/** A ledger whose file cannot grow, as on a full disk. */
class FullDisk {
  readonly desk = new SqliteWriter({ path, secret: 's' });
  readonly logged: { readonly fields: object; readonly message: string }[] = [];
  readonly health = new WriteHealth(async () => null);
  readonly ledger: SqliteLedger;

  constructor(giveUpAfterMs: number) {
    this.#limitPages('page_count');
    const error = (fields: object, message: string) => void this.logged.push({ fields, message });
    const options = {
      clock,
      logger: { ...logger, error },
      health: this.health,
      onDamage: silent,
      giveUpAfterMs,
    };
    this.ledger = new SqliteLedger({
      database: this.desk.connection.database,
      thread: linkTo(this.desk),
      reading: new ReadingThread(path),
      ...options,
    });
  }

  free(): void {
    this.#limitPages('1000000');
  }

  async close(): Promise<void> {
    await this.ledger.close();
    this.desk.close();
  }

  #limitPages(limit: string): void {
    const { database } = this.desk.connection;
    const pages = limit === 'page_count' ? database.query<{ page_count: bigint }, []>('PRAGMA page_count').get() : null;
    database.run(`PRAGMA max_page_count = ${pages?.page_count ?? limit}`);
  }
}

describe('a full disk', () => {
  /** More than fits on one page, so that some fail. */
  const many = Array.from({ length: 200 }, (_, index) =>
    sampleCharge({ requestId: `req-${index}-${'x'.repeat(200)}`, costNanoUsd: 2n }),
  );

  test('keeps charges until there is room again, and reports the delay', async () => {
    const disk = new FullDisk(60_000);
    const charging = Promise.all(many.map((charge) => disk.ledger.charge(charge)));
    await until('the disk is full', () => disk.health.problem !== null);
    expect((await store.ledger.balance('acme')).balanceNanoUsd).toBe(0n);
    // A check whose small write succeeds does not change that.
    await disk.health.check();
    expect(disk.health.problem).toBe('the disk is full');
    disk.free();
    expect(new Set(await charging)).toEqual(new Set(['charged']));
    expect(disk.health.problem).toBeNull();
    expect((await store.ledger.balance('acme')).balanceNanoUsd).toBe(-400n);
    expect(disk.logged).toHaveLength(1);
    expect(disk.logged[0]).toMatchObject({
      message: 'charges could not be written and will be retried',
      fields: { code: 'SQLITE_FULL' },
    });
    await disk.close();
  });

  test('that stays full ends in an error, and the log lists what to enter by hand', async () => {
    const disk = new FullDisk(100);
    const outcomes = await Promise.allSettled(many.map((charge) => disk.ledger.charge(charge)));
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(200);
    const lost = disk.logged.filter(({ message }) => message === 'a charge was lost because it could not be written');
    expect(lost).toHaveLength(200);
    expect(lost[0]?.fields).toMatchObject({
      requestId: many[0]?.requestId,
      accountId: 'acme',
      keyId: 'ci',
      costUsd: '0.000000002',
    });
    expect((await store.ledger.verify()).entries).toBe(0);
    // No queued charge can detect that there is space again, so the next check does.
    expect(disk.health.problem).toBe('the disk is full');
    await disk.health.check();
    expect(disk.health.problem).toBeNull();
    disk.free();
    expect(await disk.ledger.charge(sampleCharge())).toBe('charged');
    await disk.close();
  });

  test('does not delay the end of the process for long', async () => {
    const disk = new FullDisk(100);
    const outcomes = Promise.allSettled(many.map((charge) => disk.ledger.charge(charge)));
    await disk.close();
    expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true);
  });
});

test('charges that are not durable after a second are reported until they are', async () => {
  let nowMs = 0;
  const health = new WriteHealth(async () => null);
  const answer = Promise.withResolvers<readonly ['charged']>();
  let isWriting = false;
  const charge = () => {
    isWriting = true;
    return answer.promise;
  };
  const desk = new SqliteWriter({ path, secret: 's' });
  const ledger = new SqliteLedger({
    ...{ database: desk.connection.database, thread: { ...linkTo(desk), charge }, logger, health, onDamage: silent },
    reading: new ReadingThread(path),
    clock: { ...clock, monotonicMs: () => nowMs },
  });
  const charging = ledger.charge(sampleCharge());
  await until('they are being written', () => isWriting);
  nowMs = 999;
  expect(health.problem).toBeNull();
  nowMs = 1_000;
  expect(health.problem).toBe('the disk is too slow');
  answer.resolve(['charged']);
  await charging;
  await ledger.close();
  await desk.close();
  expect(health.problem).toBeNull();
});

test('a charge updates the usage roll-ups in its own transaction, once in total and once per tag', async () => {
  const usage = { modelId: 'm', channelId: 'c', status: 200, tags: ['team=a', 'job=b'] };
  await store.ledger.append(sampleEntry({ amountNanoUsd: 100n }));
  const alike = ['req-1', 'req-1', 'req-3'];
  await Promise.all(
    alike.map((requestId, at) =>
      store.ledger.charge(sampleCharge({ requestId, costNanoUsd: 7n, atMs: 60_005 + at, usage })),
    ),
  );
  await store.ledger.charge(sampleCharge({ requestId: 'req-2', keyId: null, costNanoUsd: 0n, usage }));
  const free = { fromBalanceNanoUsd: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null };
  await store.holds.hold(sampleHold(free));
  for (const atMs of [60_008, 60_009]) await store.holds.settle('req-hold', 3n, atMs, { ...usage, tags: [] });
  const tool = new Database(path);
  const rows = tool.query('SELECT * FROM usage_deltas ORDER BY id').all();
  tool.close();
  const all = { account_id: 'acme', key_id: 'ci', model_id: 'm', channel_id: 'c', status: 200, requests: 0 };
  expect(rows).toMatchObject([
    { ...all, at_ms: 60_000, tag: '', cost_nano: 14 },
    { ...all, at_ms: 60_000, tag: 'team=a', cost_nano: 14 },
    { ...all, at_ms: 60_000, tag: 'job=b', cost_nano: 14 },
    { ...all, at_ms: 60_000, tag: '', cost_nano: 3 },
  ]);
  expect(rows).toHaveLength(4);
});

describe('verify finds', () => {
  beforeEach(async () => {
    await store.ledger.append(sampleEntry({ amountNanoUsd: 100n }));
    await store.ledger.charge(sampleCharge({ requestId: 'req-1', costNanoUsd: 10n }));
    store.requestLog.append(sampleRecord({ requestId: 'req-1', costNanoUsd: 10n }));
    await store.requestLog.flush();
    expect((await store.ledger.verify()).problems).toEqual([]);
  });

  const unguarded = ['update', 'delete'].map((event) => `DROP TRIGGER ledger_entries_no_${event}`);
  const falsified: Record<string, [sql: string[], problem: string]> = {
    'a balance that was changed': [
      ['UPDATE balances SET balance_nano = 91'],
      'The balance of the account "acme" is 0.000000091 USD, but its entries add up to 0.00000009 USD.',
    ],
    'a balance that is missing': [
      ['DELETE FROM balances'],
      'The balance of the account "acme" is 0 USD, but its entries add up to 0.00000009 USD.',
    ],
    'a balance without entries': [
      [`INSERT INTO balances VALUES ('ghost', 5, 0)`],
      'The balance of the account "ghost" is 0.000000005 USD, but its entries add up to 0 USD.',
    ],
    "a key's spending that was changed": [
      ['UPDATE key_spending SET spent_nano = 9'],
      'The key "ci" of the account "acme" has spent 0.000000009 USD, but its charges add up to 0.00000001 USD.',
    ],
    "a key's spending that is missing": [
      ['DELETE FROM key_spending'],
      'The key "ci" of the account "acme" has spent 0 USD, but its charges add up to 0.00000001 USD.',
    ],
    'a malformed entry': [
      [
        `INSERT INTO ledger_entries VALUES (9, 'x', 'acme', NULL, 'grant', -1, NULL, 1, NULL, NULL)`,
        'UPDATE balances SET balance_nano = balance_nano - 1',
      ],
      'The entry 9 of the account "acme" is malformed: its sign or its idempotency key does not match its kind.',
    ],
    'a charge whose request cost something else': [
      ['UPDATE request_log SET cost_nano = 11'],
      'The request "req-1" of the account "acme" cost 0.000000011 USD, but 0.00000001 USD was charged.',
    ],
  };
  for (const [what, [sql, problem]] of Object.entries(falsified)) {
    test(what, async () => {
      editByHand(...sql);
      expect((await store.ledger.verify()).problems).toEqual([problem]);
    });
  }

  test('a second charge for one request, and a deleted charge', async () => {
    editByHand(
      ...unguarded,
      `INSERT INTO ledger_entries SELECT 9, 'other', account_id, key_id, kind, amount_nano, request_id, 1, NULL, NULL FROM ledger_entries WHERE kind = 'charge'`,
    );
    const twice = (await store.ledger.verify()).problems;
    expect(twice).toContain('The request "req-1" of the account "acme" was charged 2 times.');
    editByHand(`DELETE FROM ledger_entries WHERE kind = 'charge'`);
    const deleted = (await store.ledger.verify()).problems;
    expect(deleted).toContain(
      'The request "req-1" of the account "acme" cost 0.00000001 USD, but there is no charge for it.',
    );
    expect(deleted).toHaveLength(3);
  });

  test('too many problems, and only counts the rest', async () => {
    const accounts = Array.from({ length: 150 }, (_, index) => `('ghost-${index}', 5, 0)`);
    editByHand(`INSERT INTO balances VALUES ${accounts.join(', ')}`);
    const { problems } = await store.ledger.verify();
    expect(problems).toHaveLength(101);
    expect(problems.at(-1)).toBe('There are 50 more problems of this kind.');
  });
});
