import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Measure =
  | 'cpu-ratio'
  | 'cpu-over-unlimited'
  | 'cpu-over-gateway'
  | 'added-p99-ms'
  | 'bytes-per-stream'
  | 'memory-growth';

/** A row of `budgets.json`. */
export interface Figure {
  readonly measure: Measure;
  /** The most that section 10 of the design, or bench/README.md, allows. */
  readonly budget: number;
  /** The value of the last landed measurement, or `null` if there is none. */
  readonly landed: number | null;
}

/** `budgets.json`: the figures by scenario, and the run that measured them. */
export interface Figures {
  readonly measuredOn: string;
  /** The commit of that run, shortened. */
  readonly commit: string;
  readonly figures: Readonly<Record<string, Figure>>;
}

/** The limit of a scenario's judged target. */
export interface Budget {
  readonly measure: Measure;
  readonly limit: number;
  readonly text: string;
}

const FILE = join(import.meta.dir, 'budgets.json');

export const figures: Figures = JSON.parse(readFileSync(FILE, 'utf8')) as Figures; // A file of this project; its test checks the form.

const TEXTS: Readonly<Record<Measure, (limit: number) => string>> = {
  'cpu-ratio': (limit) => `CPU at most ${limit.toFixed(1)} x bare`,
  'cpu-over-unlimited': (limit) => `CPU at most ${limit.toFixed(1)} x unlimited`,
  'cpu-over-gateway': (limit) => `CPU at most ${limit.toFixed(2)} x gateway`,
  'added-p99-ms': (limit) => `added p99 under ${limit} ms`,
  'bytes-per-stream': (limit) => `none lost, under ${limit / 1000} KB each`,
  'memory-growth': (limit) => `at most ${limit.toFixed(2)} x`,
};

/** Returns the budget of a scenario; throws an Error if `budgets.json` has none. */
export function budgetOf(scenario: string): Budget {
  const figure = figures.figures[scenario];
  if (figure === undefined) throw new Error(`bench/budgets.json has no figure for ${scenario}`);
  return { measure: figure.measure, limit: figure.budget, text: TEXTS[figure.measure](figure.budget) };
}

/** Returns the figures with the measured values of one run, by scenario; the others stay. */
export function withMeasured(
  old: Figures,
  measured: ReadonlyMap<string, number>,
  run: Pick<Figures, 'measuredOn' | 'commit'>,
): Figures {
  const rows = Object.entries(old.figures).map(([name, figure]) => {
    const value = measured.get(name);
    const landed = value === undefined || !Number.isFinite(value) ? figure.landed : Number(value.toPrecision(3));
    return [name, { ...figure, landed }] as const;
  });
  return { measuredOn: run.measuredOn, commit: run.commit, figures: Object.fromEntries(rows) };
}

/** Writes `budgets.json`, one figure a line. */
export function writeFigures({ measuredOn, commit, figures: rows }: Figures): void {
  const lines = Object.entries(rows).map(([name, { measure, budget, landed }]) => {
    return `    ${JSON.stringify(name)}: { "measure": ${JSON.stringify(measure)}, "budget": ${budget}, "landed": ${landed} }`;
  });
  const head = `  "measuredOn": ${JSON.stringify(measuredOn)},\n  "commit": ${JSON.stringify(commit)},\n`;
  writeFileSync(FILE, `{\n${head}  "figures": {\n${lines.join(',\n')}\n  }\n}\n`);
}
