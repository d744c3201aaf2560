import { expect, test } from 'bun:test';
import type { CacheControlType } from '../../domain/cache/cache.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import { atOnce, type Steps } from '../../formats/shared/request/steps.ts';
import { FakeClock } from '../admin/testing/fake-clock.ts';
import { channelOf, directoryOf, MODEL } from '../call/testing/sample-routes.ts';
import type { CacheStoring } from '../ports/metrics.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { type CacheSettings, DEFAULT_CACHE } from '../settings/settings.ts';
import { fakeCache } from './testing/fake-cache.ts';
import { type AnswerCodec, type DigestedInput, type InputRequest, inputDigest, WholeAnswers } from './whole-answers.ts';

const DAMAGED = 'damaged';

/** Answers are texts; each character is a step. */
const CODEC: AnswerCodec<string> = {
  fits: (answer) => answer !== 'unfit',
  sizeOf: ({ length }) => length,
  *encode(answer): Steps<Uint8Array<ArrayBuffer>> {
    for (const _ of answer) yield;
    return new TextEncoder().encode(answer);
  },
  *decode(bytes): Steps<string> {
    yield;
    const text = new TextDecoder().decode(bytes);
    if (text === DAMAGED) throw new SyntaxError('unreadable');
    return text;
  },
};
const OWN = channelOf('own', 'chatting');
const REQUEST: InputRequest = {
  modelId: MODEL,
  settings: ['test', {}],
  inputs: ['a'],
  cacheControl: null,
  isUnambiguous: true,
};

interface Asked extends Partial<InputRequest> {
  readonly type?: CacheControlType;
  readonly account?: string;
  readonly channels?: readonly Channel[];
}

function bed(settings: Partial<CacheSettings> = {}) {
  const clock = new FakeClock();
  const stored: CacheStoring[] = [];
  const skipped: string[] = [];
  const { cache, store } = fakeCache(clock, {
    settings: { ...DEFAULT_CACHE, ...settings },
    metrics: {
      cacheSkipped: (why) => skipped.push(why),
      cacheMissed: () => {},
      cacheStoring: (outcome) => stored.push(outcome),
      cacheReported: () => {},
      cacheInvalidated: () => {},
    },
  });
  const over: (() => void)[] = [];
  /** Resolves to the answer found, or to `null` after the upstream's answer is stored. */
  const ask = async (answer: string, { type, account = 'acme', channels = [OWN], ...request }: Asked = {}) => {
    const ways = directoryOf(channels).routesTo(MODEL, account, 'openai-chat');
    if (ways === null) throw new Error('there is no way to the model');
    const control = type === undefined ? {} : { cacheControl: { type, maxAgeS: null, coalesce: null } };
    const caching = WholeAnswers.of(
      cache,
      CODEC,
      { ...REQUEST, ...request, ...control },
      {
        inbound: { signal: new AbortController().signal },
        outcome: { whenOver: (release) => void over.push(release), toldSteps: null },
        principal: { account: sampleAccount({ id: account }), credential: sampleCredential() },
        ways,
      },
    );
    const found = (await caching?.find()) ?? null;
    const [target] = ways.targets;
    if (target === undefined) throw new Error('there is no target');
    if (found === null) caching?.note(answer);
    caching?.completed(target);
    for (const release of over.splice(0)) release();
    return found;
  };
  return { ask, store, stored, skipped };
}

test('an equal request gets the response, the channel and the entry', async () => {
  const { ask, store } = bed();
  expect(await ask('first')).toBeNull();
  const found = await ask('second');
  expect(found).toMatchObject({
    answer: 'first',
    target: { channel: { id: 'own' } },
    hit: { match: 'exact', ageMs: 0 },
  });
  expect(found?.routing).toMatchObject({ cached: true, cacheEntryId: found?.hit.entryId ?? '' });
  expect(store.entries.size).toBe(1);
});

test('a damaged entry is ignored and replaced by the next response', async () => {
  const { ask, store } = bed();
  await ask('first');
  for (const [key, entry] of store.entries)
    store.entries.set(key, { ...entry, answer: new TextEncoder().encode(DAMAGED) });
  expect(await ask('second')).toBeNull();
  expect((await ask('third'))?.answer).toBe('second');
});

test.each<[string, Asked]>([
  ['another input', { inputs: ['b'] }],
  ['more inputs', { inputs: ['a', 'b'] }],
  ['other settings', { settings: ['test', { dimensions: 3 }] }],
  ['another account', { account: 'other' }],
])('%s makes a different request', async (_, asked) => {
  const { ask } = bed();
  await ask('first');
  expect(await ask('second', asked)).toBeNull();
  expect((await ask('third', asked))?.answer).toBe('second');
});

test.each<[CacheControlType, string | null, string]>([
  ['default', 'first', 'first'],
  ['response_only', 'first', 'first'],
  ['no_cache', null, 'second'],
  ['no_store', 'first', 'first'],
  ['semantic_only', null, 'first'],
])('%s', async (type, found, later) => {
  const { ask, store } = bed();
  await ask('first');
  expect((await ask('second', { type }))?.answer ?? null).toBe(found);
  expect((await ask('third'))?.answer).toBe(later);
  store.entries.clear();
  await ask('fourth', { type });
  expect(store.entries.size).toBe(type === 'no_store' || type === 'semantic_only' ? 0 : 1);
});

test('a response that is too large, or cannot be stored completely, is not stored', async () => {
  const { ask, store, stored } = bed({ maxEntryBytes: 5 });
  await ask('123456');
  await ask('unfit');
  expect([stored.join(', '), store.entries.size]).toEqual(['too_large, unfit', 0]);
  // The codec counts each character as one, but these take more bytes.
  await ask('äöü');
  expect([stored.at(-1), store.entries.size]).toEqual(['too_large', 0]);
  await ask('12345');
  expect([stored.at(-1), store.entries.size]).toEqual(['stored', 1]);
});

test('a large response is written and read in slices', async () => {
  const { ask, stored } = bed({ maxEntryBytes: 8 * 1024 * 1024 });
  const large = 'a'.repeat(1024 * 1024 + 1);
  await ask(large);
  expect(stored).toEqual([]);
  while (stored.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect((await ask(''))?.answer).toBe(large);
});

test('an ambiguous body bypasses the cache', async () => {
  const { ask, store, skipped } = bed();
  expect(await ask('first', { isUnambiguous: false })).toBeNull();
  expect([store.entries.size, skipped]).toEqual([0, ['request']]);
});

test('an entry is served while its channel serves the model under the same id', async () => {
  const { ask } = bed();
  const other = channelOf('other', 'chatting', { models: { [MODEL]: 'up' } });
  await ask('first', { channels: [OWN, other] });
  expect((await ask('second', { channels: [other, OWN] }))?.target.channel.id).toBe('own');
  expect(await ask('third', { type: 'no_store', channels: [other] })).toBeNull();
  const renamed = { ...OWN, models: { [MODEL]: 'newer' } };
  expect(await ask('fourth', { type: 'no_store', channels: [renamed] })).toBeNull();
});

test('accounts share entries if the operator allows it, except those of their own channels', async () => {
  const { ask } = bed({ isShared: true });
  await ask('first');
  expect((await ask('second', { account: 'other' }))?.answer).toBe('first');
  const ofAcme = channelOf('ofAcme', 'chatting', { owner: 'acme' });
  const channels = [OWN, ofAcme];
  expect(await ask('of acme', { inputs: ['b'], channels })).toBeNull();
  expect(await ask('of other', { inputs: ['b'], account: 'other', channels })).toBeNull();
  expect((await ask('again', { inputs: ['b'], channels }))?.answer).toBe('of acme');
});

test('a hit has its price', async () => {
  const { ask } = bed({ hitPricePercent: 20 });
  await ask('first');
  expect((await ask('second'))?.hit.pricePercent).toBe(20);
});

test('the strategy off serves no request, and asked only those that ask for it', async () => {
  const off = bed({ policy: { ...DEFAULT_CACHE.policy, strategy: 'off' } });
  await off.ask('first', { type: 'default' });
  expect([off.store.entries.size, off.skipped]).toEqual([0, ['policy']]);
  const asked = bed({ policy: { ...DEFAULT_CACHE.policy, strategy: 'asked' } });
  await asked.ask('first');
  expect([asked.store.entries.size, asked.skipped]).toEqual([0, []]);
  await asked.ask('first', { type: 'default' });
  expect((await asked.ask('second', { type: 'default' }))?.answer).toBe('first');
});

const digest = (settings: unknown, ...inputs: DigestedInput[]) => atOnce(inputDigest(settings, inputs));

test('a digest is as long as a cache key', () => {
  expect(digest({}, 'a')).toMatch(/^[\w-]{43}$/);
});

test('the order of members does not matter', () => {
  expect(digest({ a: 1, b: { c: 2, d: 3 } }, 'x')).toBe(digest({ b: { d: 3, c: 2 }, a: 1 }, 'x'));
});

test('everything else changes the digest', () => {
  const long = 'a'.repeat(200_000);
  const digests = [
    digest({}, 'a'),
    digest({ a: 1 }, 'a'),
    digest({}, 'ab'),
    digest({}, 'a', 'b'),
    digest({}, 'b', 'a'),
    digest({}, 'a', ''),
    digest({}, ''),
    digest({}),
    digest({}, [97]),
    digest({}, [97], [98]),
    digest({}, [97, 98]),
    digest({}, [353]),
    digest({}, [4_294_967_295]),
    digest({}, long),
    digest({}, `${long}b`),
    digest({}, `${long.slice(1)}b`),
    // UTF-8 encodes both as the replacement character.
    digest({}, '\ud800'),
    digest({}, '\ud801'),
  ];
  expect(new Set(digests).size).toBe(digests.length);
});

test('a long input is digested in many steps, also across a surrogate pair', () => {
  const text = '😀'.repeat(100_001);
  const steps = [...inputDigest({}, [`a${text}`, Array.from({ length: 300_000 }, (_, at) => at)])];
  expect(steps.length).toBe(2 + 3);
  expect(digest({}, `a${text}`)).toBe(digest({}, `a${text}`));
});
