import { expect, test } from 'bun:test';
import type { Quota } from '../../engine/ports/rate-counters.ts';
import { asOfWhole, shareOf } from './share-of-quota.ts';

const windowOf = (limit: number) => ({ scope: '{acme}:requests', limit, windowMs: 60_000, amount: 1 });
const quota: Quota = { windows: [windowOf(60), windowOf(2)], places: { scope: '{acme}:running', limit: 10 } };

test('each limit is divided by the number of gateways, rounded down and at least 1', () => {
  expect(shareOf(quota, 3)).toEqual({
    windows: [windowOf(20), windowOf(1)],
    places: { scope: '{acme}:running', limit: 3 },
  });
  expect(shareOf({ ...quota, places: null }, 7).windows.map(({ limit }) => limit)).toEqual([8, 1]);
});

test('a single gateway has the whole quota, and a share is computed once', () => {
  expect(shareOf(quota, 1)).toBe(quota);
  expect(shareOf(quota, 3)).toBe(shareOf(quota, 3));
});

test('a decision by a share reports the limits of the whole', () => {
  const decision = { isAdmitted: true, remaining: 5, resetMs: 1, retryAfterMs: 0 };
  const taken = {
    ...{ isAdmitted: true, hasFreePlace: true, place: null },
    decisions: [
      { ...decision, limit: 20 },
      { ...decision, limit: 1 },
    ],
  };
  const told = asOfWhole(quota, shareOf(quota, 3), taken);
  expect(told.decisions.map(({ limit, remaining }) => [limit, remaining])).toEqual([
    [60, 5],
    [2, 5],
  ]);
  expect(asOfWhole(quota, quota, taken)).toBe(taken);
});
