import type { Budget } from '../budgets.ts';
import type { MemoryPair, Round, TargetRounds } from '../measure.ts';
import type { Scenario } from '../scenarios.ts';
import { median } from '../statistics.ts';
import { formatMegabytes, formatNumber, renderTable } from './table.ts';

/** Medians over the rounds of one target; ratios and differences are relative to the reference in the same round. */
export interface Summary {
  readonly target: string;
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
  readonly cpuRatio: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  readonly peakRssBytes: number;
  readonly bytesPerStream: number;
  readonly peakOpen: number;
  readonly lost: number;
  /** The counts at the end of the last round. */
  readonly processes: number;
  readonly threads: number | undefined;
}

function cpuMicros(round: Round): number {
  return (round.cpuMs * 1000) / round.load.complete;
}

/** Returns the median over rounds of `value(own round, the reference's round beside it)`; NaN if there is no reference. */
function beside(
  rounds: readonly Round[],
  reference: readonly Round[],
  value: (own: Round, reference: Round) => number,
): number {
  return median(
    rounds.flatMap((own, index) => {
      const counterpart = reference[index];
      return counterpart === undefined ? [] : [value(own, counterpart)];
    }),
  );
}

/** `reference` is the target to which the others are compared. */
export function summarize(results: readonly TargetRounds[], reference = 'bare'): Summary[] {
  const compared = results.find((result) => result.target === reference)?.rounds ?? [];
  return results.map(({ target, rounds }) => {
    const medianOf = (value: (round: Round) => number) => median(rounds.map(value));
    return {
      target,
      requestsPerSecond: medianOf((round) => (round.load.complete * 1000) / round.load.durationMs),
      cpuMicrosPerRequest: medianOf(cpuMicros),
      cpuRatio: beside(rounds, compared, (own, other) => cpuMicros(own) / cpuMicros(other)),
      p50Ms: medianOf((round) => round.load.p50Ms),
      p99Ms: medianOf((round) => round.load.p99Ms),
      addedP50Ms: beside(rounds, compared, (own, other) => own.load.p50Ms - other.load.p50Ms),
      addedP99Ms: beside(rounds, compared, (own, other) => own.load.p99Ms - other.load.p99Ms),
      peakRssBytes: Math.max(...rounds.map((round) => round.rssPeakBytes)),
      bytesPerStream: medianOf((round) => (round.rssPeakBytes - round.rssBeforeBytes) / round.load.peakOpen),
      peakOpen: Math.max(...rounds.map((round) => round.load.peakOpen)),
      lost: rounds.reduce((total, round) => total + round.load.lost, 0),
      processes: rounds.at(-1)?.processes ?? Number.NaN,
      threads: rounds.at(-1)?.threads,
    };
  });
}

export type Verdict = 'ok' | 'over' | 'not measured';

export interface BudgetLine {
  readonly scenario: string;
  /** The measured value, in the unit of the budget's measure; NaN if it could not be measured. */
  readonly value: number;
  readonly measured: string;
  readonly budget: string;
  readonly verdict: Verdict;
}

function judge(scenario: Scenario, budget: Budget, measured: number, text: string, lost: number): BudgetLine {
  const known = Number.isFinite(measured);
  const verdict = known ? (measured <= budget.limit && lost === 0 ? 'ok' : 'over') : 'not measured';
  const losses = lost > 0 ? `, ${lost} lost` : '';
  return {
    scenario: scenario.name,
    value: measured,
    measured: known ? text + losses : '-',
    budget: budget.text,
    verdict,
  };
}

/** Compares the gateway, or the target that the scenario names, with the scenario's budget; returns undefined if the design sets none. */
export function judgeSummaries(scenario: Scenario, summaries: readonly Summary[]): BudgetLine | undefined {
  const { budget } = scenario;
  if (budget === undefined) return undefined;
  const gateway = summaries.find((summary) => summary.target === (scenario.judged ?? 'gateway'));
  const lost = gateway?.lost ?? 0;
  switch (budget.measure) {
    case 'cpu-ratio':
    case 'cpu-over-gateway': {
      const ratio = gateway?.cpuRatio ?? Number.NaN;
      const text = `${formatNumber(ratio, 2)} x ${budget.measure === 'cpu-ratio' ? 'bare' : 'gateway'}`;
      return judge(scenario, budget, ratio, text, lost);
    }
    case 'cpu-over-unlimited': {
      const unlimited = summaries.find((summary) => summary.target === 'gateway-unlimited');
      const ratio = (gateway?.cpuRatio ?? Number.NaN) / (unlimited?.cpuRatio ?? Number.NaN);
      return judge(scenario, budget, ratio, `${formatNumber(ratio, 2)} x unlimited`, lost);
    }
    case 'added-p99-ms': {
      const added = gateway?.addedP99Ms ?? Number.NaN;
      return judge(scenario, budget, added, `added p99 ${formatNumber(added, 2)} ms`, lost);
    }
    case 'bytes-per-stream': {
      const bytes = gateway?.bytesPerStream ?? Number.NaN;
      return judge(scenario, budget, bytes, `${formatNumber(bytes / 1000, 0)} KB each`, lost);
    }
    case 'memory-growth':
      return undefined; // See judgeMemory, which has different measurements.
  }
}

export function judgeMemory(scenario: Scenario, pairs: readonly MemoryPair[]): BudgetLine | undefined {
  if (scenario.budget === undefined) return undefined;
  const gateway = pairs.find((pair) => pair.target === 'gateway');
  const growth = gateway === undefined ? Number.NaN : gateway.secondBytes / gateway.firstBytes;
  return judge(scenario, scenario.budget, growth, `${formatNumber(growth, 2)} x`, gateway?.lost ?? 0);
}

export function renderSummaries(
  scenario: Scenario,
  summaries: readonly Summary[],
  budget: BudgetLine | undefined,
): string {
  const streams = scenario.kind === 'streams';
  const header = [
    'target',
    'req/s',
    'CPU µs/req',
    `x ${scenario.reference ?? 'bare'}`,
    'p50 ms',
    'p99 ms',
    '+p50 ms',
    '+p99 ms',
    'peak MB',
    'lost',
  ];
  const rows = summaries.map((summary) => [
    summary.target,
    formatNumber(summary.requestsPerSecond, 0),
    formatNumber(summary.cpuMicrosPerRequest, 1),
    formatNumber(summary.cpuRatio, 2),
    formatNumber(summary.p50Ms, 2),
    formatNumber(summary.p99Ms, 2),
    formatNumber(summary.addedP50Ms, 2),
    formatNumber(summary.addedP99Ms, 2),
    formatMegabytes(summary.peakRssBytes),
    String(summary.lost),
    ...(streams ? [String(summary.peakOpen), formatNumber(summary.bytesPerStream / 1000, 1)] : []),
    ...(budget === undefined
      ? []
      : [summary.target === (scenario.judged ?? 'gateway') ? `${budget.budget}: ${budget.verdict}` : '']),
  ]);
  const columns = [
    ...header,
    ...(streams ? ['open at once', 'KB/stream'] : []),
    ...(budget === undefined ? [] : ['budget']),
  ];
  return renderTable(columns, rows, 1);
}

export function renderMemory(
  pairs: readonly MemoryPair[],
  counts: readonly [number, number],
  budget: BudgetLine | undefined,
): string {
  const [first, second] = counts.map((count) => `MB after ${count.toLocaleString('en')}`);
  const rows = pairs.map((pair) => [
    pair.target,
    formatMegabytes(pair.firstBytes),
    formatMegabytes(pair.secondBytes),
    formatNumber(pair.secondBytes / pair.firstBytes, 2),
    String(pair.lost),
    pair.target === 'gateway' && budget !== undefined ? `${budget.budget}: ${budget.verdict}` : '',
  ]);
  return renderTable(['target', first ?? '', second ?? '', 'growth', 'lost', 'budget'], rows, 1);
}

export function renderBudgets(lines: readonly BudgetLine[]): string {
  const rows = lines.map((line) => [line.scenario, line.measured, line.budget, line.verdict]);
  return renderTable(['scenario', 'measured', 'budget', 'verdict'], rows, 4);
}
