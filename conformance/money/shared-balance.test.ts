import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  hasTestPostgres,
  POSTGRES_REQUIREMENT,
  type SharedTestPostgres,
  sharedTestPostgres,
} from '../../src/stores/shared/testing/postgres.ts';
import { CLIENT_FORMATS, inParallel } from '../routing/client.ts';
import { keyOf, type MoneyBed, modelOver, startMoneyBed } from './bed.ts';
import { Books, nano, postgresQuery } from './books.ts';
import { buy, type Receipt, tally } from './client.ts';

const isMissing = !hasTestPostgres();
if (isMissing) test.skip(`gateways that share a balance [needs: ${POSTGRES_REQUIREMENT}]`, () => undefined);

const NODES = 3;
const AT_ONCE = 2_000;
const PAID = 700;
const UNIT = nano('0.001');
/** Which of them is killed, and at which of the requests that reach the upstream: then many are under way there. */
const VICTIM = 1;
const KILLED_AT = 500;
/** What a dead gateway held is free again after its leases have expired. */
const EXPIRED_WITHIN_MS = 60_000;

describe.skipIf(isMissing)('three gateways that share a PostgreSQL', () => {
  let postgres: SharedTestPostgres;
  let bed: MoneyBed;
  let books: Books;
  let onArrival: () => void = () => undefined;

  beforeAll(async () => {
    postgres = await sharedTestPostgres();
    const usage = { input: 5, output: 1 };
    bed = await startMoneyBed({
      models: {
        unit: {
          ...{ words: 1, usage, pricing: { per_request: '0.001' } },
          // Slow enough that a gateway that dies has some of them under way.
          opens: () => {
            onArrival();
            return Bun.sleep(20 + Math.random() * 60);
          },
        },
      },
      accounts: [
        { id: 'calm', balance_usd: '0.7' },
        { id: 'killed', balance_usd: '0.7' },
        {
          ...{ id: 'killed-key', billing: 'unlimited' },
          keys: [{ id: 'killed-key', name: 'killed-key', secret: keyOf('killed-key'), limit_usd: '0.7' }],
        },
      ],
      nodes: NODES,
      env: { DATABASE_URL: await postgres.createDatabase(), SWITCHYARD_SECRET: 'shared-by-all-nodes-0123456789abcdef' },
    });
    books = new Books(bed, postgresQuery(bed.env.DATABASE_URL!));
  }, 60_000);

  afterAll(async () => {
    await bed?.stop();
  }, 60_000);

  const ask = (account: string, node: number, index = 0) =>
    buy({
      ...{ port: bed.port(node), key: keyOf(account), model: modelOver('openai-chat', 'unit') },
      ...{ format: CLIENT_FORMATS[index % 4]!, stream: index % 8 < 4 },
    });

  /** The sum of all charges of the account, in units. */
  const charged = async (account: string) => Number(-(await chargeSum(account)) / UNIT);
  const chargeSum = async (account: string) =>
    (await books.charges(account)).reduce((sum, { amount_nano }) => sum + amount_nano, 0n);

  /** Asks until everything is spent that there is: parts of it are still held for gateways that do not need them. */
  async function spendTheRest(account: string, nodes: readonly number[]): Promise<readonly Receipt[]> {
    const receipts: Receipt[] = [];
    const deadlineMs = performance.now() + EXPIRED_WITHIN_MS;
    while ((await charged(account)) < PAID && performance.now() < deadlineMs) {
      receipts.push(...(await inParallel(16, 16, (index) => ask(account, nodes[index % nodes.length]!, index))));
      await Bun.sleep(200);
    }
    return receipts;
  }

  /** Each answer that has come is charged, once, and no more is charged than there was. */
  async function expectExactly(receipts: readonly Receipt[], account: string): Promise<void> {
    const charges = await books.chargesByRequest();
    const complete = receipts.filter(({ isComplete }) => isComplete);
    expect(complete.filter(({ requestId }) => charges.get(requestId) !== UNIT)).toEqual([]);
    const refused = receipts.filter(({ status }) => status === 402);
    expect(refused.filter(({ requestId }) => (charges.get(requestId) ?? 0n) !== 0n)).toEqual([]);
    expect(await chargeSum(account)).toBe(-UNIT * BigInt(PAID));
    expect(complete.length).toBeLessThanOrEqual(PAID);
  }

  test(`${AT_ONCE} requests at once on a balance that pays ${PAID}`, async () => {
    const first = await inParallel(AT_ONCE, AT_ONCE, (index) => ask('calm', index % NODES, index));
    const { '200': answered = 0, '402 insufficient_balance': refused = 0 } = tally(first);
    // Nobody got anything but an answer or a refusal, and the refusals were for want of money.
    expect(answered + refused).toBe(AT_ONCE);
    expect(answered).toBeLessThanOrEqual(PAID);
    const rest = await spendTheRest('calm', [0, 1, 2]);
    const all = [...first, ...rest];
    expect(all.filter(({ isComplete }) => isComplete)).toHaveLength(PAID);
    await expectExactly(all, 'calm');
    expect(await books.balance('calm')).toBe(0n);
    for (let node = 0; node < NODES; node++) expect((await ask('calm', node)).error.code).toBe('insufficient_balance');
  }, 90_000);

  test('one of them is killed in the middle: not a nano-dollar is missing or double', async () => {
    const accounts = ['killed', 'killed-key'] as const;
    let arrived = 0;
    let killing: Promise<void> | null = null;
    onArrival = () => {
      if (++arrived === KILLED_AT) killing = bed.kill(VICTIM);
    };
    // The two in turn, so that both are in their middle.
    const both = await inParallel(2 * AT_ONCE, 2 * AT_ONCE, (index) =>
      ask(accounts[index % 2]!, (index >> 1) % NODES, index >> 1),
    );
    expect(killing).not.toBeNull();
    await killing;
    const onBalance = both.filter((_, index) => index % 2 === 0);
    const onLimit = both.filter((_, index) => index % 2 === 1);
    const cut = both.filter(({ status, isComplete }) => status === 0 || (status === 200 && !isComplete));
    expect(cut.length).toBeGreaterThan(0);

    const others = [0, 2];
    const [moreOnBalance, moreOnLimit] = await Promise.all([
      spendTheRest('killed', others),
      spendTheRest('killed-key', others),
    ]);
    await expectExactly([...onBalance, ...moreOnBalance], 'killed');
    await expectExactly([...onLimit, ...moreOnLimit], 'killed-key');
    expect(await books.balance('killed')).toBe(0n);
    expect(await books.balance('killed-key')).toBe(-UNIT * BigInt(PAID));
    await books.verify();
  }, 120_000);

  test('the one that was killed comes back, and knows what the others have spent', async () => {
    await bed.start(VICTIM);
    expect((await ask('killed', VICTIM)).error.code).toBe('insufficient_balance');
    expect((await ask('killed-key', VICTIM)).error.code).toBe('quota_exceeded');
    expect(await bed.run('accounts', 'grant', 'killed', '0.003')).toMatchObject({ exitCode: 0 });
    const receipts = await spendAll('killed');
    expect(receipts.filter(({ isComplete }) => isComplete)).toHaveLength(3);
    expect(await books.balance('killed')).toBe(0n);
    await books.verify();
  }, 60_000);

  /** Until three units more are spent, by whichever gateway gets them. */
  async function spendAll(account: string): Promise<readonly Receipt[]> {
    const receipts: Receipt[] = [];
    const deadlineMs = performance.now() + EXPIRED_WITHIN_MS / 2;
    while ((await charged(account)) < PAID + 3 && performance.now() < deadlineMs) {
      receipts.push(...(await inParallel(NODES, NODES, (node) => ask(account, node))));
      await Bun.sleep(200);
    }
    return receipts;
  }
});
