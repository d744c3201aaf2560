import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type pg from 'pg';
import type { Logger } from '../../src/engine/ports/logger.ts';
import { SAMPLE_USAGE, sampleCharge, sampleEntry, sampleHold } from '../../src/engine/ports/testing/samples.ts';
import { openPool, query } from '../../src/stores/postgres/connection.ts';
import { PostgresHolds } from '../../src/stores/postgres/holds.ts';
import { PostgresLedger } from '../../src/stores/postgres/ledger.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { WriteHealth } from '../../src/stores/shared/write-health.ts';

/* Budgets and usage roll-ups when several nodes share the database. */

const START = Date.UTC(2026, 10, 23);
const DAY = { startsAtMs: START, endsAtMs: START + 86_400_000 };
const ACCOUNT = { accountId: 'acme', keyId: null, window: DAY };
const KEY = { accountId: 'acme', keyId: 'ci', window: DAY };
const HOLD = { fromBalanceNanoUsd: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null, atMs: START };
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

let server: SharedTestPostgres;
/** A database with all tables; its rows are deleted before each test. */
let url: string;
let pool: pg.Pool;
let logged: string[];
let logger: Logger;
let opened: PostgresLedger[];

beforeAll(async () => {
  server = await sharedTestPostgres();
  url = await server.createMigratedDatabase();
}, 600_000);
afterAll(() => server.dropDatabase(url));

beforeEach(async () => {
  const lines: string[] = [];
  const log = (_fields: unknown, message: string) => void lines.push(message);
  logged = lines;
  logger = { debug: log, info: log, warn: log, error: log };
  opened = [];
  await server.emptyDatabase(url);
  pool = openPool({ url, logger });
});

afterEach(async () => {
  for (const ledger of opened) await ledger.close();
  await pool.end();
});

function openNode(): PostgresLedger {
  const health = new WriteHealth(async () => null);
  const ledger = new PostgresLedger({ pool, clock, nodeId: 'node', logger, health });
  opened.push(ledger);
  return ledger;
}

const holdsOf = (ledger: PostgresLedger) => new PostgresHolds({ pool, ledger });
const problems = async () => (await openNode().verify()).problems;

async function spent(...pools: Parameters<PostgresLedger['budgetSpending']>[0]) {
  const found = await openNode().budgetSpending(pools);
  return found.map(({ spentNanoUsd, leasedNanoUsd }) => [spentNanoUsd, leasedNanoUsd]);
}

/** Resolves to the usage totals over all tags, and to those with one tag. */
async function usage(): Promise<[untagged: bigint, tagged: bigint]> {
  const { rows } = await query<{ untagged: string; tagged: string }>(
    pool,
    `select coalesce(sum(cost_nano) filter (where tag = ''), 0) as untagged,
      coalesce(sum(cost_nano) filter (where tag <> ''), 0) as tagged from usage_deltas`,
  );
  return [BigInt(rows[0]?.untagged ?? 0), BigInt(rows[0]?.tagged ?? 0)];
}

async function nodeIds(): Promise<string[]> {
  const { rows } = await query<{ node_id: string }>(pool, 'select node_id from nodes');
  return rows.map(({ node_id }) => node_id);
}

test('several nodes together lease exactly the amount of a budget', async () => {
  const nodes = [openNode(), openNode(), openNode()];
  const wanted = Array.from({ length: 120 }, (_, index) => nodes[index % 3]!);
  const [ofAccount, ofKey] = await Promise.all([
    Promise.all(wanted.map((node) => node.lease(ACCOUNT, 1n, 1n, 70n))),
    Promise.all(wanted.map((node) => node.lease(KEY, 1n, 1n, 30n))),
  ]);
  expect(ofAccount.filter((leased) => leased === 1n)).toHaveLength(70);
  expect(ofKey.filter((leased) => leased === 1n)).toHaveLength(30);
  expect(await problems()).toEqual([]);
  for (const node of nodes) await node.close();
  expect(await spent(ACCOUNT, KEY)).toEqual([
    [0n, 0n],
    [0n, 0n],
  ]);
  expect(await problems()).toEqual([]);
});

test('budget leases of a dead node return', async () => {
  await openNode().lease(ACCOUNT, 60n, 60n, 100n);
  await query(pool, "update nodes set expires_at = clock_timestamp() - interval '1 second'");
  const second = openNode();
  expect(await second.lease(ACCOUNT, 100n, 100n, 100n)).toBe(100n);
  for (const id of await nodeIds()) await query(pool, 'select ledger_end_node($1)', [id]);
  expect(await spent(ACCOUNT)).toEqual([[0n, 0n]]);
  const budgets = { countedAtMs: START, account: DAY, key: null };
  // The leases are gone, so the charge is counted without using the leases of others.
  await openNode().lease(ACCOUNT, 50n, 50n, 100n);
  expect(await second.charge(sampleCharge({ costNanoUsd: 40n, budgets }))).toBe('charged');
  expect(await spent(ACCOUNT)).toEqual([[40n, 50n]]);
  expect(await problems()).toEqual([]);
});

test('charges of requests and of holds are counted once', async () => {
  const node = openNode();
  await node.lease(ACCOUNT, 10n, 10n, 100n);
  const budgets = { countedAtMs: START, account: DAY, key: null };
  await node.charge(
    sampleCharge({
      requestId: 'new',
      costNanoUsd: 3n,
      atMs: START + 1,
      budgets,
      usage: { ...SAMPLE_USAGE, tags: ['a=b'] },
    }),
  );
  expect(await node.charge(sampleCharge({ requestId: 'new', costNanoUsd: 3n, atMs: START + 1, budgets }))).toBe(
    'known',
  );
  const holds = holdsOf(node);
  const part = (heldNanoUsd: bigint) => ({ keyId: null, window: DAY, heldNanoUsd, budgetNanoUsd: 100n });
  for (const holdId of ['a', 'b', 'c']) await holds.hold(sampleHold({ ...HOLD, holdId, budgets: [part(20n)] }));
  expect(await spent(ACCOUNT)).toEqual([[3n, 67n]]);
  await holds.settle('a', 11n, START + 2, SAMPLE_USAGE);
  await query(pool, 'select * from ledger_release_hold($1, $2)', ['b', START + 2]);
  await holds.settle('c', 4n, DAY.endsAtMs + 1, { ...SAMPLE_USAGE, tags: ['a=b', 'c=d'] });
  expect(await spent(ACCOUNT, KEY)).toEqual([
    [18n, 7n],
    [18n, 0n],
  ]);
  expect(await usage()).toEqual([18n, 11n]);
  expect(await problems()).toEqual([]);
});

test('nodes that charge many budgeted accounts in any order do not deadlock', async () => {
  const nodes = [openNode(), openNode(), openNode()];
  const accounts = Array.from({ length: 8 }, (_, index) => `a${index}`);
  for (const accountId of accounts) {
    await openNode().append(sampleEntry({ idempotencyKey: accountId, accountId, amountNanoUsd: 1_000n }));
  }
  const spend = async (index: number) => {
    const node = nodes[index % 3]!;
    const accountId = accounts[(index * 5) % 8]!;
    const pools = [
      { accountId, keyId: null },
      { ...ACCOUNT, accountId },
      { ...KEY, accountId },
    ];
    const leased = await Promise.all(pools.map((pool) => node.lease(pool, 4n, 1n, 1_000n)));
    const paid = { costNanoUsd: 1n, fromAccountLease: 1n, budgets: { countedAtMs: START, account: DAY, key: DAY } };
    await node.charge(sampleCharge({ requestId: `req-${index}`, accountId, keyId: 'ci', ...paid }));
    await Promise.all(pools.map((pool, place) => node.giveBack(pool, leased[place]! - 1n)));
  };
  await Promise.all(Array.from({ length: 400 }, (_, index) => spend(index)));
  const all = accounts.flatMap((accountId) => [
    { ...ACCOUNT, accountId },
    { ...KEY, accountId },
  ]);
  expect(await spent(...all)).toEqual(all.map(() => [50n, 0n]));
  expect(await usage()).toEqual([400n, 0n]);
  // A busy machine may renew leases late.
  expect(logged.filter((line) => !line.startsWith('the leases could not be renewed'))).toEqual([]);
  expect(await problems()).toEqual([]);
});

test('budgets that were edited by hand are detected', async () => {
  const node = openNode();
  await node.lease(ACCOUNT, 10n, 10n, 100n);
  await query(pool, 'update budget_spending set spent_nano = 3, leased_nano = 11');
  expect(await problems()).toEqual([
    'For the budget of the account "acme" from 2026-11-23T00:00:00.000Z to 2026-11-24T00:00:00.000Z, 0.000000003 USD is recorded as spent, but the charges of that period add up to 0 USD.',
    'For the budget of the account "acme" from 2026-11-23T00:00:00.000Z to 2026-11-24T00:00:00.000Z, 0.000000011 USD is recorded as leased, but nodes and holds have 0.00000001 USD.',
  ]);
});
