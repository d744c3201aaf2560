import { expect, test } from 'bun:test';
import { CACHE_STRATEGIES, type CacheControlType, type CacheStrategy } from '../../domain/cache/cache.ts';
import { DEFAULT_CACHE } from '../settings/settings.ts';
import { cachePlan } from './cache-plan.ts';

const BOTH = { exact: true, semantic: true };
const EXACT = { exact: true, semantic: false };
const SEMANTIC = { exact: false, semantic: true };
const NOTHING = { exact: false, semantic: false };

function planFor(
  type: CacheControlType | null,
  strategy: CacheStrategy,
  isDeterministic = false,
  maxAgeS: number | null = null,
) {
  const control = type === null ? null : { type, maxAgeS, coalesce: null };
  return cachePlan(control, { ...DEFAULT_CACHE.policy, strategy }, () => isDeterministic);
}

test.each([
  ['off', false, null],
  ['off', true, null],
  ['asked', true, null],
  ['deterministic', false, null],
  ['deterministic', true, EXACT],
  ['exact', false, EXACT],
  ['semantic', false, BOTH],
] as const)('a request without cache_control: strategy %s, deterministic %p', (strategy, isDeterministic, uses) => {
  const plan = planFor(null, strategy, isDeterministic);
  expect(plan?.finds ?? null).toEqual(uses);
  expect(plan?.keeps ?? null).toEqual(uses);
});

test.each([
  ['default', EXACT, EXACT],
  ['no_cache', NOTHING, EXACT],
  ['no_store', EXACT, NOTHING],
  ['response_only', EXACT, EXACT],
  ['semantic_only', SEMANTIC, SEMANTIC],
] as const)('cache_control %s looks up %p and stores %p', (type, finds, keeps) => {
  for (const strategy of ['asked', 'deterministic', 'exact'] as const) {
    expect(planFor(type, strategy)).toMatchObject({ finds, keeps });
  }
});

test('with equivalent questions by default, only response_only excludes them', () => {
  expect(planFor('default', 'semantic')).toMatchObject({ finds: BOTH, keeps: BOTH });
  expect(planFor('no_cache', 'semantic')).toMatchObject({ finds: NOTHING, keeps: BOTH });
  expect(planFor('no_store', 'semantic')).toMatchObject({ finds: BOTH, keeps: NOTHING });
  expect(planFor('response_only', 'semantic')).toMatchObject({ finds: EXACT, keeps: EXACT });
});

test('a disabled cache stays disabled whatever a request asks', () => {
  for (const type of ['default', 'semantic_only', 'no_cache'] as const) expect(planFor(type, 'off')).toBeNull();
  expect(CACHE_STRATEGIES).toContain('off');
});

test('max_age limits the age of a served entry and the TTL of the stored one', () => {
  expect(planFor('default', 'asked', false, 60)).toMatchObject({ maxAgeMs: 60_000, ttlMs: 60_000 });
  expect(planFor('default', 'asked')).toMatchObject({
    maxAgeMs: Number.POSITIVE_INFINITY,
    ttlMs: DEFAULT_CACHE.policy.ttlMs,
  });
  expect(planFor('default', 'asked', false, 0)).toMatchObject({ maxAgeMs: 0, keeps: NOTHING });
});

test('a request waits for an equal one if it or the policy says so, unless it wants a fresh response', () => {
  const policy = { ...DEFAULT_CACHE.policy, coalesce: true };
  const of = (type: CacheControlType, coalesce: boolean | null) =>
    cachePlan({ type, maxAgeS: null, coalesce }, policy, () => false)?.coalesces;
  expect(of('default', null)).toBe(true);
  expect(of('default', false)).toBe(false);
  expect(of('no_cache', true)).toBe(false);
  expect(
    cachePlan({ type: 'default', maxAgeS: null, coalesce: true }, DEFAULT_CACHE.policy, () => false)?.coalesces,
  ).toBe(true);
});
