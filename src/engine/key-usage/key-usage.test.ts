import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import type { RateCounters } from '../ports/rate-counters.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { KeyUsage } from './key-usage.ts';
import { UsageLimits } from './usage-limits.ts';

const admitted = { decisions: [], isAdmitted: true, hasFreePlace: true, place: null };

/** Returns the usage of one key over a ledger whose reads the test ends. */
function bed(usageAccess: 'none' | 'key' | 'account' = 'key', take: RateCounters['take'] = () => admitted) {
  const reads: { readonly end: () => void; readonly fail: (error: unknown) => void }[] = [];
  let nowMs = 1_000_000;
  const usage = new KeyUsage({
    ...{ principals: { find: () => principal }, keyUsed: () => {}, wrongKeys: { refused: (_, failure) => failure } },
    limits: new UsageLimits({ take }),
    clock: { nowMs: () => nowMs },
    ledger: {
      spending: () =>
        new Promise((resolve, reject) => {
          reads.push({ end: () => resolve([]), fail: reject });
        }),
      budgetSpending: async () => [],
      credits: async () => ({ balanceNanoUsd: 0n, creditedNanoUsd: 0n }),
    },
    usage: { sums: async (queries) => queries.map(() => []) },
    retention: { thinning: async () => ({ doneUntilMs: 0, minutesBeforeMs: 0, hoursBeforeMs: 0, ranksBeforeMs: 0 }) },
    kept: { minuteSumsMs: 1, hourSumsMs: 1 },
    storeFailure: () => new Failure('storage_unavailable', { message: 'away' }),
  });
  const principal = { account: sampleAccount(), credential: sampleCredential({ usageAccess }) };
  const caller = { envelope: {}, secret: 'sk-12345678', address: () => null };
  const read = async (query = '') => (await usage.read(caller, 'key', new URLSearchParams(query))).result;
  return { reads, read, pass: (ms: number) => (nowMs += ms) };
}

const codeOf = (result: unknown) => (result instanceof Failure ? result.kind : 'read');

test('requests within a second share a read, and a failed one is not kept', async () => {
  const { reads, read, pass } = bed();
  const first = [read(), read()];
  await Bun.sleep(0);
  expect(reads).toHaveLength(1);
  reads[0]?.fail(new Error('away'));
  expect((await Promise.all(first)).map(codeOf)).toEqual(['storage_unavailable', 'storage_unavailable']);
  const second = read();
  await Bun.sleep(0);
  reads[1]?.end();
  expect(codeOf(await second)).toBe('read');
  expect(await read()).toBe((await second) as string);
  pass(1_001);
  void read();
  await Bun.sleep(0);
  expect(reads).toHaveLength(3);
});

test('the reads of an account follow each other, and a bounded number waits', async () => {
  const { reads, read } = bed();
  const results = Array.from({ length: 22 }, (_, index) => read(`n=${index}`));
  expect((await Promise.all(results.slice(20))).map(codeOf)).toEqual([
    'usage_reads_in_flight',
    'usage_reads_in_flight',
  ]);
  expect(reads).toHaveLength(1);
  for (let done = 0; done < 20; done++) {
    reads[done]?.end();
    expect(codeOf(await results[done])).toBe('read');
    await Bun.sleep(0);
  }
  expect(reads).toHaveLength(20);
});

test('a key without access, and a query that is too long, read nothing', async () => {
  const hidden = bed('none');
  expect(codeOf(await hidden.read())).toBe('usage_access');
  const long = bed();
  expect(codeOf(await long.read(`a=${'x'.repeat(1_000)}`))).toBe('invalid_value');
  expect([...hidden.reads, ...long.reads]).toEqual([]);
});

test('the refusal names whose limit is reached, with the longest wait', async () => {
  const decision = { limit: 1, remaining: 0, resetMs: 0 };
  const taken = (accountMs: number, keyMs: number) => () => ({
    ...{ ...admitted, isAdmitted: false },
    decisions: [accountMs, keyMs].map((retryAfterMs) => ({
      ...decision,
      retryAfterMs,
      isAdmitted: retryAfterMs === 0,
    })),
  });
  const refused = async (take: RateCounters['take']) => {
    const result = await bed('key', take).read();
    return result instanceof Failure ? [result.message, result.details.retryAfterMs] : null;
  };
  expect(await refused(taken(0, 7))).toEqual(['This key may read its usage 60 times in any 60 seconds.', 7]);
  expect(await refused(taken(9, 0))).toEqual(['This account may read its usage 300 times in any 60 seconds.', 9]);
  const away = await bed('key', async () => ({ retryAfterMs: 500 })).read();
  expect(codeOf(away)).toBe('limits_unavailable');
});
