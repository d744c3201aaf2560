import { expect, test } from 'bun:test';
import { type OutcomeCount, rankByPreference, type SuccessSnapshot } from './preference.ts';

function snapshotOf(counts: Readonly<Record<string, readonly [succeeded: number, failed: number]>>): SuccessSnapshot {
  const list: OutcomeCount[] = Object.entries(counts).map(([modelId, [succeeded, failed]]) => {
    return { modelId, succeeded, failed };
  });
  return { atMs: 1_790_000_000_000, windowMs: 86_400_000, counts: list };
}

function order(counts: Parameters<typeof snapshotOf>[0], minimumSamples = 20): string[] {
  const ids = Object.keys(counts);
  const ranked = rankByPreference(ids, snapshotOf(counts), minimumSamples).map(({ modelId }) => modelId);
  const reversed = rankByPreference(ids.toReversed(), snapshotOf(counts), minimumSamples);
  expect(reversed.map(({ modelId }) => modelId)).toEqual(ranked);
  return ranked;
}

test('scored models come by their rate, then those with too few samples by their id', () => {
  const counts = snapshotOf({ a: [15, 5], b: [19, 1], few: [19, 0], 'also-few': [1, 0], other: [50, 0] });
  expect(rankByPreference(['few', 'a', 'none', 'also-few', 'b'], counts, 20)).toEqual([
    { modelId: 'b', rank: 1, successRate: 0.95, sampleCount: 20, status: 'ready' },
    { modelId: 'a', rank: 2, successRate: 0.75, sampleCount: 20, status: 'ready' },
    { modelId: 'also-few', rank: 3, successRate: 1, sampleCount: 1, status: 'insufficient_samples' },
    { modelId: 'few', rank: 4, successRate: 1, sampleCount: 19, status: 'insufficient_samples' },
    { modelId: 'none', rank: 5, successRate: 0, sampleCount: 0, status: 'insufficient_samples' },
  ]);
});

test('a model that always fails is scored', () => {
  expect(order({ failing: [0, 20], few: [19, 0], fine: [1, 19] })).toEqual(['fine', 'failing', 'few']);
});

test('equal rates of different sizes tie, and come by id', () => {
  expect(order({ c: [2, 1], b: [200, 100], a: [20_000_000, 10_000_000] }, 1)).toEqual(['a', 'b', 'c']);
});

test('rates that are equal as floats are still ordered', () => {
  const [large, larger] = [9_007_199_254_740_989, 9_007_199_254_740_990];
  expect((large - 1) / large).toBe((larger - 1) / larger);
  expect(order({ a: [large - 1, 1], b: [larger - 1, 1] })).toEqual(['b', 'a']);
});

test('ids are ordered by code units, not by a language', () => {
  expect(order({ b: [1, 0], Z: [1, 0], ä: [1, 0], a: [1, 0] }, 1)).toEqual(['Z', 'a', 'b', 'ä']);
});

test('without a snapshot no model is scored', () => {
  expect(rankByPreference(['b', 'a'], null, 0).map(({ modelId, status }) => [modelId, status])).toEqual([
    ['a', 'insufficient_samples'],
    ['b', 'insufficient_samples'],
  ]);
});

test('a model without samples is scored last if the minimum is zero', () => {
  expect(order({ none: [0, 0], b: [0, 1], a: [1, 1] }, 0)).toEqual(['a', 'b', 'none']);
});
