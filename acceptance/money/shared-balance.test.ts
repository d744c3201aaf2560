import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelTo, keyOf, modelOver } from '../../conformance/money/bed.ts';
import { Books, nano, postgresQuery, type Query } from '../../conformance/money/books.ts';
import { buy, type Receipt, tally } from '../../conformance/money/client.ts';
import { Gate } from '../../conformance/money/gate.ts';
import { CLIENT_FORMATS, inParallel } from '../../conformance/routing/client.ts';
import { metricsOf } from '../../conformance/shared/metrics.ts';
import { until } from '../../conformance/shared/until.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { type ProcessBed, startProcessBed } from './bed.ts';

const NODES = 3;
const AT_ONCE = 800;
const PAID = 280;
const UNIT = nano('0.001');
/** The gateway to kill, and the upstream request at which it is killed, when others are in flight. */
const VICTIM = 1;
const ANSWERED_BEFORE = 100;
const KILLED_AT = 200;
const ASK_AGAIN_MS = 100;
const TIMEOUT_MS = 600_000;

describe('three gateways that share a PostgreSQL', () => {
  const gate = new Gate();
  let bed: ProcessBed;
  let books: Books;
  let query: Query;
  let onArrival: () => void = () => undefined;

  beforeAll(async () => {
    const postgres = await sharedTestPostgres();
    const DATABASE_URL = await postgres.createDatabase();
    query = postgresQuery(DATABASE_URL);
    const usage = { input: 5, output: 1 };
    bed = await startProcessBed({
      models: {
        unit: {
          ...{ words: 1, usage, pricing: { per_request: '0.001' } },
          // Delays responses so that many reservations are open at once.
          opens: () => {
            onArrival();
            return Promise.all([gate.pass(), Bun.sleep(20 + Math.random() * 60)]);
          },
        },
      },
      accounts: [
        { id: 'calm', balance_usd: '0.28' },
        { id: 'short', balance_usd: '0.05' },
        { id: 'killed', balance_usd: '0.28' },
        { id: 'capped', billing: 'unlimited' },
        {
          ...{ id: 'killed-key', billing: 'unlimited' },
          keys: [{ id: 'killed-key', name: 'killed-key', secret: keyOf('killed-key'), limit_usd: '0.28' }],
        },
      ],
      channels: (origin) => [
        {
          ...channelTo(origin, 'openai-chat', 'capped'),
          ...{ api_key: null, models: { capped: 'unit' } },
          api_keys: [{ name: 'only', key: 'upstream-key', spend_cap: { usd: '0.01', per: 'total' } }],
        },
      ],
      pricedModels: [{ id: 'capped', pricing: { per_request: '0.001' } }],
      nodes: NODES,
      env: { DATABASE_URL, SWITCHYARD_SECRET: 'shared-by-all-nodes-0123456789abcdef' },
    });
    books = new Books(bed, query);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await bed?.stop();
  }, TIMEOUT_MS);

  const ask = (account: string, node: number, index = 0) =>
    buy({
      ...{ port: bed.port(node), key: keyOf(account), model: modelOver('openai-chat', 'unit') },
      ...{ format: CLIENT_FORMATS[index % 4]!, stream: index % 8 < 4 },
    });

  /** The sum of all charges of the account, in units. */
  const charged = async (account: string) => Number(-(await chargeSum(account)) / UNIT);
  const chargeSum = async (account: string) =>
    (await books.charges(account)).reduce((sum, { amount_nano }) => sum + amount_nano, 0n);

  /** Sends requests until `units` are spent: parts of them are still leased by gateways that do not need them. */
  async function spendUntil(units: number, account: string, nodes: readonly number[]): Promise<readonly Receipt[]> {
    const receipts: Receipt[] = [];
    await until(
      `${units} units of ${account} are spent`,
      async () => {
        if ((await charged(account)) >= units) return true;
        receipts.push(...(await inParallel(16, 16, (index) => ask(account, nodes[index % nodes.length]!, index))));
        // Real time: gateways release unneeded leases once a second, and each retry costs processor time.
        await Bun.sleep(ASK_AGAIN_MS);
        return false;
      },
      TIMEOUT_MS,
    );
    return receipts;
  }

  /** Expects that each received response is charged once, and no more than the balance in total. */
  async function expectExactly(receipts: readonly Receipt[], account: string): Promise<void> {
    const charges = await books.chargesByRequest();
    const complete = receipts.filter(({ isComplete }) => isComplete);
    expect(complete.filter(({ requestId }) => charges.get(requestId) !== UNIT)).toEqual([]);
    const refused = receipts.filter(({ status }) => status === 402);
    expect(refused.filter(({ requestId }) => (charges.get(requestId) ?? 0n) !== 0n)).toEqual([]);
    expect(await chargeSum(account)).toBe(-UNIT * BigInt(PAID));
    expect(complete.length).toBeLessThanOrEqual(PAID);
  }

  test(
    'a small balance is spent to its last unit at once, since gateways ask each other for unneeded leases',
    async () => {
      const receipts = await inParallel(80, 80, (index) => ask('short', index % NODES, index));
      expect(tally(receipts)).toEqual({ '200': 50, '402 insufficient_balance': 30 });
      expect(await books.balance('short')).toBe(0n);
      // The last unit of a new grant is also found after another gateway has leased all of it.
      expect(await bed.run('accounts', 'grant', 'short', '0.003')).toMatchObject({ exitCode: 0 });
      for (const node of [0, 1, 2]) expect((await ask('short', node)).status).toBe(200);
      expect((await ask('short', 0)).error.code).toBe('insufficient_balance');
      await books.verify();
    },
    TIMEOUT_MS,
  );

  test(
    'the spend cap of an upstream key holds for all gateways together, though none reaches it alone',
    async () => {
      const chat = (node: number) =>
        buy({ port: bed.port(node), key: keyOf('capped'), model: 'capped', format: 'openai-chat', stream: false });
      const spentRatio = async (node: number) =>
        (await metricsOf(bed.nodes[node]!)).find(({ name }) => name === 'switchyard_upstream_key_spent_ratio')?.value;
      const receipts = await inParallel(10, 10, (index) => chat(index % 2));
      expect(tally(receipts)).toEqual({ '200': 10 });
      for (const node of [0, 1, 2]) {
        await until(`gateway ${node} knows that the cap is reached`, async () => (await spentRatio(node)) === 1);
        expect((await chat(node)).error.code).toBe('all_channels_failed');
      }
      const { stdout } = await bed.run('channels', 'list', 'capped', '--json');
      expect(JSON.parse(stdout)).toMatchObject([{ api_keys: [{ spent_usd: '0.01', state: 'capped' }] }]);
      await books.verify();
    },
    TIMEOUT_MS,
  );

  test(
    `${AT_ONCE} requests at once on a balance that pays ${PAID}`,
    async () => {
      const first = await inParallel(AT_ONCE, AT_ONCE, (index) => ask('calm', index % NODES, index));
      const { '200': answered = 0, '402 insufficient_balance': refused = 0 } = tally(first);
      // Every client got a response or a refusal, and the refusals were for insufficient balance.
      expect(answered + refused).toBe(AT_ONCE);
      expect(answered).toBeLessThanOrEqual(PAID);
      const rest = await spendUntil(PAID, 'calm', [0, 1, 2]);
      const all = [...first, ...rest];
      expect(all.filter(({ isComplete }) => isComplete)).toHaveLength(PAID);
      await expectExactly(all, 'calm');
      expect(await books.balance('calm')).toBe(0n);
      for (let node = 0; node < NODES; node++)
        expect((await ask('calm', node)).error.code).toBe('insufficient_balance');
    },
    TIMEOUT_MS,
  );

  test(
    'no nano-dollar is missing or charged twice when one gateway is killed under load',
    async () => {
      const accounts = ['killed', 'killed-key'] as const;
      let arrived = 0;
      let killing: Promise<void> | null = null;
      onArrival = () => {
        arrived++;
        if (arrived === ANSWERED_BEFORE) gate.close();
        if (arrived === KILLED_AT) killing = bed.kill(VICTIM).then(() => gate.release());
      };
      // Alternates between the two, so that both are under load.
      const both = await inParallel(2 * AT_ONCE, 2 * AT_ONCE, (index) =>
        ask(accounts[index % 2]!, (index >> 1) % NODES, index >> 1),
      );
      expect(killing).not.toBeNull();
      await killing;
      // Expires its leases.
      await query(`UPDATE nodes SET expires_at = clock_timestamp() WHERE node_id LIKE '%:${bed.nodes[VICTIM]!.pid}/%'`);
      const onBalance = both.filter((_, index) => index % 2 === 0);
      const onLimit = both.filter((_, index) => index % 2 === 1);
      const cut = both.filter(({ status, isComplete }) => status === 0 || (status === 200 && !isComplete));
      expect(cut.length).toBeGreaterThan(0);

      const others = [0, 2];
      const [moreOnBalance, moreOnLimit] = await Promise.all([
        spendUntil(PAID, 'killed', others),
        spendUntil(PAID, 'killed-key', others),
      ]);
      await expectExactly([...onBalance, ...moreOnBalance], 'killed');
      await expectExactly([...onLimit, ...moreOnLimit], 'killed-key');
      expect(await books.balance('killed')).toBe(0n);
      expect(await books.balance('killed-key')).toBe(-UNIT * BigInt(PAID));
      await books.untilNothingIsLeased();
      await books.verify();
    },
    TIMEOUT_MS,
  );

  test(
    'a killed gateway restarts and sees what the others have spent',
    async () => {
      await bed.start(VICTIM);
      expect((await ask('killed', VICTIM)).error.code).toBe('insufficient_balance');
      expect((await ask('killed-key', VICTIM)).error.code).toBe('quota_exceeded');
      expect(await bed.run('accounts', 'grant', 'killed', '0.003')).toMatchObject({ exitCode: 0 });
      const receipts = await spendUntil(PAID + 3, 'killed', [0, 1, 2]);
      expect(receipts.filter(({ isComplete }) => isComplete)).toHaveLength(3);
      expect(await books.balance('killed')).toBe(0n);
      await books.verify();
    },
    TIMEOUT_MS,
  );
});
