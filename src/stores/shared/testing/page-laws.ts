import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { traceIdOf } from '../../../domain/trace/span-ids.ts';
import type { LogPlace, RequestLogQuery } from '../../../engine/ports/request-log.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleCharge, sampleEntry, sampleRecord } from '../../../engine/ports/testing/samples.ts';
import { thinEverything } from './usage-laws.ts';

const START_MS = Date.parse('2026-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const line = fc.record({
  offset: fc.oneof(fc.constantFrom(0, 1, 59_999, 60_000, HOUR_MS, 30 * HOUR_MS), fc.nat(40 * HOUR_MS)),
  latencyMs: fc.oneof(fc.nat(2_000), fc.constantFrom(90_000.5, 3 * HOUR_MS)),
  model: fc.constantFrom('small', 'large'),
  key: fc.constantFrom('one', 'two', null),
  status: fc.constantFrom(200, 404, 499),
  tags: fc.constantFrom<readonly string[]>([], ['team=red'], ['team=blue', 'id=1']),
  cached: fc.boolean(),
  clientRequestId: fc.constantFrom('a', 'A', 'a_', 'a%', undefined),
  traceId: fc.constantFrom(TRACE, undefined),
});
const query = fc.record<RequestLogQuery>(
  {
    keyId: fc.constantFrom('one', 'two'),
    modelId: fc.constantFrom('small', 'large', 'none'),
    status: fc.constantFrom({ from: 404, to: 404 }, { from: 400, to: 499 }),
    errorCodes: fc.constantFrom(['not_found'], ['other', 'not_found'], ['other']),
    channelIds: fc.constantFrom(['openai-main'], ['none', 'spare'], ['none']),
    failed: fc.boolean(),
    cached: fc.boolean(),
    tag: fc.constantFrom('team=red', 'id=1', 'id=2'),
    fromMs: fc.constantFrom(START_MS + 60_000, START_MS + HOUR_MS),
    toMs: fc.constantFrom(START_MS + 60_000, START_MS + 30 * HOUR_MS + 1),
    minLatencyMs: fc.constantFrom(1_000, HOUR_MS),
    minCostNanoUsd: fc.constantFrom(10n),
    stream: fc.boolean(),
    clientRequestId: fc.constantFrom('a', 'a_', 'a%', '%'),
    traceId: fc.constantFrom(TRACE, TRACE.replace('4', '5')),
  },
  { requiredKeys: [] },
);

/** Compares pages with plain filtering: each line appears once, whatever is rolled up and while other lines are written. */
export function pageLawTests(store: () => Store, histories: number): void {
  test(`lines of the log are found in pages, in ${histories} histories`, async () => {
    let made = 0;
    const history = fc.asyncProperty(
      fc.array(line, { maxLength: 25 }),
      fc.array(query, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 7 }),
      async (lines, queries, limit) => {
        const { requestLog, usage } = store();
        const accountId = `pages-${++made}`;
        const records = lines.map(
          ({ offset, latencyMs, model, key, status, tags, cached, clientRequestId, traceId }, index) =>
            sampleRecord({
              ...{ requestId: `${accountId}-${index}`, accountId, atMs: START_MS + offset, latencyMs, modelId: model },
              ...{ keyId: key, status, errorCode: status === 404 ? 'not_found' : null, costNanoUsd: BigInt(index) },
              ...{ cacheMatch: cached ? ('exact' as const) : null, stream: index % 2 === 0 },
              ...(clientRequestId !== undefined && { clientRequestId }),
              ...(traceId !== undefined && { traceId }),
              channelId: index % 3 === 0 ? 'spare' : 'openai-main',
              ...(tags.length > 0 && { tags, summedTags: tags.map((tag) => (tag === 'id=1' ? 'id=(other)' : tag)) }),
            }),
        );
        for (const [index, record] of records.entries()) {
          requestLog.append(record);
          if (index % 9 === 8) await requestLog.flush();
          if (index % 13 === 12) await usage.roll(made % 2 === 0 ? 5 : 1_000);
          if (index % 8 === 7 && made % 3 === 0) await thinEverything(store(), 4);
        }
        for (const of of queries) {
          const found: string[] = [];
          let after: LogPlace | null = null;
          do {
            const page = await requestLog.page({ ...of, accountId }, after, limit);
            expect(page.records.length).toBeLessThanOrEqual(limit);
            found.push(...page.records.map(({ requestId }) => requestId));
            after = page.next;
            requestLog.append(
              sampleRecord({ requestId: 'later', accountId, atMs: START_MS + 90 * HOUR_MS, keyId: 'x' }),
            );
          } while (after !== null);
          const before = found.filter((requestId) => requestId !== 'later');
          const matching = records.filter((record) => matches(record, of));
          const isOfId = of.clientRequestId !== undefined || of.traceId !== undefined;
          const wanted = isOfId ? matching.reverse() : matching.sort((a, b) => b.atMs - a.atMs);
          expect([...before].sort()).toEqual(wanted.map(({ requestId }) => requestId).sort());
          const times = before.map((requestId) => wanted.find((record) => record.requestId === requestId)?.atMs);
          expect(times).toEqual(wanted.map(({ atMs }) => atMs));
        }
      },
    );
    await fc.assert(history, { numRuns: histories, seed: 1 });
  }, 600_000);

  test('a page that ends within a millisecond continues there, for all accounts and for one', async () => {
    const { requestLog } = store();
    const atMs = START_MS - 240 * HOUR_MS;
    const ids = Array.from({ length: 12 }, (_, index) => `same-${index}`);
    for (const requestId of ids) requestLog.append(sampleRecord({ requestId, accountId: 'same', atMs }));
    for (const of of [{}, { accountId: 'same' }]) {
      const found: string[] = [];
      let after: LogPlace | null = null;
      do {
        const page = await requestLog.page({ ...of, fromMs: atMs, toMs: atMs + 1 }, after, 5);
        found.push(...page.records.map(({ requestId }) => requestId));
        after = page.next;
      } while (after !== null);
      expect(found).toEqual(ids.toReversed());
    }
  });

  test('a line is found by its id, with its tags and losses', async () => {
    const { requestLog } = store();
    const requestId = `req_${Bun.randomUUIDv7()}`;
    const losses = [{ field: 'seed', verdict: 'dropped', why: 'there is none' }] as const;
    const record = sampleRecord({ requestId, atMs: Date.now() + 3, tags: ['team=red'], losses });
    requestLog.append(record);
    expect(await requestLog.find(requestId)).toEqual(record);
    expect(await requestLog.find(`req_${Bun.randomUUIDv7()}`)).toBeNull();
    expect(await requestLog.find('other')).toBeNull();
  });

  test('a trace that is named after its request leads to it, and to other requests of the trace', async () => {
    const { requestLog } = store();
    const [requestId, untraced] = [`req_${Bun.randomUUIDv7()}`, `req_${Bun.randomUUIDv7()}`];
    const traceId = traceIdOf(requestId);
    const atMs = Date.now();
    const own = sampleRecord({ requestId, atMs, accountId: 'traced', traceId });
    const joined = sampleRecord({ requestId: 'joined', atMs: atMs + 5, accountId: 'traced', traceId });
    for (const record of [own, joined, sampleRecord({ requestId: untraced, atMs })]) requestLog.append(record);
    expect(await requestLog.find(requestId)).toEqual(own);
    expect(await requestLog.page({ traceId }, null, 10)).toEqual({ records: [joined, own], next: null });
    const first = await requestLog.page({ traceId }, null, 1);
    expect(first.records).toEqual([joined]);
    expect(await requestLog.page({ traceId }, first.next, 1)).toEqual({ records: [own], next: null });
    expect((await requestLog.page({ traceId, accountId: 'other' }, null, 10)).records).toEqual([]);
    expect((await requestLog.page({ traceId: traceIdOf(untraced) }, null, 10)).records).toEqual([]);
  });

  test('an id that thousands of lines share is searched in bounded pages', async () => {
    const { requestLog } = store();
    const clientRequestId = 'shared';
    for (let index = 0; index < 5_000; index++) {
      requestLog.append(
        sampleRecord({ requestId: `${index}`, accountId: index % 1_000 === 0 ? 'rare' : 'often', clientRequestId }),
      );
    }
    const found: string[] = [];
    let after: LogPlace | null = null;
    do {
      const page = await requestLog.page({ clientRequestId, accountId: 'rare' }, after, 2);
      found.push(...page.records.map(({ requestId }) => requestId));
      after = page.next;
    } while (after !== null);
    expect(found).toEqual(['4000', '3000', '2000', '1000', '0']);
  });

  test('entries of the ledger are found in pages, also while others are written', async () => {
    const { ledger } = store();
    const accountId = 'paged';
    for (let index = 0; index < 12; index++) {
      const own = { accountId, atMs: START_MS + Math.floor(index / 2) * 1_000 };
      if (index % 3 === 0)
        await ledger.append(sampleEntry({ ...own, idempotencyKey: `paged-${index}`, amountNanoUsd: 50n }));
      else
        await ledger.charge(
          sampleCharge({ ...own, requestId: `paged-${index}`, keyId: `key-${index % 2}`, costNanoUsd: 1n }),
        );
    }
    const listed = async (of: object) => {
      const found: (string | null)[] = [];
      let after: { readonly atMs: number; readonly sequence: number } | null = null;
      do {
        const page = await ledger.page({ accountId, ...of }, after, 2);
        found.push(...page.entries.map(({ idempotencyKey }) => idempotencyKey.replace(/^.*-/, '')));
        after = page.next;
        await ledger.append(
          sampleEntry({ accountId: 'another', idempotencyKey: `new-${found.length}`, amountNanoUsd: 1n }),
        );
      } while (after !== null);
      return found.join(' ');
    };
    expect(await listed({})).toBe('11 10 9 8 7 6 5 4 3 2 1 0');
    expect(await listed({ kind: 'grant' })).toBe('9 6 3 0');
    expect(await listed({ kind: 'charge', keyId: 'key-1' })).toBe('11 7 5 1');
    expect(await listed({ fromMs: START_MS + 1_000, toMs: START_MS + 3_000 })).toBe('5 4 3 2');
    expect(await ledger.find('charge:paged-1')).toMatchObject({ amountNanoUsd: -1n });
    expect(await ledger.find('charge:unknown')).toBeNull();
  });
}

function matches(record: ReturnType<typeof sampleRecord>, of: RequestLogQuery): boolean {
  return (
    (of.clientRequestId === undefined || record.clientRequestId === of.clientRequestId) &&
    (of.traceId === undefined || record.traceId === of.traceId) &&
    (of.keyId === undefined || record.keyId === of.keyId) &&
    (of.modelId === undefined || record.modelId === of.modelId) &&
    (of.status === undefined || (record.status >= of.status.from && record.status <= of.status.to)) &&
    (of.errorCodes === undefined || of.errorCodes.some((code) => code === record.errorCode)) &&
    (of.channelIds === undefined || of.channelIds.some((id) => id === record.channelId)) &&
    (of.failed === undefined || (record.errorCode !== null) === of.failed) &&
    (of.cached === undefined || (record.cacheMatch !== null) === of.cached) &&
    (of.stream === undefined || record.stream === of.stream) &&
    (of.tag === undefined || record.tags?.includes(of.tag) === true) &&
    record.atMs >= (of.fromMs ?? 0) &&
    record.atMs < (of.toMs ?? Number.POSITIVE_INFINITY) &&
    record.latencyMs >= (of.minLatencyMs ?? 0) &&
    (record.costNanoUsd ?? 0n) >= (of.minCostNanoUsd ?? 0n)
  );
}
