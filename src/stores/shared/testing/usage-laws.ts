import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { sampleBillable } from '../../../domain/exchange/testing/sample-usage.ts';
import { type LatencyCounts, NO_LATENCIES } from '../../../domain/usage/latency-steps.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleAccount, sampleCharge, sampleEntry, sampleRecord } from '../../../engine/ports/testing/samples.ts';
import {
  USAGE_DIMENSIONS,
  type UsageDelta,
  type UsageMeasures,
  type UsageQuery,
} from '../../../engine/ports/usage-store.ts';
import { NOTHING_USED, usageOfCharges, usageOfLines } from '../tables/usage.ts';

const STRANDS = 4;
const MINUTE_MS = 60_000;
/** The last days of a month and a year, and the days of clock changes. */
const STARTS = ['2026-02-27T22:58:00Z', '2026-12-31T21:59:00Z', '2026-03-28T23:58:00Z', '2026-10-25T00:00:00Z'];

/** Near the boundary of a minute, an hour or a day. */
const time = fc
  .record({
    start: fc.constantFrom(...STARTS.map((start) => Date.parse(start))),
    minutes: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom(59, 60, 61, 120, 1_440, 1_441, 2_880)),
    milliseconds: fc.constantFrom(0, 1, 30_000, 59_999),
  })
  .map(({ start, minutes, milliseconds }) => start + minutes * MINUTE_MS + milliseconds);
const what = {
  atMs: time,
  key: fc.constantFrom('one', 'two', null),
  model: fc.constantFrom('small', 'large'),
  channel: fc.constantFrom('a', 'b'),
  status: fc.constantFrom(200, 499),
  tags: fc.uniqueArray(fc.constantFrom('team=red', 'team=blue', 'project=x'), {
    maxLength: 2,
    selector: (tag) => tag[0],
  }),
};
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('charge' as const), cost: fc.bigInt(0n, 9_000_000_000_000n), ...what }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('line' as const),
      tokens: fc.nat(500),
      latencyMs: fc.nat(200_000),
      savedNanoUsd: fc.bigInt(0n, 9_000_000_000_001n),
      upstreamCostNanoUsd: fc.option(fc.bigInt(0n, 9_000_000_000_001n), { nil: undefined }),
      isPriced: fc.boolean(),
      ...what,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('roll' as const), limit: fc.integer({ min: 1, max: 8 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const range = fc.tuple(time, fc.constantFrom(1, 2, 59, 61, 1_500, 500_000)).map(([fromMs, minutes]) => {
  const start = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS;
  return { fromMs: start, toMs: start + minutes * MINUTE_MS };
});
const asked = fc.record({
  range,
  parts: fc.integer({ min: 1, max: 4 }),
  groupBy: fc.uniqueArray(
    fc.constantFrom('keyId' as const, 'modelId' as const, 'channelId' as const, 'status' as const),
  ),
  models: fc.constantFrom<readonly string[] | undefined>(undefined, ['small']),
  keys: fc.constantFrom<readonly string[] | undefined>(undefined, ['one', ''], ['two']),
  tags: fc.constantFrom<UsageQuery['tags']>(
    null,
    { tag: 'team=red' },
    { key: 'team' },
    { among: ['team=red', 'project=x'] },
    { every: true },
  ),
});
type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never;

/** Compares random charges and requests, rolled up at any moment, with plain sums, and with the ledger to the nano-dollar. */
export function usageLawTests(store: () => Store, histories: number): void {
  let made = 0;

  test(`sums are right after ${histories} histories, for every query`, async () => {
    const history = fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.array(asked, { minLength: 1, maxLength: 6 }),
      async (steps, questions) => {
        const accountId = `usage-${++made}`;
        const rows = await take(store(), accountId, steps);
        for (const question of questions) await check(store(), accountId, rows, question);
        await checkLedger(store(), accountId);
      },
    );
    const parts = Array.from({ length: STRANDS }, (_, seed) =>
      fc.assert(history, { numRuns: Math.ceil(histories / STRANDS), seed }),
    );
    await Promise.all(parts);
    while ((await store().usage.roll(1_000)).isMore);
    // The charges of all accounts.
    const charged = (await store().ledger.balances()).reduce((sum, { balanceNanoUsd }) => sum - balanceNanoUsd, 0n);
    expect(await cost(store(), null)).toBe(charged);
  }, 300_000);

  test('a sum includes exactly the charges before the query while requests run', async () => {
    const { ledger, usage, requestLog, retention } = store();
    let isOver = false;
    const account = 'running';
    const startMs = Math.floor(Date.parse(STARTS[0] ?? '') / QUARTER_MS) * QUARTER_MS;
    // Only parts of hours, so that it reads sums that are being thinned.
    const quarters = [{ fromMs: startMs, toMs: startMs + 2 * QUARTER_MS }];
    const rolling = (async () => {
      while (!isOver) {
        await usage.roll(5);
        await Bun.sleep(0);
      }
    })();
    const thinning = (async () => {
      const task = { fromAccount: account, sinceMs: 0, minutesBeforeMs: THINNED_BEFORE, hoursBeforeMs: 0, limit: 3 };
      while (!isOver) {
        await retention.thinSums(task);
        await Bun.sleep(0);
      }
    })();
    const reading = (async () => {
      while (!isOver) {
        const before = -(await ledger.balance(account)).balanceNanoUsd;
        const sums = [await cost(store(), account), await cost(store(), account, quarters)];
        const after = -(await ledger.balance(account)).balanceNanoUsd;
        for (const sum of sums) expect(sum >= before && sum <= after).toBe(true);
      }
    })();
    const spending = Array.from({ length: 8 }, async (_, strand) => {
      for (let index = 0; index < 25; index++) {
        const requestId = `${account}-${strand}-${index}`;
        const atMs = Date.parse(STARTS[0] ?? '') + index * 7_000;
        const ids = { requestId, accountId: account, keyId: `key-${strand % 3}`, atMs };
        await ledger.charge(sampleCharge({ ...ids, costNanoUsd: BigInt(index + 1) }));
        requestLog.append(sampleRecord(ids));
      }
    });
    await Promise.all(spending);
    isOver = true;
    await Promise.all([rolling, thinning, reading]);
    await requestLog.flush();
    expect(await cost(store(), account)).toBe(8n * 325n);
    expect(await cost(store(), account, quarters)).toBe(8n * 325n);
    expect((await usage.sum({ ...EVERYTHING, accountIds: [account] }))[0]).toMatchObject({ requests: 200 });
  }, 600_000);

  test('the most expensive accounts come first, rolled up or not', async () => {
    const { directory, ledger, usage } = store();
    const atMs = Date.parse('1999-01-01T12:00:00Z');
    const ids = ['cheap', 'dear', 'middling', 'unused'].map((name) => `ranked-${name}`);
    await directory.write({ accounts: ids }, (writer) => {
      for (const id of ids) writer.putAccount(sampleAccount({ id }));
    });
    const charge = async (accountId: string, costNanoUsd: bigint) => {
      const requestId = `${accountId}-${costNanoUsd}`;
      expect(await ledger.charge(sampleCharge({ requestId, accountId, costNanoUsd, atMs }))).toBe('charged');
    };
    await charge('ranked-cheap', 1n);
    await charge('ranked-middling', 5n);
    await charge('ranked-dear', 4n);
    while ((await usage.roll(1_000)).isMore);
    await charge('ranked-dear', 3n);
    const span = { fromMs: atMs - MINUTE_MS, toMs: atMs + MINUTE_MS };
    const ranking: UsageQuery = {
      ...{ accountIds: 'every', spans: [span], groupBy: ['accountId'], tags: null, limit: 10, dearestFirst: true },
    };
    const told = (await usage.sum(ranking)).map(({ accountId, costNanoUsd }) => [accountId, costNanoUsd]);
    expect(told).toEqual([
      ['ranked-dear', 7n],
      ['ranked-middling', 5n],
      ['ranked-cheap', 1n],
    ]);
    while ((await usage.roll(1_000)).isMore);
    const [first, ...others] = await usage.sum({ ...ranking, limit: 1 });
    expect(first).toMatchObject({ accountId: 'ranked-dear', costNanoUsd: 7n });
    expect(others).toHaveLength(1);
  }, 600_000);

  test('groups are ranked by any measure, rolled up or not', async () => {
    const { usage, requestLog } = store();
    const atMs = Date.parse('1996-05-01T12:00:00Z');
    const requests = ['large', 'large', 'small', 'small', 'small', 'broken'];
    const line = (modelId: string, index: number) => {
      const failure = modelId === 'broken' ? { errorCode: 'upstream_error' } : {};
      return sampleRecord({ requestId: `by-${modelId}-${index}`, accountId: 'ranked-by', atMs, modelId, ...failure });
    };
    for (const [index, modelId] of requests.entries()) requestLog.append(line(modelId, index));
    await requestLog.flush();
    const modelsBy = async (rankedBy: 'requests' | 'errors') => {
      const spans = [{ fromMs: atMs - MINUTE_MS, toMs: atMs + MINUTE_MS }];
      const query = { spans, accountIds: ['ranked-by'], groupBy: ['modelId'], tags: null, limit: 10 } as const;
      return (await usage.sum({ ...query, dearestFirst: true, rankedBy })).map(({ modelId }) => modelId);
    };
    expect(await modelsBy('requests')).toEqual(['small', 'large', 'broken']);
    while ((await usage.roll(1_000)).isMore);
    expect(await modelsBy('requests')).toEqual(['small', 'large', 'broken']);
    expect((await modelsBy('errors'))[0]).toBe('broken');
  }, 240_000);

  test('the ranking of many accounts equals that of their individual sums, for any time, limit and filter', async () => {
    const { ledger, usage, requestLog } = store();
    const startMs = Date.parse('1997-03-01T00:00:00Z');
    const ids = Array.from({ length: 40 }, (_, index) => `many-${index}`);
    const charges = fc.record({
      account: fc.nat(ids.length - 1),
      minute: fc.oneof(fc.nat(5 * 1_440), fc.constantFrom(0, 1_439, 1_440, 2_880)),
      // Many are equal, and many are free.
      cost: fc.constantFrom(0n, 0n, 5n, 5n, 7n, 1_000n),
      modelId: fc.constantFrom('small', 'large'),
    });
    const made = fc.sample(charges, { numRuns: 250, seed: 35 });
    for (const [index, { account, minute, cost, modelId }] of made.entries()) {
      const of = {
        requestId: `many-${index}`,
        accountId: ids[account] ?? '',
        keyId: 'one',
        atMs: startMs + minute * MINUTE_MS,
      };
      await ledger.charge(
        sampleCharge({ ...of, costNanoUsd: cost, usage: { modelId, channelId: 'a', status: 200, tags: [] } }),
      );
      requestLog.append(sampleRecord({ ...of, modelId, latencyMs: 0 }));
      if (index % 90 === 89) {
        await requestLog.flush();
        while ((await usage.roll(1_000)).isMore);
      }
    }
    await requestLog.flush();
    const days = [0, 1, 2.5, 3, 3.99];
    for (const [from, to] of days.flatMap((from) => days.filter((to) => to > from).map((to) => [from, to] as const))) {
      const span = {
        fromMs: startMs + Math.floor(from * 1_440) * MINUTE_MS,
        toMs: startMs + Math.floor(to * 1_440) * MINUTE_MS,
      };
      for (const modelIds of [undefined, ['large']]) {
        const query = {
          spans: [span],
          groupBy: ['accountId' as const],
          tags: null,
          ...(modelIds && { modelIds }),
          dearestFirst: true,
        };
        const every = await usage.sum({ ...query, accountIds: ids, limit: 1_000 });
        for (const limit of [1, 6]) {
          const told = await usage.sum({ ...query, accountIds: 'every', limit });
          const rank = ({ costNanoUsd, requests }: UsageMeasures) => [costNanoUsd, requests];
          expect(told.map(rank)).toEqual(every.slice(0, limit + 1).map(rank));
          for (const sum of told) expect(every).toContainEqual(sum);
        }
      }
    }
  }, 600_000);
}

const THINNED_BEFORE = Date.parse('2030-01-01T00:00:00Z');
const QUARTER_MS = 15 * MINUTE_MS;

/** Compares usage sums before and after thinning, for stores that thin. */
export function thinningLawTests(store: () => Store, histories: number): void {
  let made = 0;
  const thinning = fc.oneof(
    { weight: 6, arbitrary: step },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('thin' as const), limit: fc.integer({ min: 1, max: 12 }) }) },
  );
  const thinAll = (limit: number, hoursBeforeMs = 0) => thinEverything(store(), limit, hoursBeforeMs);

  test(`sums by quarter of an hour are the same after thinning, with late rows, in ${histories} histories`, async () => {
    const history = fc.asyncProperty(
      fc.array(thinning, { maxLength: 25 }),
      fc.array(asked, { minLength: 1, maxLength: 6 }),
      async (steps, questions) => {
        const accountId = `thinned-${++made}`;
        const rows: UsageDelta[] = [];
        for (const [index, one] of [...steps, { do: 'thin' as const, limit: 500 }].entries()) {
          if (one.do === 'thin') await thinAll(one.limit);
          else rows.push(...(await take(store(), accountId, [one], index)));
        }
        for (const question of questions) await check(store(), accountId, rows, onQuarters(question));
        await checkLedger(store(), accountId);
      },
    );
    await fc.assert(history, { numRuns: histories });
    const charged = (await store().ledger.balances()).reduce((sum, { balanceNanoUsd }) => sum - balanceNanoUsd, 0n);
    expect(await cost(store(), null)).toBe(charged);
    // Day sums stay when the sums of hours and minutes are deleted.
    await thinAll(100, THINNED_BEFORE);
    expect(await cost(store(), null)).toBe(charged);
    const atMs = Date.parse(STARTS[0] ?? '');
    const hour = {
      fromMs: Math.floor(atMs / 3_600_000) * 3_600_000,
      toMs: Math.floor(atMs / 3_600_000 + 1) * 3_600_000,
    };
    expect(await store().usage.sum({ ...EVERYTHING, spans: [hour], accountIds: null })).toEqual([]);
  }, 300_000);

  test('an account with occasional requests has one row for all levels below a day, and a busy one has few', async () => {
    const { ledger } = store();
    const atMs = Date.parse('1998-01-01T12:00:00Z');
    const charge = (accountId: string, minutes: number, index: number) =>
      ledger.charge(
        sampleCharge({
          requestId: `${accountId}-${index}`,
          accountId,
          costNanoUsd: 1n,
          atMs: atMs + minutes * MINUTE_MS,
        }),
      );
    for (let index = 0; index < 10; index++) await charge('seldom', index * 61, index);
    for (let index = 0; index < 240; index++) await charge('busy', index / 4, index);
    await thinAll(7);
    const rows = async (accountId: string, minutes: number, size: number) => {
      const spans = Array.from({ length: minutes / size }, (_, index) => {
        const fromMs = atMs + index * size * MINUTE_MS;
        return { fromMs, toMs: fromMs + size * MINUTE_MS };
      });
      return (await store().usage.sum({ ...EVERYTHING, spans, accountIds: [accountId], limit: 1_000 })).length;
    };
    expect(await rows('seldom', 600, 15)).toBe(10);
    expect(await rows('seldom', 600, 1)).toBe(10);
    expect(await rows('busy', 60, 1)).toBe(4);
    expect(await rows('busy', 60, 15)).toBe(4);
  }, 600_000);
}

export async function thinEverything({ usage, retention }: Store, limit: number, hoursBeforeMs = 0): Promise<void> {
  while ((await usage.roll(1_000)).isMore);
  const task = { sinceMs: 0, minutesBeforeMs: THINNED_BEFORE, hoursBeforeMs, limit };
  for (let next: string | null = ''; next !== null; ) next = await retention.thinSums({ ...task, fromAccount: next });
}

function onQuarters(question: Asked): Asked {
  const { fromMs, toMs } = question.range;
  const start = Math.floor(fromMs / QUARTER_MS) * QUARTER_MS;
  const quarters = Math.max(question.parts, Math.ceil((toMs - start) / QUARTER_MS));
  const range = { fromMs: start, toMs: start + Math.ceil(quarters / question.parts) * question.parts * QUARTER_MS };
  return { ...question, range };
}

const EVERYTHING: Omit<UsageQuery, 'accountIds'> = {
  spans: [{ fromMs: 0, toMs: Date.parse('2030-01-01T00:00:00Z') }],
  groupBy: [],
  tags: null,
  limit: 10,
};

async function cost(
  { usage }: Store,
  accountId: string | null,
  spans: UsageQuery['spans'] = EVERYTHING.spans,
): Promise<bigint> {
  const sums = await usage.sum({ ...EVERYTHING, spans, accountIds: accountId === null ? null : [accountId] });
  return sums.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n);
}

/** Returns the rows that the steps should have added. */
async function take(
  { ledger, requestLog, usage }: Store,
  accountId: string,
  steps: readonly Step[],
  first = 0,
): Promise<UsageDelta[]> {
  const rows: UsageDelta[] = [];
  for (const [index, next] of steps.entries()) {
    if (next.do === 'roll') {
      await usage.roll(next.limit);
      continue;
    }
    const { atMs, key: keyId, model: modelId, channel: channelId, status, tags } = next;
    const ids = { requestId: `${accountId}:${first + index}`, accountId, keyId, atMs };
    if (next.do === 'charge') {
      const charge = sampleCharge({ ...ids, costNanoUsd: next.cost, usage: { modelId, channelId, status, tags } });
      expect(await ledger.charge(charge)).toBe('charged');
      expect(await ledger.charge(charge)).toBe('known');
      rows.push(...usageOfCharges([charge]).map((row) => ({ ...NOTHING_USED, ...row, atMs })));
    } else {
      const billable = sampleBillable({ input: next.tokens });
      const { latencyMs, savedNanoUsd, isPriced, upstreamCostNanoUsd: upstream } = next;
      const costs = {
        costNanoUsd: isPriced ? 0n : null,
        ...(upstream !== undefined && { upstreamCostNanoUsd: upstream }),
      };
      const of = { modelId, channelId, status, summedTags: tags, billable, latencyMs, savedNanoUsd, ...costs };
      const line = sampleRecord({ ...ids, ...of });
      requestLog.append(line);
      await requestLog.flush();
      rows.push(...usageOfLines([line]));
    }
  }
  return rows;
}

async function check({ usage }: Store, accountId: string, rows: readonly UsageDelta[], question: Asked): Promise<void> {
  const { groupBy: groups, models, keys, tags } = question;
  const spans = partsOf(question);
  const groupBy = tags === null || 'tag' in tags ? groups : [...groups, 'tag' as const];
  const query: UsageQuery = {
    ...{ accountIds: [accountId], spans, groupBy, tags, limit: 10_000, withLatencies: true },
    ...(models !== undefined && { modelIds: models }),
    ...(keys !== undefined && { keyIds: keys }),
  };
  const expected = new Map<
    string,
    {
      cost: bigint;
      saved: bigint;
      upstream: bigint;
      costed: number;
      requests: number;
      unpriced: number;
      tokens: number;
      latency: number;
      latencies: LatencyCounts;
    }
  >();
  for (const row of rows) {
    const span = spans.findIndex(({ fromMs, toMs }) => row.atMs >= fromMs && row.atMs < toMs);
    if (span === -1 || models?.includes(row.modelId) === false || keys?.includes(row.keyId) === false) continue;
    if (!isAsked(row.tag, tags)) continue;
    const place = JSON.stringify([span, ...groupBy.map((dimension) => row[dimension])]);
    const counts = { costed: 0, requests: 0, unpriced: 0, tokens: 0, latency: 0, latencies: NO_LATENCIES };
    const sum = expected.get(place) ?? { cost: 0n, saved: 0n, upstream: 0n, ...counts };
    sum.cost += row.costNanoUsd;
    sum.saved += row.savedNanoUsd;
    sum.upstream += row.upstreamCostNanoUsd;
    sum.costed += row.costedRequests;
    sum.requests += row.requests;
    sum.unpriced += row.unpricedRequests;
    sum.tokens += row.inputTokens;
    sum.latency += row.latencyMsSum;
    sum.latencies = sum.latencies.map((count, step) => count + (row.latencies[step] ?? 0));
    expected.set(place, sum);
  }
  const sums = await usage.sum(query);
  const got = sums.map((sum) => [
    JSON.stringify([sum.span, ...groupBy.map((dimension) => sum[dimension])]),
    {
      ...{ cost: sum.costNanoUsd, saved: sum.savedNanoUsd, upstream: sum.upstreamCostNanoUsd },
      ...{ costed: sum.costedRequests, requests: sum.requests, unpriced: sum.unpricedRequests },
      ...{ tokens: sum.inputTokens, latency: sum.latencyMsSum, latencies: sum.latencies },
    },
  ]);
  expect(Object.fromEntries(got)).toEqual(Object.fromEntries(expected));
  expect(got).toHaveLength(expected.size);
  for (const sum of sums) {
    const missing = USAGE_DIMENSIONS.filter((dimension) => !groupBy.some((one) => one === dimension));
    for (const dimension of missing) expect(sum).not.toHaveProperty(dimension);
  }
}

function isAsked(tag: string, tags: UsageQuery['tags']): boolean {
  if (tags === null) return tag === '';
  if ('tag' in tags) return tag === tags.tag;
  if ('among' in tags) return tags.among.includes(tag);
  return 'every' in tags ? tag !== '' : /^(team=.*)?$/.test(tag);
}

/** Splits the range into up to `parts` parts, which need not be adjacent. */
function partsOf({ range: { fromMs, toMs }, parts }: Asked) {
  const size = Math.max(1, Math.floor((toMs - fromMs) / MINUTE_MS / parts)) * MINUTE_MS;
  return Array.from({ length: parts }, (_, index) => ({
    fromMs: fromMs + index * size,
    toMs: Math.min(toMs, fromMs + (index + 1) * size),
  })).filter((span) => span.fromMs < span.toMs);
}

async function checkLedger(store: Store, accountId: string): Promise<void> {
  await store.ledger.append(sampleEntry({ idempotencyKey: `end:${accountId}`, accountId, amountNanoUsd: 0n }));
  expect(await cost(store, accountId)).toBe(-(await store.ledger.balance(accountId)).balanceNanoUsd);
}
