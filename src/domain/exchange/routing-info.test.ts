import { expect, test } from 'bun:test';
import { RoutingFacts } from './routing-info.ts';

const CHANNEL = { id: 'a', name: 'Zürich', provider: 'openai', channelType: 'PLATFORM' } as const;

test('the JSON is ASCII, to fit in a header, and has the members of the contract', () => {
  const { json } = RoutingFacts.of(CHANNEL);
  expect(json).toContain('Z\\u00fcrich');
  expect(JSON.parse(json)).toEqual({ channel: CHANNEL, cached: false, retryCount: 0 });
});

test('unchanged facts stay the same object, so their JSON is built once', () => {
  const facts = RoutingFacts.of(CHANNEL);
  expect(facts.withRetries(0)).toBe(facts);
  const cached = facts.withCached('e1');
  expect(cached.withCached('e1')).toBe(cached);
});

test('a retry and a cache entry are both reported, whichever came first', () => {
  const facts = RoutingFacts.of(CHANNEL);
  const told = { channel: CHANNEL, cached: true, retryCount: 2, cacheEntryId: 'e1' };
  expect(JSON.parse(facts.withRetries(2).withCached('e1').json)).toEqual(told);
  expect(JSON.parse(facts.withCached('e1').withRetries(2).json)).toEqual(told);
  expect(JSON.parse(facts.json)).toEqual({ channel: CHANNEL, cached: false, retryCount: 0 });
});
