import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import type pg from 'pg';
import { until } from '../../conformance/shared/until.ts';
import { FakeClock } from '../../src/engine/admin/testing/fake-clock.ts';
import type { Clock } from '../../src/engine/ports/clock.ts';
import type { LeasePlace } from '../../src/engine/ports/ledger.ts';
import type { Logger } from '../../src/engine/ports/logger.ts';
import { SAMPLE_USAGE, sampleCharge, sampleEntry, sampleHold } from '../../src/engine/ports/testing/samples.ts';
import { openPool, query } from '../../src/stores/postgres/connection.ts';
import { PostgresHolds } from '../../src/stores/postgres/holds.ts';
import { PostgresLedger } from '../../src/stores/postgres/ledger.ts';
import { Notifications } from '../../src/stores/postgres/notifications.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { WriteHealth } from '../../src/stores/shared/write-health.ts';
import { spendAll } from './spend-all.ts';

const BALANCE = { accountId: 'acme', keyId: null };
const KEY = { accountId: 'acme', keyId: 'ci' };
const SPENDER = join(import.meta.dir, 'ledger-spender.child.ts');
/** A time-out for tests with many requests or processes. */
const SLOW_MS = 600_000;
const realClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };

let server: SharedTestPostgres;
/** A database with all tables; its rows are deleted before each test. */
let url: string;
let pool: pg.Pool;
let logged: string[];
let logger: Logger;
let opened: PostgresLedger[];
let talking: Notifications[];
let spenders: Bun.Subprocess[];

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
  talking = [];
  spenders = [];
  await server.emptyDatabase(url);
  pool = openPool({ url, logger });
});

afterEach(async () => {
  for (const ledger of opened) await ledger.close();
  for (const notifications of talking) await notifications.close();
  for (const child of spenders) child.kill('SIGKILL');
  await pool.end();
});

/** Opens a node that others can ask to release unneeded leases. */
async function openTalking(giveBack: (place: LeasePlace) => Promise<boolean>): Promise<PostgresLedger> {
  const notifications = new Notifications({ url, logger });
  talking.push(notifications);
  const connected = Promise.withResolvers<void>();
  notifications.on('directory', () => connected.resolve());
  const node = openNode({ notifications });
  node.onRecall(giveBack);
  await connected.promise;
  return node;
}

function openNode(
  options: {
    readonly notifications?: Notifications;
    readonly leaseMs?: number;
    readonly clock?: Clock;
    readonly pool?: pg.Pool;
  } = {},
) {
  const health = new WriteHealth(async () => null);
  const ledger = new PostgresLedger({ pool, clock: realClock, nodeId: 'node', logger, health, ...options });
  opened.push(ledger);
  return ledger;
}

const holdsOf = (ledger: PostgresLedger) => new PostgresHolds({ pool, ledger });

async function grant(amountNanoUsd: bigint): Promise<void> {
  await openNode().append(sampleEntry({ amountNanoUsd }));
}

async function state(): Promise<[bigint, bigint]> {
  const { balanceNanoUsd, leasedNanoUsd } = await openNode().balance('acme');
  return [balanceNanoUsd, leasedNanoUsd];
}

/** Expires all nodes in the database. */
async function expireNodes(): Promise<void> {
  await query(pool, "update nodes set expires_at = clock_timestamp() - interval '1 second'");
}

async function problems(): Promise<readonly string[]> {
  return (await openNode().verify()).problems;
}

test('a node without money gets unneeded leases of other nodes, for a lease and for a hold', async () => {
  await grant(100n);
  let free = 0n;
  const asked: LeasePlace[] = [];
  const rich: PostgresLedger = await openTalking(async (place) => {
    asked.push(place);
    const amount = free;
    free = 0n;
    await rich.giveBack(BALANCE, amount);
    return amount > 0n;
  });
  const poor = await openTalking(async () => false);
  expect(await rich.lease(BALANCE, 100n, 1n)).toBe(100n);
  // The other node needs 40 itself.
  free = 60n;
  // No surplus is leased if another node has to be asked.
  expect(await poor.lease(BALANCE, 60n, 20n)).toBe(20n);
  expect(asked).toEqual([BALANCE]);
  expect(await poor.lease(BALANCE, 40n, 40n)).toBe(40n);
  expect(await poor.lease(BALANCE, 1n, 1n)).toBe(0n);
  await poor.giveBack(BALANCE, 60n);
  await rich.lease(BALANCE, 60n, 60n);
  free = 100n;
  const hold = sampleHold({ accountId: 'acme', fromBalanceNanoUsd: 70n, fromLimitNanoUsd: null });
  expect(await holdsOf(poor).hold(hold)).toBe('held');
  expect(asked.at(-1)).toEqual({ accountId: 'acme', keyId: hold.keyId });
  expect(await problems()).toEqual([]);
});

test('a node that does not respond is not waited for again', async () => {
  await grant(10n);
  await openNode().lease(BALANCE, 10n, 1n);
  const poor = await openTalking(async () => false);
  expect(await poor.lease(BALANCE, 5n, 5n)).toBe(0n);
  expect(await poor.recall(BALANCE)).toBe(false);
});

test('several nodes together lease exactly the balance', async () => {
  await grant(70n);
  const nodes = [openNode(), openNode(), openNode()];
  const wanted = Array.from({ length: 150 }, (_, index) => nodes[index % 3]!);
  const [ofBalance, ofLimit] = await Promise.all([
    Promise.all(wanted.map((node) => node.lease(BALANCE, 1n, 1n))),
    Promise.all(wanted.map((node) => node.lease(KEY, 1n, 1n, 30n))),
  ]);
  expect(ofBalance.filter((leased) => leased === 1n)).toHaveLength(70);
  expect(ofLimit.filter((leased) => leased === 1n)).toHaveLength(30);
  expect(await problems()).toEqual([]);
});

test('a durable hold is reserved for all nodes, and any node can end it once, also after its owner is gone', async () => {
  await grant(100n);
  const maker = openNode();
  expect(await holdsOf(maker).hold(sampleHold({ keyLimitNanoUsd: 80n }))).toBe('held');
  await maker.lease(BALANCE, 50n, 50n);
  const other = openNode();
  expect(await holdsOf(other).hold(sampleHold({ holdId: 'second', fromBalanceNanoUsd: 30n }))).toBe('balance');
  await expireNodes();
  // Leases of the expired node are released when needed; its hold is not.
  expect(await holdsOf(other).hold(sampleHold({ holdId: 'second', fromBalanceNanoUsd: 30n }))).toBe('held');
  expect(await other.lease(BALANCE, 21n, 21n)).toBe(0n);
  expect(await state()).toEqual([100n, 80n]);
  expect(await problems()).toEqual([]);
  const nodes = [openNode(), openNode(), other];
  const ended = await Promise.all(
    nodes.map((node, index) => holdsOf(node).settle('req-hold', BigInt(40 + index), 9, SAMPLE_USAGE)),
  );
  expect(new Set(ended.map((one) => one?.chargedNanoUsd)).size).toBe(1);
  await Promise.all(nodes.map((node) => holdsOf(node).release('second', 9)));
  expect(await state()).toEqual([100n - (ended[0]?.chargedNanoUsd ?? 0n), 0n]);
  expect(await problems()).toEqual([]);
});

test('a node cannot release or charge from the leases of another', async () => {
  await grant(100n);
  const [first, second] = [openNode(), openNode()];
  await first.lease(BALANCE, 60n, 60n);
  await second.lease(BALANCE, 10n, 10n);
  await second.giveBack(BALANCE, 50n);
  expect(await state()).toEqual([100n, 60n]);
  await second.charge(sampleCharge({ costNanoUsd: 20n, fromAccountLease: 20n }));
  expect(await state()).toEqual([80n, 60n]);
});

test('a node that closes releases its leases and its row', async () => {
  await grant(100n);
  const node = openNode();
  await node.lease(BALANCE, 60n, 60n);
  await node.lease(KEY, 5n, 5n, 10n);
  await node.close();
  expect(await state()).toEqual([100n, 0n]);
  expect(await openNode().lease(KEY, 10n, 10n, 10n)).toBe(10n);
  const { rows } = await query(pool, 'select node_id from nodes');
  expect(rows).toHaveLength(1);
});

test('the leases of expired nodes are released once when a node finds no money', async () => {
  await grant(100n);
  await openNode().lease(BALANCE, 60n, 60n);
  await openNode().lease(BALANCE, 40n, 40n);
  await openNode().lease(KEY, 10n, 10n, 10n);
  await expireNodes();
  const others = [openNode(), openNode(), openNode()];
  const leased = await Promise.all(others.map((node) => node.lease(BALANCE, 30n, 30n)));
  expect(leased).toEqual([30n, 30n, 30n]);
  expect(await state()).toEqual([100n, 90n]);
  expect(await others[0]!.lease(KEY, 10n, 10n, 10n)).toBe(10n);
  expect(await problems()).toEqual([]);
});

test('an expired node learns of it at its next renewal, and takes new leases', async () => {
  await grant(100n);
  // Its own clock never reaches the end of its leases.
  const node = openNode({ leaseMs: 1_500, clock: new FakeClock() });
  let losses = 0;
  node.onLeasesLost(() => losses++);
  await node.lease(BALANCE, 60n, 60n);
  const other = openNode();
  await until('the other node has leased everything', async () => {
    // It may have renewed itself just now.
    await expireNodes();
    return (await other.lease(BALANCE, 100n, 100n)) === 100n;
  });
  await until('the loss is reported', () => losses > 0);
  expect(await node.lease(BALANCE, 1n, 1n)).toBe(0n);
  expect(losses).toBe(1);
  expect(await state()).toEqual([100n, 100n]);
});

test('a renewed node keeps its leases beyond the duration of one', async () => {
  await grant(100n);
  const leaseMs = 600;
  const node = openNode({ leaseMs, clock: new FakeClock() });
  let losses = 0;
  node.onLeasesLost(() => losses++);
  await node.lease(BALANCE, 100n, 100n);
  const expiresAtMs = async () => {
    const { rows } = await query<{ at: string }>(pool, 'select extract(epoch from expires_at) * 1000 as at from nodes');
    return Number(rows[0]?.at);
  };
  const firstMs = await expiresAtMs();
  await until('the lease is renewed', async () => (await expiresAtMs()) > firstMs + leaseMs);
  expect(losses).toBe(0);
  expect(await state()).toEqual([100n, 100n]);
});

test('a node drops its leases by its own clock before the database expires them', async () => {
  await grant(100n);
  const clock = new FakeClock();
  const node = openNode({ clock, leaseMs: 100_000 });
  let losses = 0;
  node.onLeasesLost(() => losses++);
  await node.lease(BALANCE, 60n, 60n);
  clock.advance(79_900);
  await node.giveBack(BALANCE, 10n);
  expect([losses, await state()]).toEqual([0, [100n, 50n]]);
  clock.advance(200);
  await node.giveBack(BALANCE, 10n);
  expect([losses, await state()]).toEqual([1, [100n, 50n]]);
  const { rows } = await query(pool, 'select from nodes where expires_at > clock_timestamp()');
  expect(rows).toHaveLength(1);
  // It continues under a new node id, and the leases of the old one still count.
  expect(await node.lease(BALANCE, 100n, 1n)).toBe(50n);
});

test('a node that cannot reach the database loses its leases by itself', async () => {
  await grant(100n);
  const ownPool = openPool({ url, logger });
  const clock = new FakeClock();
  const node = openNode({ pool: ownPool, clock, leaseMs: 1_000 });
  const lost = new Promise<void>((resolve) => node.onLeasesLost(resolve));
  await node.lease(BALANCE, 60n, 60n);
  await ownPool.end();
  clock.advance(1_000);
  await lost;
  const other = openNode();
  await until('another node has the leases', async () => (await other.lease(BALANCE, 100n, 100n)) === 100n);
});

test('a charge that arrives after its lease has expired is made, with a warning if it takes an amount that others hold', async () => {
  await query(
    pool,
    "insert into accounts (id, name, role, admin, billing, created_at_ms, origin) values ('acme', '', 'User', 0, 'prepaid', 0, '')",
  );
  await grant(100n);
  const late = openNode();
  await late.lease(BALANCE, 60n, 60n);
  await expireNodes();
  await openNode().lease(BALANCE, 100n, 100n);
  expect(await late.charge(sampleCharge({ costNanoUsd: 30n, fromAccountLease: 30n }))).toBe('charged');
  expect(await state()).toEqual([70n, 100n]);
  expect(logged.filter((line) => line.includes('arrived after their leases had expired'))).toHaveLength(1);
  expect(await problems()).toEqual([expect.stringContaining('is leased')]);
});

test('charges made in the same turn share a transaction across accounts', async () => {
  const ledger = openNode();
  const charges = Array.from({ length: 200 }, (_, index) =>
    sampleCharge({ requestId: `req-${index}`, accountId: `a${index % 7}`, keyId: index % 2 === 0 ? 'ci' : null }),
  );
  await Promise.all(charges.map((charge) => ledger.charge(charge)));
  const { rows } = await query<{ transactions: bigint }>(
    pool,
    'select count(distinct xmin::text) as transactions from ledger_entries',
  );
  expect(rows).toEqual([{ transactions: 1n }]);
  expect(await problems()).toEqual([]);
});

test('nodes that charge many accounts in any order, lease and release do not deadlock', async () => {
  const nodes = [openNode(), openNode(), openNode()];
  const accounts = Array.from({ length: 8 }, (_, index) => `a${index}`);
  for (const accountId of accounts)
    await openNode().append(sampleEntry({ idempotencyKey: accountId, accountId, amountNanoUsd: 1_000n }));
  const spend = async (index: number) => {
    const node = nodes[index % 3]!;
    const accountId = accounts[(index * 5) % 8]!;
    const granted = await node.lease({ accountId, keyId: null }, 4n, 1n);
    await node.charge(
      sampleCharge({ requestId: `req-${index}`, accountId, keyId: 'ci', costNanoUsd: 1n, fromAccountLease: 1n }),
    );
    await node.giveBack({ accountId, keyId: null }, granted - 1n);
  };
  await Promise.all(Array.from({ length: 600 }, (_, index) => spend(index)));
  const balances = await openNode().balances();
  expect(balances.map(({ balanceNanoUsd }) => balanceNanoUsd)).toEqual(accounts.map(() => 925n));
  expect(balances.map(({ leasedNanoUsd }) => leasedNanoUsd)).toEqual(accounts.map(() => 0n));
  // A busy machine may renew leases late.
  expect(logged.filter((line) => !line.startsWith('the leases could not be renewed'))).toEqual([]);
  expect(await problems()).toEqual([]);
});

test('commits wait for the disk even if the database is set not to', async () => {
  await query(pool, `alter database ${new URL(url).pathname.slice(1)} set synchronous_commit = off`);
  const other = openPool({ url, logger, maxConnections: 1 });
  const client = await other.connect();
  const setting = async (call: string) => {
    await client.query('begin');
    await client.query(call);
    const { rows } = await client.query('show synchronous_commit');
    await client.query('rollback');
    return rows[0]?.synchronous_commit;
  };
  const charge = "array[''], array['r'], array['acme'], array['ci'], array[1], array[0], array[0], array[0]";
  expect(await setting('select 1')).toBe('off');
  expect(await setting("select ledger_append('k', 'acme', null, 'grant', 1, null, 0, null)")).toBe('on');
  expect(await setting("select ledger_lease('n', 'acme', '', 1, 1, 1, 0)")).toBe('on');
  expect(await setting("select ledger_give_back('n', 'acme', '', 1, 1)")).toBe('on');
  expect(await setting("select ledger_end_node_2('n')")).toBe('on');
  expect(await setting("select ledger_lease_budget('n', 'acme', '', 0, 1, 1, 1, 1, 0)")).toBe('on');
  expect(await setting("select ledger_give_back_budget('n', 'acme', '', 0, 1, 1, 1)")).toBe('on');
  const none = 'array[null::bigint]';
  const usage = "array[''], array[''], array[200], '{}', '{}'";
  expect(await setting(`select ledger_charge_2(${charge}, ${[none, none, none, none, none, usage]})`)).toBe('on');
  client.release();
  await other.end();
  await query(pool, `alter database ${new URL(url).pathname.slice(1)} reset synchronous_commit`);
});

test('ledger entries cannot be changed or deleted by hand', async () => {
  await grant(100n);
  for (const sql of [
    'update ledger_entries set amount_nano = 1',
    'delete from ledger_entries',
    'truncate ledger_entries',
  ])
    await expect(query(pool, sql)).rejects.toThrow('never changed');
});

test('books that were edited by hand are detected', async () => {
  await grant(100n);
  const node = openNode();
  await node.lease(BALANCE, 60n, 60n);
  await node.charge(sampleCharge({ costNanoUsd: 10n }));
  expect(await problems()).toEqual([]);
  await query(pool, 'update balances set balance_nano = 5');
  await query(pool, 'update key_spending set spent_nano = 5');
  await query(pool, 'update leases set amount_nano = 5');
  await query(
    pool,
    "alter table ledger_entries disable trigger user; update ledger_entries set idempotency_key = 'x' where kind = 'charge'",
  );
  const found = await problems();
  await query(pool, 'alter table ledger_entries enable trigger user');
  expect(found).toHaveLength(4);
  expect(found.map((problem) => problem.split('"')[1])).toEqual(['acme', 'ci', 'acme', 'acme']);
});

async function expectAllSpent(requests: number): Promise<void> {
  expect(await state()).toEqual([0n, 0n]);
  expect(await openNode().spending()).toMatchObject([{ spentNanoUsd: BigInt(requests), leasedNanoUsd: 0n }]);
  expect(await problems()).toEqual([]);
}

test(
  'connections that break at any moment leave no charge missing or doubled',
  async () => {
    const requests = 600;
    // Enough for everything that is leased at one time.
    await grant(BigInt(requests) + 60n);
    const ledger = openNode({ leaseMs: 60_000 });
    const admin = openPool({ url: server.url, logger, maxConnections: 1 });
    const breaks: Promise<number>[] = [];
    const breakOne = async () => {
      const { rowCount } = await query(
        admin,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 order by random() limit 1',
        [new URL(url).pathname.slice(1)],
      );
      return rowCount ?? 0;
    };
    // Breaks are placed by count: by time, a slow machine would have one before each charge.
    const outcomes = await spendAll(ledger, requests, (index) => {
      if (index % 15 === 14) breaks.push(breakOne());
    });
    const broken = (await Promise.all(breaks)).reduce((sum, count) => sum + count, 0);
    await admin.end();
    expect(broken).toBeGreaterThan(10);
    expect(outcomes.filter((outcome) => outcome === 'charged')).toHaveLength(requests);
    await openNode().append(sampleEntry({ idempotencyKey: 'rest', kind: 'adjustment', amountNanoUsd: -60n }));
    await expectAllSpent(requests);
  },
  SLOW_MS,
);

interface Spender {
  readonly process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
  /** Its output so far: `ready`, then the ids of the charged requests. */
  readonly said: string[];
  readonly ended: Promise<void>;
}

function startSpender(name: string, charges: number, then: 'dies' | 'waits'): Spender {
  const child = Bun.spawn([process.execPath, SPENDER, url, name, String(charges), then], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  spenders.push(child);
  const said: string[] = [];
  const read = async () => {
    let rest = '';
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      said.push(...lines);
    }
    await child.exited;
  };
  return { process: child, said, ended: read() };
}

async function tell({ process: { stdin } }: Spender): Promise<void> {
  stdin.write('go\n');
  await stdin.flush();
}

test(
  'three processes spend a balance to the last unit, even when one of them is killed',
  async () => {
    await grant(700n);
    const mortal = startSpender('mortal', 60, 'dies');
    // They leave enough for the process that dies.
    const others = ['b', 'c'].map((name) => startSpender(name, 150, 'waits'));
    const all = [mortal, ...others];
    await until('all processes are ready', () => all.every(({ said }) => said[0] === 'ready'));
    await Promise.all(all.map(tell));
    await mortal.ended;
    expect(mortal.process.signalCode).toBe('SIGKILL');
    await Promise.all(others.map(tell));
    let haveEnded = false;
    const ending = Promise.all(others.map(({ ended }) => ended)).finally(() => {
      haveEnded = true;
    });
    // The server may still run statements of the killed process, one of which may renew its leases.
    await until('the other processes have spent the rest', async () => {
      const end = "update nodes set expires_at = clock_timestamp() - interval '1 second' where node_id like 'mortal/%'";
      await query(pool, end);
      return haveEnded;
    });
    await ending;

    expect(await state()).toEqual([0n, 0n]);
    const entries = await openNode().entries('acme', 1_000);
    const charges = entries.filter(({ kind }) => kind === 'charge').map(({ requestId }) => requestId);
    expect(charges).toHaveLength(700);
    expect(new Set(charges).size).toBe(700);
    const said = all.flatMap((one) => one.said.slice(1));
    expect(said.filter((requestId) => !charges.includes(requestId))).toEqual([]);
    // The others reported every charge; the killed one may have made more than it reported.
    const isOthers = (requestId: string | null) => !requestId?.startsWith('mortal-');
    expect(charges.filter(isOthers)).toHaveLength(said.filter(isOthers).length);
    expect(await problems()).toEqual([]);
  },
  SLOW_MS,
);
