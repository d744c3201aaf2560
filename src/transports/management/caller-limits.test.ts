import { beforeEach, expect, test } from 'bun:test';
import type { RateCounters } from '../../engine/ports/rate-counters.ts';
import { MemoryRateCounters } from '../../stores/in-process/rate-counters.ts';
import { RequestsInFlight } from '../shared/requests-in-flight.ts';
import { CallerLimits } from './caller-limits.ts';
import { OPERATOR, token } from './testing/management-fixture.ts';

let nowMs = 0;
const clock = { monotonicMs: () => nowMs };
const OVER = { address: '203.0.113.7', isInFlight: () => false };
const OPEN = { ...OVER, isInFlight: () => true };

beforeEach(() => {
  nowMs = 0;
});

function limits(counters: Pick<RateCounters, 'take'> = new MemoryRateCounters(clock)): CallerLimits {
  const anonymousInFlight = new RequestsInFlight(5);
  return new CallerLimits({ counters, clock, perMinute: 3, anonymousPerMinute: 2, anonymousInFlight });
}

test('a person and each token may send a limited number of requests in 60 s, from any address', async () => {
  const one = limits();
  for (const _ of [1, 2, 3]) expect(await one.refusalOf(OPERATOR, OVER)).toBeNull();
  nowMs = 20_000;
  const elsewhere = { ...OVER, address: '198.51.100.1' };
  const refused = await one.refusalOf({ ...OPERATOR, sessionId: 'another' }, elsewhere);
  expect(refused).toMatchObject({ code: 'rate_limit_exceeded', kind: 'management_requests_per_minute' });
  expect(refused?.details.retryAfterMs).toBe(40_000);
  expect(await one.refusalOf(token('acme'), OVER)).toBeNull();
  expect(await one.refusalOf(token('globex'), OVER)).toBeNull();
  nowMs = 60_000;
  expect(await one.refusalOf(OPERATOR, OVER)).toBeNull();
});

test('requests without a caller count by address, IPv6 by /64', async () => {
  const one = limits();
  const from = async (address: string | null) => (await one.refusalOf(null, { ...OVER, address }))?.kind;
  expect([await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8::3')]).toEqual([
    undefined,
    undefined,
    'anonymous_requests_per_minute',
  ]);
  expect([await from('203.0.113.7'), await from(null)]).toEqual([undefined, undefined]);
  nowMs = 15_000;
  expect(one.ofAddress({ ...OVER, address: '2001:db8::1' })?.details.retryAfterMs).toBe(45_000);
  expect(await one.refusalOf(OPERATOR, { ...OVER, address: '2001:db8::1' })).toBeNull();
});

test('a caller has 64 requests in flight, and gets places back when responses are read', async () => {
  const one = limits({ take: () => ({ isAdmitted: true, decisions: [], hasFreePlace: true, place: null }) });
  const waiting = { ...OVER, isInFlight: () => isUnread };
  let isUnread = true;
  for (let index = 0; index < 64; index++) expect(await one.refusalOf(OPERATOR, waiting)).toBeNull();
  const refused = await one.refusalOf(OPERATOR, waiting);
  expect([refused?.kind, refused?.details.retryAfterMs]).toEqual(['requests_in_flight', 1_000]);
  expect(await one.refusalOf(token('acme'), OPEN)).toBeNull();
  isUnread = false;
  expect(await one.refusalOf(OPERATOR, waiting)).toBeNull();
});

test('the API stays available when the counters are not', async () => {
  const one = limits({ take: async () => ({ retryAfterMs: 500 }) });
  for (let index = 0; index < 10; index++) expect(await one.refusalOf(OPERATOR, OVER)).toBeNull();
});
