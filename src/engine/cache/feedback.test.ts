import { describe, expect, test } from 'bun:test';
import type { CacheEntry } from '../../domain/cache/cache.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { pause } from '../../domain/testing/until.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { hashSecret } from '../access/secrets.ts';
import { FakeClock } from '../admin/testing/fake-clock.ts';
import { FakeLimits } from '../call/testing/fake-money.ts';
import type { CacheReportStore } from '../ports/cache-reports.ts';
import { sampleAccount, sampleCacheReport, sampleCredential } from '../ports/testing/samples.ts';
import { CacheFeedback, type CacheFeedbackPorts } from './feedback.ts';
import { FakeCacheReports } from './testing/fake-cache-reports.ts';

const ID = `ce_${'a'.repeat(32)}`;
const SAID = { cache_entry_id: ID, feedback_type: 'wrong_answer', description: 'a private matter' };
const ENTRY: CacheEntry = {
  ...{ id: ID, key: 'k'.repeat(43), accountId: 'a', isShared: false, modelId: 'quick', upstreamModel: 'up' },
  channel: { id: 'c', name: 'C', provider: 'openai', channelType: 'PLATFORM' },
  ...{ storedAtMs: 0, expiresAtMs: Number.MAX_SAFE_INTEGER, answer: new Uint8Array(), question: null },
};

type FeedbackCache = CacheFeedbackPorts['cache'];

/** A cache whose invalidation a test can delay. */
class FakeCache implements FeedbackCache {
  entries: CacheEntry[] = [ENTRY];
  served = new Set<string>();
  invalidated: { readonly id: string; readonly untilMs: number }[] = [];
  ready: Promise<void> = Promise.resolve();

  findById = async (id: string) => this.entries.find((entry) => entry.id === id) ?? null;
  wasInvalidated = async (id: string) => this.invalidated.some((one) => one.id === id);
  wasServed = async ({ id }: CacheEntry, accountId: string) => this.served.has(`${id} ${accountId}`);
  invalidate = async ({ id }: { readonly id: string }, untilMs: number) => {
    await this.ready;
    this.entries = this.entries.filter((entry) => entry.id !== id);
    this.invalidated.push({ id, untilMs });
  };
}

/** `reporting('a', '1')` reports as key 1 of account a. */
function bed(overrides: Partial<CacheFeedbackPorts> = {}) {
  const cache = new FakeCache();
  const reports: CacheReportStore = new FakeCacheReports();
  const limits = new FakeLimits();
  const clock = new FakeClock(1_000);
  const counted: string[] = [];
  const lines: string[] = [];
  const line = (...told: unknown[]) => void lines.push(JSON.stringify(told));
  const callers = new Map(
    ['a', 'b', 'c'].flatMap((id) =>
      ['1', '2', '3'].map((key) => {
        const principal = { account: sampleAccount({ id }), credential: sampleCredential({ accountId: id, id: key }) };
        return [hashSecret(secretOf(id, key)), principal] as const;
      }),
    ),
  );
  let ids = 0;
  const feedback = new CacheFeedback({
    ...{ cache, reports, limits, clock, keyUsed: () => undefined },
    principals: { find: (hash) => callers.get(hash) ?? null },
    wrongKeys: { refused: (_caller, failure) => failure },
    settings: { keys: 2, blockMs: 500 },
    metrics: {
      cacheReported: (type) => counted.push(type),
      cacheInvalidated: (by, entries) => counted.push(`${by} ${entries}`),
    },
    logger: { debug: line, info: line, warn: line, error: line },
    newId: (prefix) => `${prefix}${++ids}`,
    ...overrides,
  });
  const send = async (secret: string, body: string | Failure) => {
    const readBody = async () => (body instanceof Failure ? body : new TextEncoder().encode(body));
    return await feedback.report({ envelope: openaiChat, secret, address: () => '::1', readBody });
  };
  const reporting = async (account: string, key: string, changes: object = {}) => {
    const { result } = await send(secretOf(account, key), JSON.stringify({ ...SAID, ...changes }));
    return result instanceof Failure ? result.code : JSON.parse(result);
  };
  const kept = () => reports.list({ limit: 10, before: null, accountId: null, entryId: null });
  return { cache, reports, limits, clock, counted, lines, send, reporting, kept };
}

function secretOf(account: string, key: string): string {
  return `sk-${account}-${key}-0123456789abcdef0123456789abcdef`;
}

const recorded = (invalidated: boolean) => ({ status: 'recorded', cache_entry_id: ID, invalidated });
const again = (invalidated: boolean) => ({ status: 'already_recorded', cache_entry_id: ID, invalidated });

describe('a report', () => {
  test('is stored completely, and does not remove the entry alone', async () => {
    const { cache, counted, reporting, kept } = bed();
    expect(await reporting('a', '1')).toEqual(recorded(false));
    expect(await kept()).toEqual([
      {
        ...{ id: 'cr_1', entryId: ID, cacheKey: ENTRY.key, accountId: 'a', keyId: '1', modelId: 'quick' },
        ...{ type: 'wrong_answer', description: 'a private matter', atMs: 1_000, invalidatedAtMs: null },
      },
    ]);
    expect([cache.invalidated, counted]).toEqual([[], ['wrong_answer']]);
  });

  test('of the same key counts once, even if it changes', async () => {
    const { cache, counted, reporting, kept } = bed();
    await reporting('a', '1');
    for (let time = 0; time < 3; time++)
      expect(await reporting('a', '1', { feedback_type: 'unsafe' })).toEqual(again(false));
    expect([cache.invalidated, counted, (await kept()).length]).toEqual([[], ['wrong_answer'], 1]);
  });

  test('by enough keys removes the entry and blocks its request for a while', async () => {
    const { cache, counted, reporting, kept } = bed();
    await reporting('a', '1');
    expect(await reporting('a', '2', { feedback_type: 'outdated' })).toEqual(recorded(true));
    expect(cache.invalidated).toEqual([{ id: ID, untilMs: 1_500 }]);
    expect((await kept()).map(({ invalidatedAtMs }) => invalidatedAtMs)).toEqual([1_000, 1_000]);
    expect(counted).toEqual(['wrong_answer', 'outdated', 'feedback 1']);
  });

  test('by several keys at once removes it once, and each response is true', async () => {
    const { cache, counted, reporting } = bed();
    const { promise, resolve } = Promise.withResolvers<void>();
    cache.ready = promise;
    const keys = ['1', '2', '3', '2'];
    const answers = Promise.all(keys.map((key) => reporting('a', key)));
    await pause();
    expect(cache.invalidated).toEqual([]);
    resolve();
    expect(await answers).toEqual([recorded(false), recorded(true), recorded(true), again(true)]);
    expect(cache.invalidated).toHaveLength(1);
    expect(counted.filter((one) => one === 'feedback 1')).toHaveLength(1);
  });

  test('on a removed entry is stored, and the response says so', async () => {
    const { cache, clock, reporting, kept } = bed();
    await reporting('a', '1');
    await reporting('a', '2');
    clock.advance(100);
    expect(await reporting('a', '1')).toEqual(again(true));
    expect(await reporting('a', '3', { feedback_type: 'unsafe' })).toEqual(recorded(true));
    expect(await reporting('a', '3')).toEqual(again(true));
    expect(cache.invalidated).toHaveLength(1);
    expect((await kept())[0]).toMatchObject({ keyId: '3', modelId: 'quick', invalidatedAtMs: 1_000 });
  });

  test('completes the removal that an earlier one failed to do', async () => {
    const { cache, reports, reporting } = bed();
    await reporting('a', '1');
    await reports.add(sampleCacheReport({ entryId: ID, accountId: 'a', keyId: '2' }), 9);
    expect(await reporting('a', '1')).toEqual(again(true));
    expect(cache.invalidated).toHaveLength(1);
  });
});

describe('an entry', () => {
  test('of another account is reported as unknown, even once removed', async () => {
    const { cache, send, reporting, kept } = bed();
    const failureOf = async (id: unknown, account = 'b') =>
      (await send(secretOf(account, '1'), JSON.stringify({ ...SAID, cache_entry_id: id }))).result;
    const foreign = await failureOf(ID);
    expect(foreign).toMatchObject({ code: 'cache_entry_not_found', details: { param: 'cache_entry_id' } });
    for (const id of [`ce_${'b'.repeat(32)}`, '', 'ce_1', `${ID}\0`, 'x'.repeat(60_000)])
      expect(await failureOf(id)).toEqual(foreign);
    // The entry is not shared, so a record that it was served to another account is ignored.
    cache.served.add(`${ID} b`);
    expect(await failureOf(ID)).toEqual(foreign);
    await reporting('a', '1');
    await reporting('a', '2');
    expect(await failureOf(ID)).toEqual(foreign);
    expect(await kept()).toHaveLength(2);
    cache.invalidated = [];
    expect(await failureOf(ID, 'a')).toEqual(foreign);
  });

  test('that is shared is not removed by the keys of one account that did not make it', async () => {
    const { cache, reporting } = bed();
    cache.entries = [{ ...ENTRY, isShared: true }];
    cache.served = new Set([`${ID} b`, `${ID} c`]);
    expect(await reporting('b', '1')).toEqual(recorded(false));
    expect(await reporting('b', '2')).toEqual(recorded(false));
    expect(await reporting('b', '3')).toEqual(recorded(false));
    expect(await reporting('c', '1')).toEqual(recorded(true));
  });

  test('that is shared is removed by its maker', async () => {
    const { cache, reporting } = bed();
    cache.entries = [{ ...ENTRY, isShared: true }];
    expect(await reporting('a', '1')).toEqual(recorded(false));
    expect(await reporting('a', '2')).toEqual(recorded(true));
  });

  test('that is shared can be reported only by those it was served to', async () => {
    const { cache, reporting } = bed();
    cache.entries = [{ ...ENTRY, isShared: true }];
    cache.served.add(`${ID} b`);
    expect(await reporting('c', '1')).toBe('cache_entry_not_found');
    expect(await reporting('b', '1')).toEqual(recorded(false));
    // A key with the same name in another account.
    expect(await reporting('a', '1')).toEqual(recorded(true));
    expect(await reporting('c', '1')).toEqual(recorded(true));
  });
});

describe('an invalid report', () => {
  test.each([
    ['', 'empty_body', undefined],
    ['{', 'invalid_json', undefined],
    ['[]', 'invalid_type', undefined],
    ['{"feedback_type": "other"}', 'missing_required_parameter', 'cache_entry_id'],
    [JSON.stringify({ ...SAID, cache_entry_id: 7 }), 'invalid_type', 'cache_entry_id'],
    [JSON.stringify({ ...SAID, feedback_type: null }), 'missing_required_parameter', 'feedback_type'],
    [JSON.stringify({ ...SAID, feedback_type: ['other'] }), 'invalid_type', 'feedback_type'],
    [JSON.stringify({ ...SAID, feedback_type: 'WRONG_ANSWER' }), 'invalid_value', 'feedback_type'],
    [JSON.stringify({ ...SAID, feedback_type: 'toString' }), 'invalid_value', 'feedback_type'],
    [JSON.stringify({ ...SAID, description: {} }), 'invalid_type', 'description'],
    [JSON.stringify({ ...SAID, description: '😀'.repeat(4_001) }), 'payload_too_large', 'description'],
    [`{"feedback_type":"other",${JSON.stringify(SAID).slice(1)}`, 'invalid_value', 'feedback_type'],
  ])('%.60s is refused: %s', async (body, code, param) => {
    const { send, kept } = bed();
    const { result } = await send(secretOf('a', '1'), body);
    expect(result).toMatchObject({ code, details: param === undefined ? {} : { param } });
    expect(await kept()).toEqual([]);
  });

  test('names the cause if the body is unreadable, the key invalid or the limit reached', async () => {
    const { limits, send, kept } = bed();
    const tooLarge = new Failure('payload_too_large', { message: 'It is too large.' });
    expect((await send(secretOf('a', '1'), tooLarge)).result).toBe(tooLarge);
    expect((await send('sk-nobody', JSON.stringify(SAID))).result).toMatchObject({ code: 'invalid_api_key' });
    limits.refusal = new Failure('rate_limit_exceeded', { message: 'It is too much.' });
    expect((await send(secretOf('a', '1'), JSON.stringify(SAID))).result).toBe(limits.refusal);
    expect(await kept()).toEqual([]);
    expect(limits.ended).toHaveLength(2);
  });
});

test.each([['😀'.repeat(4_000)], [null], [undefined], ['half \ud800']])(
  'a description may have 4,000 characters, be absent, or null; other members are ignored (%#)',
  async (description) => {
    const { reporting, kept } = bed();
    expect(await reporting('a', '1', { description, later: true })).toEqual(recorded(false));
    expect(await kept()).toMatchObject([{ description: description?.toWellFormed() ?? '' }]);
  },
);

test('if reports cannot be stored the client is told to retry, and the log omits the content', async () => {
  const away = async () => {
    throw new Error('the database is unavailable');
  };
  const { cache, send, lines, counted } = bed({ reports: { add: away, invalidated: away, list: away } });
  const { result } = await send(secretOf('a', '1'), JSON.stringify(SAID));
  expect(result).toMatchObject({ code: 'storage_unavailable', details: { retryAfterMs: 5_000 } });
  expect([cache.invalidated, counted, lines.length]).toEqual([[], [], 1]);
  expect(lines.join()).not.toContain('private');
});

test('if only the removal mark cannot be stored, the entry is removed all the same', async () => {
  const reports: CacheReportStore = new FakeCacheReports();
  const { cache, reporting, lines } = bed({
    reports: {
      add: (...of) => reports.add(...of),
      list: (page) => reports.list(page),
      invalidated: () => Promise.reject(new Error('the database is unavailable')),
    },
  });
  await reporting('a', '1');
  expect(await reporting('a', '2')).toEqual(recorded(true));
  expect(cache.invalidated).toHaveLength(1);
  expect(lines.join()).not.toContain('private');
});
