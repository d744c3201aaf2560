import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Client } from 'pg';
import {
  hasTestPostgres,
  POSTGRES_REQUIREMENT,
  startTestPostgres,
  type TestPostgres,
} from '../../src/stores/shared/testing/postgres.ts';
import { SMALL_DISK_REQUIREMENT, SmallDisk } from '../../src/stores/shared/testing/small-disk.ts';
import { CLIENT_FORMATS } from '../routing/client.ts';
import { until } from '../shared/until.ts';
import { keyOf, type MoneyBed, modelOver, startMoneyBed } from './bed.ts';
import { Books, postgresQuery, type Query } from './books.ts';
import { buyAtOnce, type Receipt, tally } from './client.ts';

/* A gateway whose store takes no writes: nothing is bought that could not be charged, and nothing is lost. */

const PRICING = { input_per_1m: '1', output_per_1m: '10' };
const USAGE = { input: 12, output: 30 };
const UNDER_WAY = 24;
const ACCOUNTS = ['payer', 'recorded'] as const;
const DISK_BYTES = 16 * 1024 * 1024;

/** A store that can be made to fail as it does in life, and mended. */
interface Trouble {
  readonly reason: RegExp;
  readonly env: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

async function fullDisk(): Promise<Trouble> {
  const disk = new SmallDisk(DISK_BYTES);
  return {
    reason: /^the disk is full$/,
    env: { SWITCHYARD_DATA: disk.folder },
    query: async <Row>(sql: string) => {
      const database = new Database(`${disk.folder}/switchyard.sqlite`, { readonly: true, safeIntegers: true });
      try {
        return database.query<Row, []>(sql).all();
      } finally {
        database.close();
      }
    },
    begin: async () => disk.fill(),
    end: async () => disk.free(),
    remove: async () => disk.remove(),
  };
}

async function databaseOf(postgres: TestPostgres) {
  const url = await postgres.createDatabase();
  const env = { DATABASE_URL: url, SWITCHYARD_SECRET: 'the-secret-of-all-nodes-0123456789' };
  return { env, query: postgresQuery(url), remove: () => postgres.stop() };
}

async function readOnlyDatabase(): Promise<Trouble> {
  const postgres = await startTestPostgres();
  const set = async (value: string) => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`alter system set default_transaction_read_only = ${value}`);
    await client.query('select pg_reload_conf()');
    await client.end();
  };
  const reason = /^the database is read-only$/;
  return { ...(await databaseOf(postgres)), reason, begin: () => set('on'), end: () => set('off') };
}

async function databaseAway(): Promise<Trouble> {
  const postgres = await startTestPostgres();
  const reason = /^the database is away$/;
  return {
    ...(await databaseOf(postgres)),
    ...{ reason, begin: () => postgres.crash(), end: () => postgres.restart() },
  };
}

const hasDisk = SmallDisk.isPossible();
const hasPostgres = hasTestPostgres();
if (!hasDisk) test.skip(`a full disk [needs: ${SMALL_DISK_REQUIREMENT}]`, () => undefined);
if (!hasPostgres) test.skip(`PostgreSQL that takes no writes [needs: ${POSTGRES_REQUIREMENT}]`, () => undefined);

const TROUBLES: readonly (readonly [string, () => Promise<Trouble>])[] = [
  ...(hasDisk ? [['a full disk', fullDisk] as const] : []),
  ...(hasPostgres
    ? ([
        ['a read-only database', readOnlyDatabase],
        ['no database', databaseAway],
      ] as const)
    : []),
];

describe.each(TROUBLES)('a gateway with %s', (_name, make) => {
  let trouble: Trouble;
  let bed: MoneyBed;
  let books: Books;

  beforeAll(async () => {
    trouble = await make();
    const sound = { words: 30, usage: USAGE };
    bed = await startMoneyBed({
      models: {
        sound: { ...sound, pricing: PRICING },
        slow: { ...sound, gapMs: 100, pricing: PRICING },
        free: { ...sound, pricing: 'free' },
      },
      accounts: [
        { id: 'payer', balance_usd: '100' },
        { id: 'recorded', billing: 'unlimited' },
      ],
      env: trouble.env,
    });
    books = new Books(bed, trouble.query);
  }, 60_000);

  afterAll(async () => {
    await bed?.stop();
    await trouble?.remove();
  }, 60_000);

  const ready = async () => {
    const answer = await fetch(`http://127.0.0.1:${bed.port()}/readyz`);
    const { reason = null } = (await answer.json()) as { readonly reason?: string };
    return { status: answer.status, reason };
  };
  const purchase = (name: string, index: number) => {
    const format = CLIENT_FORMATS[index % 4]!;
    // Every second one is translated.
    const model = modelOver(CLIENT_FORMATS[(index + (index % 8 < 4 ? 0 : 1)) % 4]!, name);
    return { ...{ port: bed.port(), format, model, stream: index % 3 === 0 }, key: keyOf(ACCOUNTS[index % 2]!) };
  };
  const charged = async (receipts: readonly Receipt[]) => {
    const charges = await books.chargesByRequest();
    return receipts.filter(({ requestId }) => charges.has(requestId)).length;
  };

  test('buys nothing that it cannot charge, and is well again by itself', async () => {
    const { served } = bed.upstream;
    expect(await ready()).toEqual({ status: 200, reason: null });
    const underWay = buyAtOnce(UNDER_WAY, (index) => ({ ...purchase('slow', index), stream: true }));
    await until('all have begun', () => served.filter(({ words }) => words > 1).length === UNDER_WAY, 30_000);
    await trouble.begin();
    await until('it says so', async () => (await ready()).status === 503, 30_000);
    // For a moment it may say only that it cannot be read.
    await until('it says why', async () => trouble.reason.test((await ready()).reason ?? ''), 30_000);

    const before = served.length;
    const refused = await buyAtOnce(32, (index) => purchase('sound', index));
    for (const { status, headers, body, error } of refused) {
      expect([status, headers.get('retry-after'), body]).toEqual([
        503,
        '5',
        expect.stringContaining('cannot write down'),
      ]);
      expect(body).not.toMatch(/tmp|sqlite|postgres|disk/i);
      expect(error.message).toBeString();
    }
    expect(served).toHaveLength(before);
    // What costs nothing goes on, and so does reading.
    expect(tally(await buyAtOnce(8, (index) => purchase('free', index)))).toEqual({ 200: 8 });
    const models = await fetch(`http://127.0.0.1:${bed.port()}/v1/models`, {
      headers: { authorization: `Bearer ${keyOf('payer')}` },
    });
    expect(models.status).toBe(200);
    expect(served).toHaveLength(before + 8);

    await trouble.end();
    await until('it is well again', async () => (await ready()).status === 200, 30_000);
    // Those that were under way have waited for their charges.
    const waited = await underWay;
    expect(tally(waited)).toEqual({ 200: UNDER_WAY });
    const admitted = await buyAtOnce(8, (index) => purchase('sound', index));
    expect(tally(admitted)).toEqual({ 200: 8 });
    expect([await charged(waited), await charged(refused), await charged(admitted)]).toEqual([UNDER_WAY, 0, 8]);
    await until(
      'the log is written',
      async () => (await books.log([...waited, ...admitted, ...refused])).size > 0,
      30_000,
    );
    await books.verify();
  }, 120_000);
});
