import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { until } from '../shared/until.ts';
import { type CacheBed, startCacheBed } from './bed.ts';

/* The cost of hits, and the places where they are counted. */

/** 30 tokens at a millidollar and 10 at two, in nano-USD. */
const PRICE = 50_000_000n;
const BALANCE = 1_000_000_000n;
const POOR = 300_000_000n;

/** Returns the balance in nano-USD, from the entries of the ledger. */
function balanceOf(bed: CacheBed, account: string): bigint {
  const entries = rowsOf<{ amount_nano: bigint }>(
    bed,
    `SELECT amount_nano FROM ledger_entries WHERE account_id = '${account}'`,
  );
  return entries.reduce((sum, { amount_nano }) => sum + amount_nano, 0n);
}

function rowsOf<Row>(bed: CacheBed, select: string): readonly Row[] {
  const database = new Database(bed.space.database, { readonly: true, safeIntegers: true });
  try {
    return database.query<Row, []>(select).all();
  } finally {
    database.close();
  }
}

/** Returns the account's savings by the cache according to its usage, in nano-USD. */
function savedOf(bed: CacheBed, account: string): bigint {
  const mine = `account_id = '${account}' AND tag = ''`;
  const select = `SELECT saved_nano FROM usage_deltas WHERE ${mine}
    UNION ALL SELECT saved_nano FROM usage_rollups WHERE ${mine} AND level = 'day'`;
  return rowsOf<{ saved_nano: bigint }>(bed, select).reduce((sum, { saved_nano }) => sum + saved_nano, 0n);
}

/** Sends new requests until the account cannot pay. Resolves to the number that it could pay. */
async function spendAll(bed: CacheBed, key: string): Promise<number> {
  for (let paid = 0; paid < 10; paid++) {
    const { status, error } = await bed.client(key).ask({ prompt: `Spend ${paid}` });
    if (status === 200) continue;
    expect([status, error.code]).toEqual([402, 'insufficient_balance']);
    return paid;
  }
  throw new Error('the stream has not ended');
}

async function verifies(bed: CacheBed): Promise<void> {
  expect(await bed.run('ledger', 'verify')).toMatchObject({ exitCode: 0, stderr: '' });
}

describe('hits are free', () => {
  let bed: CacheBed;

  beforeAll(async () => {
    bed = await startCacheBed({});
  });
  afterAll(() => bed?.stop());

  test('even without balance', async () => {
    const poor = bed.client('poor');
    const question = { prompt: 'One', control: 'default' };
    const first = await poor.ask(question);
    const spent = PRICE * BigInt(1 + (await spendAll(bed, 'poor')));
    for (const way of [{}, { stream: true }, { format: 'messages' }, { format: 'gemini', stream: true }] as const) {
      expect((await poor.ask({ ...question, ...way })).said).toBe(first.said);
    }
    expect(balanceOf(bed, 'poor')).toBe(POOR - spent);
    expect(bed.upstream.count('One')).toBe(1);
    await verifies(bed);
  });

  test('in the request log and in the metrics', async () => {
    const select = `SELECT cost_nano, cache_match, cache_entry_id, status FROM request_log WHERE model_id = 'plain' AND account_id = 'poor' AND status = 200`;
    const rows = () => rowsOf<Record<string, unknown>>(bed, select);
    const hits = () => rows().filter(({ cache_match }) => cache_match !== null);
    await until('the log is written', () => hits().length === 4 && savedOf(bed, 'poor') === 4n * PRICE);
    const [{ cache_entry_id } = {}] = hits();
    expect(cache_entry_id).toMatch(/^ce_/);
    expect(hits()).toEqual(hits().map(() => ({ cost_nano: 0n, cache_match: 'exact', cache_entry_id, status: 200n })));
    const paid = rows().filter(({ cache_match }) => cache_match === null);
    expect(new Set(paid.map(({ cost_nano }) => cost_nano))).toEqual(new Set([PRICE]));
    const metrics = await (await fetch(`${bed.serving.origin}/metrics`)).text();
    for (const line of [
      'switchyard_cache_hits_total{model="plain",match="exact"} 4',
      'switchyard_cache_misses_total{model="plain"} 1',
      'switchyard_cache_stores_total{outcome="stored"} 1',
      'switchyard_cache_saved_tokens_total{model="plain",kind="input"} 120',
    ]) {
      expect(metrics).toContain(line);
    }
  });
});

describe('hits with a price', () => {
  let bed: CacheBed;

  beforeAll(async () => {
    bed = await startCacheBed({ hit_price_percent: 50 });
  });
  afterAll(() => bed?.stop());

  test('cost their share of the original response, whole and streamed', async () => {
    const payer = bed.client('payer');
    const question = { prompt: 'One', model: 'plain', control: 'default' };
    await payer.ask(question);
    for (const way of [{}, { stream: true }, { format: 'responses' }, { format: 'messages', stream: true }] as const) {
      expect((await payer.ask({ ...question, ...way })).cached).toBe(true);
    }
    // One response and four hits at half the price.
    expect(balanceOf(bed, 'payer')).toBe(BALANCE - PRICE - 4n * (PRICE / 2n));
    await until('the log is written', () => savedOf(bed, 'payer') === 4n * (PRICE / 2n));
    await verifies(bed);
  });

  test('are refused without enough balance', async () => {
    const poor = bed.client('poor');
    await poor.ask({ prompt: 'Two', control: 'default' });
    await spendAll(bed, 'poor');
    const { status, error } = await poor.ask({ prompt: 'Two', control: 'default' });
    expect([status, error.code]).toEqual([402, 'insufficient_balance']);
  });
});
