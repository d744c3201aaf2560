import type { Figures } from '../budgets.ts';
import type { Round, TargetRounds } from '../measure.ts';
import { median } from '../statistics.ts';
import type { BudgetLine } from './summary.ts';
import { formatNumber, renderTable } from './table.ts';

/** Ratios above it are regressions. */
export const MOST_CHANGE = 1.1;

/** The share of the rounds in which a regression must show. */
const MOST_ROUNDS = 0.75;

/** Measures whose value a busy machine changes too much to call a change a regression. */
const NOISY = new Set(['added-p99-ms', 'bytes-per-stream']);

/** A scenario as `--check` judges it. */
export interface CheckLine {
  readonly scenario: string;
  readonly measured: number;
  readonly budget: BudgetLine;
  /** The last landed value, or with `--against` the other checkout's ratio; NaN if there is none. */
  readonly before: number;
  /** The present cost divided by the previous one; NaN if unknown or too noisy to compare. */
  readonly change: number;
  /** The lowest and highest change in one round; only with `--against`. */
  readonly range?: readonly [number, number];
  readonly isRegression: boolean;
}

/** Returns the line of a scenario compared with its landed figure. */
export function compareWithLanded(budget: BudgetLine, { figures }: Pick<Figures, 'figures'>): CheckLine {
  const figure = figures[budget.scenario];
  const before = figure?.landed ?? Number.NaN;
  const change = figure === undefined || NOISY.has(figure.measure) ? Number.NaN : budget.value / before;
  return line(budget, before, change);
}

/**
 * Returns the line of a scenario compared with another checkout, whose rounds alternated with those of the gateway: the median over the
 * rounds of the quotient of CPU times per request, which the machine's load affects alike.
 */
export function compareWithCheckout(budget: BudgetLine, results: readonly TargetRounds[], before: number): CheckLine {
  const roundsOf = (target: string) => results.find((result) => result.target === target)?.rounds ?? [];
  const others = roundsOf('gateway-before');
  const changes = roundsOf('gateway').flatMap((own, index) => {
    const other = others[index];
    return other === undefined ? [] : [cpuPerRequest(own) / cpuPerRequest(other)];
  });
  const compared = line(budget, before, median(changes));
  if (changes.length === 0) return compared;
  // A few rounds on a busy machine can move the median: most rounds must agree that the present gateway is the slower one.
  const isRegression =
    compared.isRegression && changes.filter((change) => change > 1).length >= changes.length * MOST_ROUNDS;
  return { ...compared, isRegression, range: [Math.min(...changes), Math.max(...changes)] };
}

function cpuPerRequest({ cpuMs, load }: Round): number {
  return cpuMs / load.complete;
}

function line(budget: BudgetLine, before: number, change: number): CheckLine {
  // `NaN > 1.1` is false: what cannot be compared is no regression.
  return {
    scenario: budget.scenario,
    measured: budget.value,
    budget,
    before,
    change,
    isRegression: change > MOST_CHANGE,
  };
}

export function renderCheck(lines: readonly CheckLine[], comparedWith: string): string {
  const rows = lines.map(({ scenario, budget, before, change, range, isRegression }) => [
    scenario,
    budget.measured,
    formatNumber(before, 2),
    formatNumber(change, 2),
    range === undefined ? '' : range.map((value) => formatNumber(value, 2)).join(' to '),
    isRegression ? 'REGRESSION' : '',
    `${budget.budget}: ${budget.verdict}`,
  ]);
  return renderTable(['scenario', 'measured', comparedWith, 'change', 'range of rounds', '', 'budget'], rows, 7);
}

/**
 * Returns the exit code of a check and the sentences that explain it: 1 for a regression, 2 if a scenario could not be measured, else 0. A
 * missed budget is named, and does not fail the check.
 */
export function concludeCheck(lines: readonly CheckLine[]): { readonly exitCode: 0 | 1 | 2; readonly texts: string[] } {
  const regressions = lines.filter(({ isRegression }) => isRegression);
  const missed = lines.filter(({ budget }) => budget.verdict === 'over');
  const unknown = lines.filter(({ budget }) => budget.verdict === 'not measured');
  const incomparable = lines.filter(({ budget, change }) => budget.verdict !== 'not measured' && Number.isNaN(change));
  const names = (some: readonly CheckLine[]) => some.map(({ scenario }) => scenario).join(', ');
  const texts = [
    ...(regressions.length > 0 ? [`Regressions over 10 %: ${names(regressions)}`] : ['No regression over 10 %']),
    ...(missed.length > 0 ? [`Over their budget: ${names(missed)}`] : []),
    ...(incomparable.length > 0 ? [`Not compared: ${names(incomparable)}`] : []),
    ...(unknown.length > 0 ? [`Not measured: ${names(unknown)}`] : []),
  ];
  return { exitCode: regressions.length > 0 ? 1 : unknown.length > 0 || lines.length === 0 ? 2 : 0, texts };
}
