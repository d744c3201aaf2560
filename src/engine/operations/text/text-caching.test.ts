import { describe, expect, test } from 'bun:test';
import type { Account } from '../../../domain/access/account.ts';
import type { CachePolicy } from '../../../domain/cache/cache.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import { seededRandom } from '../../../domain/routing/testing/seeded-random.ts';
import { FakeClock } from '../../admin/testing/fake-clock.ts';
import { fakeCache } from '../../cache/testing/fake-cache.ts';
import * as answers from '../../call/testing/sample-answers.ts';
import { gateway, told } from '../../call/testing/sample-gateway.ts';
import type { Body } from '../../call/testing/sample-requests.ts';
import { channelOf, directoryOf, MODEL } from '../../call/testing/sample-routes.ts';
import { sampleAccount, sampleCredential } from '../../ports/testing/samples.ts';
import { DEFAULT_CACHE } from '../../settings/settings.ts';

const EXACT: CachePolicy = { ...DEFAULT_CACHE.policy, strategy: 'exact' };
const HOUR_MS = 3_600_000;

interface Configured {
  readonly channels?: readonly Channel[];
  readonly isShared?: boolean;
  readonly policy?: CachePolicy;
}

/** Makes a gateway with a cache, whose channels answer with a new number each time; accounts and settings can change. */
function bed({ channels = [channelOf('c', 'chatting')], isShared = false, policy = EXACT }: Configured = {}) {
  const clock = new FakeClock();
  const { cache, store } = fakeCache(clock, { settings: { ...DEFAULT_CACHE, isShared, policy } });
  const now = {
    account: sampleAccount(),
    credential: sampleCredential(),
    directory: directoryOf(channels),
  };
  const made = gateway({
    ...{ clock, cache, directory: () => now.directory },
    principals: { find: () => ({ account: now.account, credential: now.credential }) },
  });
  let said = 0;
  const answering = () => answers.chatAnswer(`number ${++said}`);
  const ask = async (fields: Body = {}, headers: Record<string, string> = {}) => {
    for (const { id } of channels) made.upstream.script(id, answering);
    const outbound = await made.ask(fields, { headers });
    const text = await told(outbound);
    const { status } = outbound.kind === 'whole' ? outbound : { status: 200 };
    const number = /number \d+/.exec(text)?.[0] ?? null;
    return { status, number, text, isHit: 'x-cache-entry-id' in outbound.headers, headers: outbound.headers };
  };
  return { ...made, made, clock, store, now, ask };
}

describe('a damaged entry', () => {
  test.each([
    ['invalid JSON', '{"candidates":[{"ind'],
    ['nothing', ''],
    ['not an object', '7'],
    ['null', 'null'],
    ['not a response', '{}'],
    ['a candidate without parts', '{"candidates":[{}]}'],
    ['invalid parts', '{"candidates":[{"index":0,"parts":[null],"finish":null}],"usage":7}'],
    [
      'a call without arguments',
      '{"candidates":[{"index":0,"parts":[{"type":"tool-call"}],"finish":{"unified":"stop"}}]}',
    ],
  ])('is ignored (%s) and replaced by the next response', async (_name, damaged) => {
    for (const stream of [false, true]) {
      const { ask, store, upstream } = bed();
      await ask();
      for (const [key, entry] of store.entries)
        store.entries.set(key, { ...entry, answer: new TextEncoder().encode(damaged) });
      if (stream)
        upstream.script('c', answers.sse(answers.chatText('number 9', 'stop'), answers.CHAT_USAGE, answers.CHAT_DONE));
      const after = await ask({ stream });
      expect([after.status, after.isHit, after.number]).toEqual([200, false, stream ? 'number 9' : 'number 2']);
      expect((await ask()).isHit).toBe(true);
    }
  });
});

describe('a response held ready for the identical request', () => {
  /** The third request is not parsed any more. */
  async function held(set: Configured = {}) {
    const made = bed(set);
    for (const isHit of [false, true, true]) expect((await made.ask()).isHit).toBe(isHit);
    return made;
  }

  test('is served repeatedly, with its age', async () => {
    const { ask, clock } = await held();
    clock.advance(90_500);
    const { isHit, headers } = await ask();
    expect([isHit, headers.age]).toEqual([true, '90']);
  });

  const chatting = (fields: Partial<Channel> = {}) => [channelOf('c', 'chatting', fields)];

  test.each([
    ['the account disables the cache', { account: sampleAccount({ cache: { strategy: 'off' } }) }],
    ['the model disables it', { directory: directoryOf(chatting(), { cache: { strategy: 'off' } }) }],
    ['the channel has another model', { directory: directoryOf(chatting({ models: { [MODEL]: 'else' } })) }],
    [
      'the channel is disabled',
      { directory: directoryOf([...chatting({ enabled: false }), channelOf('d', 'chatting')]) },
    ],
    ['the account has a channel of its own', { directory: directoryOf(chatting({ owner: 'acme' })) }],
  ])('is not served once %s', async (_name, change) => {
    const { ask, now, upstream } = await held({ isShared: true });
    Object.assign(now, change);
    upstream.script('d', answers.chatAnswer());
    const { status, isHit } = await ask();
    expect([status, isHit]).toEqual([200, false]);
  });

  test.each<[string, Parameters<typeof sampleCredential>[0]]>([
    ['may not use the model', { models: ['another-model'] }],
    ['is revoked', { revokedAtMs: 1 }],
    ['has expired', { expiresAtMs: 1 }],
  ])('is not served to a key that %s', async (_name, credential) => {
    const { ask, now } = await held();
    now.credential = sampleCredential({ id: 'other', ...credential });
    const { status, isHit, number } = await ask();
    expect([status >= 400, isHit, number]).toEqual([true, false, null]);
  });

  test('is not served without its entry, after its TTL or beyond max_age', async () => {
    const gone = await held();
    gone.store.entries.clear();
    expect((await gone.ask()).isHit).toBe(false);
    const young = await held();
    young.clock.advance(61_000);
    expect((await young.ask({}, { 'x-switchyard-cache': 'max_age=60' })).isHit).toBe(false);
  });

  test('has age 0 if the clock was set back', async () => {
    const { ask, clock } = await held();
    clock.advance(-HOUR_MS);
    const { isHit, headers } = await ask();
    expect([isHit, headers.age]).toEqual([true, '0']);
    expect((await ask({}, { 'x-switchyard-cache': 'max_age=0' })).isHit).toBe(false);
  });
});

test.each([false, true])('a response that could not be charged is not stored (streamed: %p)', async (stream) => {
  const { ask, billing, upstream, store } = bed();
  billing.cost = () => Promise.reject(new Error('the disk is full'));
  if (stream) upstream.script('c', answers.sse(answers.chatText('hi', 'stop'), answers.CHAT_USAGE, answers.CHAT_DONE));
  const { text } = await ask({ stream });
  expect(text).toContain('error');
  expect(store.entries.size).toBe(0);
});

test('the features in a header count, regardless of their order', async () => {
  const { made, upstream } = bed({ channels: [channelOf('m', 'messaging')] });
  const isHit = async (headers: Record<string, string>) => {
    upstream.script('m', answers.messagesAnswer());
    const outbound = await made.ask({}, { format: 'anthropic-messages', headers });
    expect(await told(outbound)).toContain('Hello');
    return 'x-cache-entry-id' in outbound.headers;
  };
  expect(await isHit({ 'anthropic-beta': 'one-2025-01-01,two-2025-01-01' })).toBe(false);
  expect(await isHit({ 'anthropic-beta': 'two-2025-01-01, one-2025-01-01', 'anthropic-version': '2023-06-01' })).toBe(
    true,
  );
  expect(await isHit({ 'anthropic-beta': 'two-2025-01-01' })).toBe(false);
  expect(await isHit({})).toBe(false);
});

describe('two accounts', () => {
  const TRIES = 3_000;
  const ACCOUNTS = ['acme', 'globex', 'initech', 'umbrella'];

  /** Sends random requests of random accounts; `from` says which account's request an answer was made for. */
  async function asked(
    set: Configured,
    seed: number,
    tries: number,
    mayShare: (asker: string, maker: string) => boolean,
  ) {
    const { ask, now } = bed(set);
    const random = seededRandom(seed);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
    const accounts = new Map<string, Account>(ACCOUNTS.map((id) => [id, sampleAccount({ id })]));
    const makers = new Map<string, string>();
    const shared: string[] = [];
    let hits = 0;
    let others = 0;
    for (let count = 0; count < tries; count++) {
      const asker = pick(ACCOUNTS);
      now.account = accounts.get(asker) ?? now.account;
      const content = `question ${Math.floor(random() * 200)}`;
      const user = pick(['ann', 'bob']);
      const { number, isHit } = await ask(
        { messages: [{ role: 'user', content }], user },
        { 'x-switchyard-cache': pick(['default', 'no_cache', 'no_store', 'default; coalesce']) },
      );
      if (number === null) throw new Error('there is no answer');
      if (!isHit) makers.set(number, asker);
      const maker = makers.get(number) ?? 'nobody';
      if (isHit) hits++;
      if (maker === asker) continue;
      others++;
      if (!mayShare(asker, maker)) shared.push(`${asker} was given what ${maker} was told`);
    }
    return { shared, hits, others };
  }

  test(`never get each other's responses, in ${TRIES} attempts`, async () => {
    const { shared, hits, others } = await asked({}, 1, TRIES, () => false);
    expect(shared).toEqual([]);
    expect([hits > TRIES / 10, others]).toEqual([true, 0]);
  }, 600_000);

  test('that share entries get no response of an account with its own channel', async () => {
    const channels = [channelOf('c', 'chatting'), channelOf('own', 'chatting', { owner: 'globex' })];
    const mayShare = (asker: string, maker: string) => asker !== 'globex' && maker !== 'globex';
    const { shared, others } = await asked({ channels, isShared: true }, 2, 2_000, mayShare);
    expect(shared).toEqual([]);
    expect(others).toBeGreaterThan(100);
  });
});
