import { expect, test } from 'bun:test';
import type { Round } from '../measure.ts';
import type { RivalsReport } from '../rivals.ts';
import { renderRivals, renderRivalsMarkdown, rivalRows } from './rivals.ts';
import { summarize } from './summary.ts';

interface Measured {
  readonly cpuMs: number;
  readonly p99Ms?: number;
  readonly rssPeakBytes?: number;
  readonly lost?: number;
}

function round({ cpuMs, p99Ms = 2, rssPeakBytes = 50e6, lost = 0 }: Measured): Round {
  const load = { complete: 1000, lost, firstProblem: '', durationMs: 500, p50Ms: p99Ms / 2, p99Ms, peakOpen: 32 };
  const memory = { rssBeforeBytes: 40e6, rssPeakBytes, processes: 2, threads: 9 };
  return { load, cpuMs, ...memory, upstreamRequests: 1000, upstreamPeakStreams: 32 };
}

function scenario(name: string, bare: Measured, rival: Measured | undefined) {
  const rounds = [
    { target: 'bare', rounds: [round(bare)] },
    ...(rival === undefined ? [] : [{ target: 'gate', rounds: [round(rival)] }]),
  ];
  return { scenario: name, summaries: summarize(rounds), rounds };
}

const contenders = [
  { name: 'bare', label: 'bare pass-through', version: 'Bun 1', switchedOn: 'nothing' },
  { name: 'gate', label: 'Gate', version: '2.0', switchedOn: 'keys | logs' },
  { name: 'absent', label: 'Absent', version: '3.0', switchedOn: 'everything' },
];

const scenarios = [
  scenario('json', { cpuMs: 30 }, { cpuMs: 300, rssPeakBytes: 80e6 }),
  scenario('stream', { cpuMs: 100 }, { cpuMs: 250, rssPeakBytes: 90e6, lost: 3 }),
  scenario('latency', { cpuMs: 40 }, { cpuMs: 400, p99Ms: 12.5, rssPeakBytes: 70e6 }),
];

function report(changes: Partial<RivalsReport> = {}): RivalsReport {
  const rows = rivalRows(contenders, scenarios);
  const head = { date: '2026-11-28', processor: 'Some CPU', requestsPerSecond: 50 };
  return { ...head, rows, absent: [], notes: [], scenarios, ...changes };
}

test('a row takes CPU from the closed scenarios, latency from the open one, memory and losses from all', () => {
  const [, gate] = rivalRows(contenders, scenarios);
  expect(gate).toEqual({
    name: 'gate',
    label: 'Gate',
    version: '2.0',
    switchedOn: 'keys | logs',
    cpuMicrosPerRequest: 300,
    cpuRatio: 10,
    requestsPerSecond: 2000,
    streamCpuMicros: 250,
    streamCpuRatio: 2.5,
    p50Ms: 6.25,
    p99Ms: 12.5,
    peakRssBytes: 90e6,
    processes: 2,
    threads: 9,
    lost: 3,
  });
});

test('a server without measurements has no row, and a missing scenario is a dash', () => {
  const rows = rivalRows(contenders, [
    scenario('json', { cpuMs: 30 }, { cpuMs: 300 }),
    scenario('stream', { cpuMs: 100 }, undefined),
  ]);
  expect(rows.map(({ name }) => name)).toEqual(['bare', 'gate']);
  expect(renderRivalsMarkdown(report({ rows }))).toContain(
    '| Gate | 2.0 | 300 | 10.0 | 2000 | - | - | - | - | 50 | 2/9 | 0 |',
  );
});

test('the terminal output has the table, the enabled features, and the missing rivals', () => {
  const text = renderRivals(report({ absent: [{ label: 'Absent', why: 'not installed' }] }));
  expect(text).toContain('p50 ms at 50/s');
  expect(text).toContain('Gate: keys | logs');
  expect(text).toEndWith('Not measured: Absent (not installed).');
});

test('Markdown begins with the date, and the content of a cell cannot break the table', () => {
  const lines = renderRivalsMarkdown(report()).split('\n');
  expect(lines[0]).toStartWith('Measured on 2026-11-28 (Some CPU): ');
  const table = lines.filter((line) => line.startsWith('|'));
  expect(table).toHaveLength(4);
  const columns = table.map((line) => line.replaceAll('\\|', '').split('|').length);
  expect(new Set(columns).size).toBe(1);
  expect(table[3]).toContain('keys \\| logs');
});

test('Markdown has the first line of each note, without the log that follows it', () => {
  const text = renderRivalsMarkdown(report({ notes: ['gate skipped: exited at once; its last output:\nTraceback'] }));
  expect(text).toEndWith('\n- gate skipped: exited at once\n');
});
