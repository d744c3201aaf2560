// `npm run bench`: measures the gateway against a bare pass-through and nginx. See bench/README.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { figures, withMeasured, writeFigures } from './budgets.ts';
import { LineProcess, startAnnouncingPort } from './child-process.ts';
import { measureDashboard } from './dashboard.ts';
import {
  type Bench,
  exportsTo,
  measureAlternating,
  measureFresh,
  measureMemory,
  type TargetRounds,
} from './measure.ts';
import { isTargetName, type Options, parseOptions, usage } from './options.ts';
import { planCores } from './process-statistics.ts';
import { type CheckLine, compareWithCheckout, compareWithLanded, concludeCheck, renderCheck } from './report/check.ts';
import { renderRivals, renderRivalsMarkdown } from './report/rivals.ts';
import {
  type BudgetLine,
  judgeMemory,
  judgeSummaries,
  renderBudgets,
  renderMemory,
  renderSummaries,
  type Summary,
  summarize,
} from './report/summary.ts';
import { measureRivals, type RivalsReport } from './rivals.ts';
import { chosenScenarios, memoryRequests, type Scenario } from './scenarios.ts';
import { startTarget, type TargetName } from './targets/targets.ts';

interface ScenarioReport {
  readonly scenario: string;
  readonly budget: BudgetLine | undefined;
  readonly results: unknown;
  /** Compares the scenario with the landed figure or the other checkout; only with `--check`. */
  readonly check?: CheckLine;
  readonly notes: readonly string[];
}

/** Returns whether the intended one answered the gateway's requests, the cache or the upstream, and reports it if not. */
function checkWhoAnswered(bench: Bench, scenario: Scenario, results: readonly TargetRounds[]): boolean {
  let asMeant = true;
  for (const { rounds } of results.filter((result) => result.target === 'gateway')) {
    const answered = rounds.reduce((total, round) => total + round.load.complete, 0);
    const reached = rounds.reduce((total, round) => total + round.upstreamRequests, 0);
    if (scenario.upstreamSees === 'none' && reached > 0) {
      asMeant = false;
      bench.note(`not a cache measurement: ${reached} of ${answered} requests reached the upstream`);
    }
    if (scenario.upstreamSees === 'every-request' && reached < answered) {
      asMeant = false;
      bench.note(`${answered - reached} of ${answered} responses did not come from the upstream`);
    }
  }
  return asMeant;
}

/** Notes what each target has exported, so that a row without any export is not taken for a cheap one. */
async function noteExports(bench: Bench, results: readonly TargetRounds[]): Promise<void> {
  const exported = await exportsTo(bench);
  for (const { target } of results.filter(({ target: name }) => /^gateway-(sampled|telemetry)$/.test(name))) {
    const signals = Object.entries(exported).filter(([name]) => name.startsWith(`${target} `));
    const texts = signals.map(([name, { count, bytes }]) => {
      return `${name.slice(target.length + 1)} ${count} times, ${(bytes / 1e6).toFixed(1)} MB`;
    });
    bench.note(`${target} has exported since the start of the run: ${texts.join('; ') || 'nothing'}`);
  }
}

async function runScenario(bench: Bench, scenario: Scenario, options: Options): Promise<Omit<ScenarioReport, 'notes'>> {
  if (scenario.kind === 'memory') {
    const counts = memoryRequests(options.full);
    const pairs = await measureMemory(bench, scenario, options.targets, counts);
    const budget = judgeMemory(scenario, pairs);
    console.log(renderMemory(pairs, counts, budget));
    const check = options.check && budget ? { check: compareWithLanded(budget, figures) } : {};
    return { scenario: scenario.name, budget, results: pairs, ...check };
  }
  const measure = scenario.kind === 'streams' ? measureFresh : measureAlternating;
  const targets: TargetName[] = [
    ...options.targets,
    ...(bench.against === undefined ? [] : ['gateway-before' as const]),
  ];
  const results = await measure(bench, scenario, targets);
  const asMeant = checkWhoAnswered(bench, scenario, results);
  await noteExports(bench, results);
  const summaries = summarize(results, scenario.reference);
  const judged = judgeSummaries(scenario, summaries);
  const budget: BudgetLine | undefined = judged && !asMeant ? { ...judged, verdict: 'not measured' } : judged;
  console.log(renderSummaries(scenario, summaries, budget));
  const compared = options.check && budget ? { check: checkLine(options, budget, results, summaries) } : {};
  return { scenario: scenario.name, budget, results: { summaries, rounds: results }, ...compared };
}

function checkLine(
  options: Options,
  budget: BudgetLine,
  results: readonly TargetRounds[],
  summaries: readonly Summary[],
): CheckLine {
  if (options.check?.against === undefined) return compareWithLanded(budget, figures);
  const before = summaries.find(({ target }) => target === 'gateway-before')?.cpuRatio ?? Number.NaN;
  return compareWithCheckout(budget, results, before);
}

/** The environment that all measurements share: the cores, the load and the upstream. */
type Surroundings = Omit<Bench, 'note' | 'start'>;

async function withSurroundings<T>(folder: string, use: (surroundings: Surroundings) => Promise<T>): Promise<T> {
  const cores = planCores();
  const bun = [...cores.loadPrefix, process.execPath];
  const upstream = await startAnnouncingPort({ command: [...bun, join(import.meta.dir, 'load/upstream-server.ts')] });
  const load = new LineProcess([...bun, join(import.meta.dir, 'load/load-generator.ts')]);
  const pinned =
    cores.serverPrefix.length > 0 ? 'server pinned to one core, load and upstream to another' : 'not pinned to cores';
  console.log(`Bun ${Bun.version}, ${process.platform} ${process.arch}, ${pinned}`);
  try {
    return await use({ load, upstreamPort: upstream.port, cores, folder });
  } finally {
    await Promise.all([load.stop(), upstream.stop()]);
  }
}

async function runAll(options: Options, surroundings: Surroundings): Promise<ScenarioReport[]> {
  const reports: ScenarioReport[] = [];
  for (const scenario of chosenScenarios(options)) {
    console.log(`\n${scenario.title} (${scenario.name})`);
    const notes: string[] = [];
    const note = (text: string) => {
      notes.push(text);
      console.log(`  note: ${text}`);
    };
    const start: Bench['start'] = (name, own) => {
      if (!isTargetName(name)) throw new Error(`unknown target ${name}`);
      return startTarget(name, own);
    };
    const against = options.check?.against;
    const bench = { ...surroundings, note, start, ...(against === undefined ? {} : { against: resolve(against) }) };
    const { targets, reference } = scenario;
    const comparesCheckouts = against !== undefined && reference === undefined && scenario.kind === 'closed';
    const own = comparesCheckouts ? { ...scenario, targets: [...targets, 'gateway-before'] } : scenario;
    reports.push({ ...(await runScenario(bench, own, options)), notes });
  }
  return reports;
}

/** Prints the comparison, writes the figures if asked, and returns the exit code. */
function conclude(check: NonNullable<Options['check']>, reports: readonly ScenarioReport[]): number {
  const lines = reports.flatMap((report) => (report.check === undefined ? [] : [report.check]));
  const comparedWith = check.against === undefined ? `landed ${figures.commit}` : check.against;
  console.log(`\nCompared with ${comparedWith}\n${renderCheck(lines, 'before')}`);
  const { exitCode, texts } = concludeCheck(lines);
  for (const text of texts) console.log(`${text}.`);
  if (check.writesFigures) {
    const commit = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD'], { cwd: import.meta.dir }).stdout.toString();
    const run = { measuredOn: new Date().toISOString().slice(0, 10), commit: commit.trim() };
    writeFigures(withMeasured(figures, new Map(lines.map((line) => [line.scenario, line.measured])), run));
  }
  return exitCode;
}

async function runRivals(options: Options, surroundings: Surroundings): Promise<RivalsReport> {
  const report = await measureRivals(options, options.rivals ?? [], surroundings);
  console.log(`\nRivals on ${report.date}\n${renderRivals(report)}`);
  if (options.markdownFile !== undefined) writeFileSync(options.markdownFile, renderRivalsMarkdown(report));
  return report;
}

/** The name of a separate scenario, which measures a page rather than a gateway under load. */
const DASHBOARD = 'dashboard';

/** Resolves to the exit code. */
async function main(): Promise<number> {
  let options: Options;
  let withDashboard: boolean;
  try {
    const asked = parseOptions(process.argv.slice(2));
    options = { ...asked, only: asked.only.filter((name) => name !== DASHBOARD) };
    withDashboard = options.only.length < asked.only.length;
    chosenScenarios(options); // Rejects a misspelt name before anything starts.
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  // Also runs after an interruption, unlike `finally`.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const dashboard = withDashboard ? await measureDashboard() : null;
  const rivals = options.rivals === undefined ? null : await withSurroundings(folder, (own) => runRivals(options, own));
  const nothingElse = options.only.length === 0 && (withDashboard || rivals !== null);
  const reports = nothingElse ? [] : await withSurroundings(folder, (own) => runAll(options, own));
  const budgets = reports.flatMap((report) => (report.budget === undefined ? [] : [report.budget]));
  if (budgets.length > 0) console.log(`\nThe gateway against the design's budgets\n${renderBudgets(budgets)}`);
  if (options.jsonFile !== undefined) {
    const environment = { bun: Bun.version, platform: process.platform, architecture: process.arch, options };
    writeFileSync(
      options.jsonFile,
      `${JSON.stringify({ environment, reports, ...(withDashboard ? { dashboard } : {}), ...(rivals === null ? {} : { rivals }) }, null, 2)}\n`,
    );
  }
  return options.check === undefined ? 0 : conclude(options.check, reports);
}

process.exit(await main());
