import { expect, test } from 'bun:test';
import { noncePlaceholder } from '../load/protocol.ts';
import type { Round } from '../measure.ts';
import { parseOptions } from '../options.ts';
import { allScenarios, chosenScenarios } from '../scenarios.ts';
import { judgeMemory, judgeSummaries, summarize } from './summary.ts';
import { formatNumber, renderTable } from './table.ts';

function round(cpuMs: number, p99Ms: number, lost = 0): Round {
  const load = { complete: 1000, lost, firstProblem: '', durationMs: 500, p50Ms: p99Ms / 2, p99Ms, peakOpen: 10 };
  const memory = { rssBeforeBytes: 50e6, rssPeakBytes: 51e6, processes: 1, threads: 4 };
  return { load, cpuMs, ...memory, upstreamRequests: 1000, upstreamPeakStreams: 10 };
}

function scenario(name: string) {
  const found = allScenarios(parseOptions([])).find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
}

test('ratios and added latency are taken within a round before the median', () => {
  // The second round is twice as slow for everybody, which must not change the ratio.
  const [, gateway] = summarize([
    { target: 'bare', rounds: [round(30, 1), round(60, 2), round(30, 1)] },
    { target: 'gateway', rounds: [round(45, 3), round(90, 4), round(45, 3)] },
  ]);
  expect(gateway?.cpuRatio).toBe(1.5);
  expect(gateway?.addedP99Ms).toBe(2);
  expect(gateway?.cpuMicrosPerRequest).toBe(45);
  expect(gateway?.requestsPerSecond).toBe(2000);
  expect(gateway?.bytesPerStream).toBe(100_000);
});

test('without a bare pass-through there is no ratio', () => {
  const [gateway] = summarize([{ target: 'gateway', rounds: [round(45, 3)] }]);
  expect(gateway?.cpuRatio).toBeNaN();
});

test('another target can be the reference', () => {
  const results = [
    { target: 'gateway', rounds: [round(40, 1), round(80, 2)] },
    { target: 'gateway-telemetry', rounds: [round(60, 2), round(120, 3)] },
  ];
  expect(summarize(results, 'gateway').map(({ cpuRatio }) => cpuRatio)).toEqual([1, 1.5]);
  expect(scenario('telemetry')).toMatchObject({ reference: 'gateway', targets: expect.arrayContaining(['gateway']) });
});

test('the budget is kept at its limit and missed above it', () => {
  const verdict = (gatewayCpuMs: number, lost = 0) =>
    judgeSummaries(
      scenario('json'),
      summarize([
        { target: 'bare', rounds: [round(30, 1)] },
        { target: 'gateway', rounds: [round(gatewayCpuMs, 1, lost)] },
      ]),
    )?.verdict;
  expect(verdict(60)).toBe('ok');
  expect(verdict(61)).toBe('over');
  expect(verdict(30, 1)).toBe('over');
});

test('a gateway that did not start is not measured, not ok', () => {
  expect(judgeSummaries(scenario('json'), summarize([{ target: 'bare', rounds: [round(30, 1)] }]))?.verdict).toBe(
    'not measured',
  );
});

test('memory may grow by a tenth', () => {
  const verdict = (secondBytes: number) =>
    judgeMemory(scenario('memory'), [{ target: 'gateway', firstBytes: 100, secondBytes, lost: 0 }])?.verdict;
  expect(verdict(110)).toBe('ok');
  expect(verdict(111)).toBe('over');
});

test('a table lines up its columns', () => {
  expect(
    renderTable(
      ['name', 'ms'],
      [
        ['a', '1.5'],
        ['longer', '10'],
      ],
      1,
    ),
  ).toBe(['name     ms', '------  ---', 'a       1.5', 'longer   10'].join('\n'));
});

test('a missing measurement is shown as a dash', () => {
  expect(formatNumber(Number.NaN, 1)).toBe('-');
  expect(formatNumber(1.25, 1)).toBe('1.3');
});

test('options list scenarios and targets with commas or by repetition, and misspelt ones are refused', () => {
  expect(parseOptions(['--only', 'json,stream', '--only', 'large']).only).toEqual(['json', 'stream', 'large']);
  expect(() => parseOptions(['--targets', 'bare,ngnix'])).toThrow('ngnix');
  expect(() => parseOptions(['--rounds', '0'])).toThrow('--rounds');
  expect(() => chosenScenarios(parseOptions(['--only', 'jsn']))).toThrow('jsn');
});

test('consecutive requests of a scenario differ, except in cache scenarios', () => {
  for (const { name, request, baseline } of allScenarios(parseOptions([]))) {
    expect({ name, varies: request.body.includes(noncePlaceholder) }).toEqual({ name, varies: name !== 'cache-hit' });
    if (baseline !== undefined) expect(baseline.body).toContain(noncePlaceholder);
  }
});
