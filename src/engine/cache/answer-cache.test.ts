import { describe, expect, test } from 'bun:test';
import type { CacheControlType } from '../../domain/cache/cache.ts';
import { pause } from '../../domain/testing/until.ts';
import { FakeClock } from '../admin/testing/fake-clock.ts';
import { DEFAULT_CACHE } from '../settings/settings.ts';
import type { CachedRequest, CachePorts, Questions } from './answer-cache.ts';
import { cachePlan } from './cache-plan.ts';
import { fakeCache } from './testing/fake-cache.ts';

const BY = { channel: { id: 'c', name: 'C', provider: 'p', channelType: 'PLATFORM' as const }, upstreamModel: 'up' };

/** `ask` opens one of several equal requests; `over` ends all requests begun so far. */
function bed(strategy: 'exact' | 'semantic', overrides: Partial<CachePorts> = {}) {
  const { cache, store } = fakeCache(new FakeClock(), overrides);
  let releases: (() => void)[] = [];
  const ask = (signal = new AbortController().signal, type: CacheControlType | null = null) => {
    const control = type === null ? null : { type, maxAgeS: null, coalesce: false };
    const plan = cachePlan(control, { ...DEFAULT_CACHE.policy, strategy, coalesce: true }, () => false);
    if (plan === null) throw new Error('there is no plan');
    const request: CachedRequest = {
      ...{ plan, accountId: 'acme', modelId: 'm', key: 'k', isShared: false },
      question: { partition: 'p', text: 'Why?' },
      signal: () => signal,
      whenOver: (release) => void releases.push(release),
      mayUse: () => true,
    };
    return cache.open(request);
  };
  const over = () => {
    const all = releases;
    releases = [];
    for (const release of all) release();
    return all.length;
  };
  return { ask, over, store };
}

/** Returns vectors late, and finds no near question. */
const SLOW: Questions = {
  name: 'slow',
  embed: async () => {
    await pause();
    return new Float32Array([1]);
  },
  nearest: async () => [],
  sameAs: async () => null,
};

describe('equal concurrent requests', () => {
  test.each(['exact', 'semantic'] as const)('wait for the first one (%s)', async (strategy) => {
    const { ask, over } = bed(strategy, { questions: SLOW });
    const uses = Array.from({ length: 10 }, () => ask());
    const finding = uses.map((use) => use.find());
    expect(await finding[0]).toBeNull();
    uses[0]?.keep('{}', BY);
    await pause();
    expect(over()).toBe(1);
    const found = await Promise.all(finding);
    expect(found.map((one) => one?.match ?? null)).toEqual([null, ...Array(9).fill('coalesced')]);
  });

  test('dispatch themselves after waiting long enough, whichever continue', async () => {
    let waits = 0;
    const { ask } = bed('exact', { sleep: async () => void waits++ });
    expect(await ask().find()).toBeNull();
    expect(await Promise.all([ask().find(), ask().find()])).toEqual([null, null]);
    expect(waits).toBe(2);
  });

  test('wait no longer than their clients', async () => {
    const { ask, over } = bed('exact');
    await ask().find();
    const leaving = new AbortController();
    const finding = ask(leaving.signal).find();
    leaving.abort();
    expect(await finding).toBeNull();
    // Only the first one is awaited.
    expect(over()).toBe(1);
  });
});

test('an entry for equivalent questions is not served to an equal request, and replaces no exact entry', async () => {
  const { ask, store } = bed('exact', { questions: SLOW });
  const { signal } = new AbortController();
  for (const type of ['default', 'semantic_only'] as const) {
    const use = ask(signal, type);
    expect(await use.find()).toBeNull();
    use.keep(JSON.stringify(type), BY);
  }
  const found = await ask(signal, 'response_only').find();
  expect(new TextDecoder().decode(found?.entry.answer)).toBe('"default"');
  expect(
    store.entries
      .values()
      .map(({ question }) => question?.partition ?? null)
      .toArray(),
  ).toEqual([null, 'p']);
});

test('only the shared entry that is served counts as served', async () => {
  const near = ['one', 'other', 'third'].map((key) => ({ key, cosine: 0.9 }));
  const questions: Questions = {
    ...SLOW,
    nearest: async () => near,
    sameAs: async (text, candidates) => (text === 'Why?' ? (candidates[1]?.found ?? null) : null),
  };
  const { cache, store } = fakeCache(new FakeClock(), { questions });
  const ask = (accountId: string, key: string, text: string) => {
    const control = { type: 'semantic_only', maxAgeS: null, coalesce: false } as const;
    const plan = cachePlan(control, DEFAULT_CACHE.policy, () => false);
    if (plan === null) throw new Error('there is no plan');
    return cache.open({
      ...{ plan, accountId, modelId: 'm', key, isShared: true, question: { partition: 'p', text } },
      signal: () => new AbortController().signal,
      whenOver: () => undefined,
      mayUse: () => true,
    });
  };
  for (const { key } of near) {
    const use = ask('globex', key, 'How?');
    expect(await use.find()).toBeNull();
    use.keep('{}', BY);
  }
  near.splice(0, 3, ...[...store.entries.keys()].map((key) => ({ key, cosine: 0.9 })));
  expect(await ask('acme', 'k', 'How?').find()).toBeNull();
  expect(store.givenTo).toEqual([]);
  expect((await ask('acme', 'k', 'Why?').find())?.entry.key).toBe(near[1]?.key);
  expect(store.givenTo).toEqual(['acme']);
});
