import { expect, test } from 'bun:test';
import { figures, withMeasured } from '../budgets.ts';
import type { Round } from '../measure.ts';
import { parseOptions } from '../options.ts';
import { allScenarios, chosenScenarios } from '../scenarios.ts';
import { compareWithCheckout, compareWithLanded, concludeCheck, renderCheck } from './check.ts';
import type { BudgetLine } from './summary.ts';

function measured(scenario: string, value: number, verdict: BudgetLine['verdict'] = 'ok'): BudgetLine {
  return { scenario, value, measured: String(value), budget: 'at most', verdict };
}

function round(cpuMs: number, complete = 1000): Round {
  const load = { complete, lost: 0, firstProblem: '', durationMs: 500, p50Ms: 1, p99Ms: 2, peakOpen: 10 };
  const memory = { rssBeforeBytes: 50e6, rssPeakBytes: 51e6, processes: 1, threads: 4 };
  return { load, cpuMs, ...memory, upstreamRequests: 1000, upstreamPeakStreams: 10 };
}

const landed = {
  figures: {
    json: { measure: 'cpu-ratio', budget: 2, landed: 2 },
    latency: { measure: 'added-p99-ms', budget: 2, landed: 1 },
    stream: { measure: 'cpu-ratio', budget: 2, landed: null },
  },
} as const;

test('a ratio more than a tenth above the landed one is a regression', () => {
  const isRegression = (value: number) => compareWithLanded(measured('json', value), landed).isRegression;
  expect([1.5, 2.2, 2.21].map(isRegression)).toEqual([false, false, true]);
});

test('a scenario without a landed figure, and a latency, are not compared', () => {
  expect(compareWithLanded(measured('stream', 9), landed)).toMatchObject({ change: Number.NaN, isRegression: false });
  expect(compareWithLanded(measured('latency', 9), landed)).toMatchObject({ before: 1, isRegression: false });
});

test('checkouts are compared within each round, before the median', () => {
  // The second round is slow for both, and served fewer requests.
  const results = [
    { target: 'gateway', rounds: [round(24), round(24, 500), round(90)] },
    { target: 'gateway-before', rounds: [round(20), round(20, 500), round(20)] },
  ];
  const compared = compareWithCheckout(measured('json', 4), results, 3.4);
  expect(compared).toMatchObject({ before: 3.4, isRegression: true, range: [1.2, 4.5] });
  expect(compared.change).toBeCloseTo(1.2);
});

test('rounds that disagree are no regression', () => {
  const rounds = (...cpuMs: number[]) => cpuMs.map((ms) => round(ms));
  const compare = (...cpuMs: number[]) =>
    compareWithCheckout(
      measured('json', 4),
      [
        { target: 'gateway', rounds: rounds(...cpuMs) },
        { target: 'gateway-before', rounds: rounds(20, 20, 20) },
      ],
      3.4,
    );
  expect([compare(18, 23, 24).isRegression, compare(21, 23, 24).isRegression]).toEqual([false, true]);
});

test('without rounds of the other checkout nothing is compared', () => {
  const compared = compareWithCheckout(measured('json', 4), [{ target: 'gateway', rounds: [round(24)] }], Number.NaN);
  expect(compared).toMatchObject({ change: Number.NaN, isRegression: false });
  expect(compared.range).toBeUndefined();
});

test('a regression fails the check, a missed budget does not, and what could not be measured is no success', () => {
  const same = compareWithLanded(measured('json', 2), landed);
  const slower = compareWithLanded(measured('json', 3, 'over'), landed);
  const over = compareWithLanded(measured('json', 2.1, 'over'), landed);
  const unknown = compareWithLanded(measured('json', Number.NaN, 'not measured'), landed);
  const code = (...lines: (typeof same)[]) => concludeCheck(lines).exitCode;
  expect([code(same), code(over), code(same, slower), code(same, unknown), code()]).toEqual([0, 0, 1, 2, 2]);
  expect(concludeCheck([slower, unknown]).texts).toEqual([
    'Regressions over 10 %: json',
    'Over their budget: json',
    'Not measured: json',
  ]);
  expect(renderCheck([slower], 'landed')).toContain('REGRESSION');
});

test('measured values replace landed ones, and others stay', () => {
  const run = { measuredOn: '2026-12-01', commit: 'abc' };
  const written = withMeasured(
    { ...run, ...landed },
    new Map([
      ['json', 3.4567],
      ['latency', Number.NaN],
    ]),
    run,
  );
  expect(written.figures.json?.landed).toBe(3.46);
  expect([written.figures.latency?.landed, written.figures.stream?.landed]).toEqual([1, null]);
});

test('every figure names a scenario, and has a budget above 0', () => {
  const names = allScenarios(parseOptions([])).map(({ name }) => name);
  for (const [name, { budget, landed }] of Object.entries(figures.figures)) {
    expect(names).toContain(name);
    expect(budget).toBeGreaterThan(0);
    expect(landed === null || landed > 0).toBe(true);
  }
});

test('a check runs the scenarios whose figures are ratios of CPU time', () => {
  const chosen = chosenScenarios(parseOptions(['--check']));
  expect(chosen.map(({ name }) => name)).toContain('unused-guards');
  expect(chosen.every(({ kind, budget }) => kind === 'closed' && budget !== undefined)).toBe(true);
  expect(() => parseOptions(['--against', '../other'])).toThrow('--check');
});
