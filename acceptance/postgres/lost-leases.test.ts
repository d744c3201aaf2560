import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type pg from 'pg';
import { until } from '../../conformance/shared/until.ts';
import { billableOf } from '../../src/domain/exchange/usage.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import type { Budget } from '../../src/domain/money/budget.ts';
import { PriceSheet } from '../../src/domain/money/price-sheet.ts';
import { FakeClock } from '../../src/engine/admin/testing/fake-clock.ts';
import { AccountBilling } from '../../src/engine/billing/account-billing.ts';
import type { BillableRequest, Reservation } from '../../src/engine/ports/billing.ts';
import type { HeldCharges } from '../../src/engine/ports/held-charges.ts';
import { sampleAccount, sampleCredential, sampleEntry } from '../../src/engine/ports/testing/samples.ts';
import { DEFAULT_BILLING } from '../../src/engine/settings/settings.ts';
import { openPool, query } from '../../src/stores/postgres/connection.ts';
import { PostgresLedger } from '../../src/stores/postgres/ledger.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { WriteHealth } from '../../src/stores/shared/write-health.ts';
import { closeTestStores, openTestStore } from '../../src/stores/sqlite/testing/test-store.ts';
import { TcpProxy } from '../shared/tcp-proxy.ts';

/* After the database stalled or a connection was lost, two busy gateways do not keep leases that no request needs. */

const PRICES = PriceSheet.parse({ input_per_1m: '1', output_per_1m: '1' });
const COST = 1_500_000n;
const OPENING = 100n * COST;
const SHARED = { channelId: 'c', isPrivate: false, tierFactor: null };
const SIZE = { inputTokens: 1_000, outputTokens: 500 };
const BOUNDS = { certain: () => SIZE, counted: async () => SIZE, isPlausible: () => true, plausible: () => SIZE };
const BUDGET: Budget = { amountNanoUsd: 90n * COST, per: 'day', timeZone: 'UTC' };
const LEASE_MS = 100_000;
/** More requests than the wallet has leased for. */
const MORE_THAN_LEASED = 20;

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let server: SharedTestPostgres;
let url: string;
let pool: pg.Pool;
let clock: FakeClock;
let gateways: Gateway[];
let requests = 0;

beforeAll(async () => {
  server = await sharedTestPostgres();
  url = await server.createMigratedDatabase();
}, 600_000);
afterAll(() => server.dropDatabase(url));

beforeEach(async () => {
  await server.emptyDatabase(url);
  pool = openPool({ url, logger });
  clock = new FakeClock();
  gateways = [await Gateway.open(), await Gateway.open()];
  await gateways[0]!.ledger.append(sampleEntry({ amountNanoUsd: OPENING }));
});
afterEach(async () => {
  await closeTestStores();
  for (const gateway of gateways) await gateway.close();
  await pool.end();
});

class Gateway {
  readonly billing: AccountBilling;

  private constructor(
    readonly proxy: TcpProxy,
    readonly ledger: PostgresLedger,
    private readonly pool: pg.Pool,
    heldCharges: HeldCharges,
  ) {
    const metrics = { chargeHeld: silent };
    const store = { problem: null };
    this.billing = new AccountBilling({
      store,
      ledger,
      heldCharges,
      metrics,
      clock,
      logger,
      settings: DEFAULT_BILLING,
    });
  }

  static async open(): Promise<Gateway> {
    const address = new URL(url);
    const proxy = await TcpProxy.open(Number(address.port));
    address.port = String(proxy.port);
    const own = openPool({ url: address.href, logger });
    const health = new WriteHealth(async () => null);
    const ledger = new PostgresLedger({ pool: own, clock, nodeId: 'node', logger, health, leaseMs: LEASE_MS });
    const { heldCharges } = await openTestStore();
    return new Gateway(proxy, ledger, own, heldCharges);
  }

  async reserve(count: number): Promise<Reservation[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => this.billing.reserve(request())));
    return answers.filter((answer): answer is Reservation => !(answer instanceof Failure));
  }

  async close(): Promise<void> {
    this.proxy.release();
    await this.ledger.close();
    await this.pool.end();
    this.proxy.close();
  }
}

function request(): BillableRequest {
  return {
    requestId: `req_${++requests}`,
    principal: {
      account: sampleAccount({ id: 'acme', billing: 'prepaid', budget: BUDGET }),
      credential: sampleCredential({ accountId: 'acme', id: 'ci', limitNanoUsd: 80n * COST }),
    },
    modelId: 'm',
    prices: PRICES,
    mayUsePlatform: true,
    mayUseOwn: false,
    bounds: BOUNDS,
  };
}

const settle = (reservation: Reservation) =>
  reservation.settle(
    billableOf({ input: 1_000, cachedInput: 0, cacheWrite: 0, output: 500, reasoning: 0, source: 'reported' }),
    SHARED,
  );

async function leased(): Promise<bigint> {
  const { rows } = await query<{ leased: string }>(
    pool,
    `select coalesce(sum(leased_nano), 0) as leased from (
       select leased_nano from balances union all select leased_nano from key_spending
       union all select leased_nano from budget_spending
       union all select amount_nano from leases union all select amount_nano from budget_leases) l`,
  );
  return BigInt(rows[0]?.leased ?? -1);
}

const nodes = async () => (await query<{ node_id: string }>(pool, 'select node_id from nodes')).rows;

async function expectNothingLeased(charges: number): Promise<void> {
  for (const { billing } of gateways) await billing.wallets.giveBackIdle(true);
  expect(await leased()).toBe(0n);
  const { ledger } = gateways[0]!;
  expect((await ledger.balance('acme')).balanceNanoUsd).toBe(OPENING - BigInt(charges) * COST);
  expect((await ledger.verify()).problems).toEqual([]);
}

test('after a pause of the database in which two busy gateways lost their leases', async () => {
  const running = await Promise.all(gateways.map((gateway) => gateway.reserve(2)));
  expect(running.map((of) => of.length)).toEqual([2, 2]);
  const before = (await nodes()).map(({ node_id }) => node_id);
  expect(before).toHaveLength(2);
  for (const { proxy } of gateways) proxy.hold();
  const underWay = gateways.map((gateway) => gateway.reserve(MORE_THAN_LEASED));
  const charging = running.flatMap((of) => of.map(settle));
  // The clock passes the end of the leases, so each gateway notices at its next request that it renewed them too late.
  clock.advance(LEASE_MS);
  const after = gateways.map((gateway) => gateway.reserve(1));
  for (const { proxy } of gateways) proxy.release();
  const reserved = (await Promise.all([...underWay, ...after])).flat();
  const settled = await Promise.all([...charging, ...reserved.map(settle)]);
  expect((await nodes()).length).toBe(4);
  // Also expires the leases of nodes that are no longer renewed.
  await query(pool, "update nodes set expires_at = clock_timestamp() - interval '1 second' where node_id = any($1)", [
    before,
  ]);
  await gateways[0]!.ledger.endExpiredNodes();
  await expectNothingLeased(settled.length);
}, 600_000);

test('after losing connections on which the database had leased something', async () => {
  const [first] = await gateways[0]!.reserve(1);
  // The server commits, but the response does not arrive.
  gateways[0]!.proxy.hold();
  const underWay = gateways[0]!.reserve(MORE_THAN_LEASED);
  gateways[0]!.proxy.cut();
  gateways[0]!.proxy.release();
  const reserved = [...(await underWay), first!];
  await Promise.all(reserved.map(settle));
  await expectNothingLeased(reserved.length);
}, 600_000);

test('after the database ran a statement whose caller had given up', async () => {
  const [first] = await gateways[0]!.reserve(1);
  // Has the effect of a lease that timed out.
  await query(pool, 'update leases set amount_nano = amount_nano + $1', [7n * COST]);
  await query(pool, 'update balances set leased_nano = leased_nano + $1', [7n * COST]);
  await query(pool, 'update key_spending set leased_nano = leased_nano + $1', [7n * COST]);
  const before = await leased();
  clock.advance(5_000);
  await gateways[0]!.billing.wallets.giveBackIdle();
  // The sum counts each lease twice: in its spending pool and in the node's row.
  await until('the leases are released', async () => before - (await leased()) >= 28n * COST);
  await settle(first!);
  await expectNothingLeased(1);
}, 600_000);
