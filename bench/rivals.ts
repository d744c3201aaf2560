// `npm run bench -- --rivals`: other gateways compared with this one, as far as they are installed. See bench/README.md.
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type Bench, measureAlternating, type TargetRounds } from './measure.ts';
import type { Options } from './options.ts';
import { type RivalRow, rivalRows } from './report/rivals.ts';
import { renderSummaries, type Summary, summarize } from './report/summary.ts';
import { rivalScenarios } from './scenarios.ts';
import { askVersion, findRival, packageVersion, type Rival } from './targets/rivals/rival.ts';
import { startTarget, type Target, type TargetName } from './targets/targets.ts';

/** The facts about a server besides its measurements. */
export interface Contender {
  readonly name: string;
  readonly label: string;
  readonly version: string;
  readonly switchedOn: string;
}

interface Installed extends Contender {
  readonly rival: Rival;
  readonly executable: string;
}

/** A rival that was requested and has no row. */
export interface Absent {
  readonly label: string;
  readonly why: 'not installed' | 'did not start' | 'did not answer';
}

export interface ScenarioSummaries {
  readonly scenario: string;
  readonly summaries: readonly Summary[];
  readonly rounds: readonly TargetRounds[];
}

export interface RivalsReport {
  /** The date of the measurement, in UTC. */
  readonly date: string;
  readonly processor: string;
  readonly requestsPerSecond: number;
  readonly rows: readonly RivalRow[];
  readonly absent: readonly Absent[];
  /** Unexpected events. */
  readonly notes: readonly string[];
  readonly scenarios: readonly ScenarioSummaries[];
}

const root = join(import.meta.dir, '..');

async function switchyardVersion(): Promise<string> {
  const commit = await askVersion(['git', '-C', root, 'rev-parse', '--short', 'HEAD'], /^[0-9a-f]{7,}$/m);
  return [packageVersion(join(root, 'package.json')), ...(commit === 'unknown' ? [] : [commit])].join(' ');
}

/** The servers that rivals are compared with, in the same rounds. */
async function references(): Promise<(Contender & { readonly name: TargetName })[]> {
  return [
    { name: 'bare', label: 'bare pass-through', version: `Bun ${Bun.version}`, switchedOn: 'nothing' },
    {
      name: 'nginx',
      label: 'nginx',
      version: await askVersion(['nginx', '-v']),
      switchedOn: 'nothing: reverse proxy without buffering or access log',
    },
    {
      name: 'gateway',
      label: 'Switchyard',
      version: await switchyardVersion(),
      switchedOn:
        'key check, rate limit, prepaid balance with each charge on disk before its answer ends, request log in SQLite, metrics, log',
    },
  ];
}

async function findInstalled(rivals: readonly Rival[]): Promise<Installed[]> {
  const installed: Installed[] = [];
  for (const rival of rivals) {
    const found = findRival(rival, process.env);
    if ('missing' in found) {
      console.log(`  ${rival.name} skipped: ${found.missing}`);
      continue;
    }
    const { name, label, switchedOn } = rival;
    const { executable } = found;
    const version = await rival.version(executable);
    console.log(`  ${name} ${version} at ${executable}`);
    installed.push({ name, label, version, switchedOn, rival, executable });
  }
  return installed;
}

/** Returns a function that starts servers; one that has failed once is not tried again in the next scenario. */
function starter(installed: readonly Installed[], failed: Set<string>): Bench['start'] {
  return async (name, surroundings): Promise<Target> => {
    const found = installed.find((candidate) => candidate.name === name);
    if (found === undefined) return startTarget(name as TargetName, surroundings); // The rest are the references.
    try {
      return { name, ...(await found.rival.start(found.executable, surroundings)) };
    } catch (error) {
      failed.add(name);
      throw error;
    }
  };
}

/** Notes servers that cannot keep the pace: their latencies are those of a growing queue. */
function noteQueues(bench: Bench, summaries: readonly Summary[], requestsPerSecond: number): void {
  for (const { target, requestsPerSecond: answered } of summaries) {
    if (answered >= requestsPerSecond * 0.95) continue;
    bench.note(
      `${target} answered ${answered.toFixed(0)} of ${requestsPerSecond} requests/s: its p50 and p99 include a growing queue`,
    );
  }
}

/** Notes answers that did not come from the upstream, such as cached ones, which do not measure a relay. */
function noteAnswersOfTheirOwn(bench: Bench, results: readonly TargetRounds[]): void {
  for (const { target, rounds } of results) {
    const answered = rounds.reduce((total, { load }) => total + load.complete, 0);
    const reached = rounds.reduce((total, { upstreamRequests }) => total + upstreamRequests, 0);
    if (reached < answered) {
      bench.note(`${target}: ${answered - reached} of ${answered} responses did not come from the upstream`);
    }
  }
}

/** Measures the installed rivals, a bare pass-through, nginx and this gateway in the same rounds. */
export async function measureRivals(
  options: Options,
  rivals: readonly Rival[],
  surroundings: Omit<Bench, 'note' | 'start'>,
): Promise<RivalsReport> {
  const { requestsPerSecond } = options;
  const date = new Date().toISOString().slice(0, 10);
  const notes: string[] = [];
  const note = (text: string) => {
    notes.push(text);
    console.log(`  note: ${text}`);
  };
  console.log('\nRivals');
  const installed = await findInstalled(rivals);
  const contenders: Contender[] = [...(await references()), ...installed];
  const failed = new Set<string>();
  const bench: Bench = { ...surroundings, note, start: starter(installed, failed) };
  const names = contenders.map(({ name }) => name);
  const scenarios: ScenarioSummaries[] = [];
  for (const scenario of rivalScenarios(options, names)) {
    console.log(`\n${scenario.title} (${scenario.name})`);
    const started = names.filter((name) => !failed.has(name));
    const rounds = await measureAlternating(bench, scenario, started);
    const summaries = summarize(rounds);
    console.log(renderSummaries(scenario, summaries, undefined));
    noteAnswersOfTheirOwn(bench, rounds);
    if (scenario.kind === 'open') noteQueues(bench, summaries, requestsPerSecond);
    scenarios.push({ scenario: scenario.name, summaries, rounds });
  }
  const rows = rivalRows(contenders, scenarios);
  const absent = rivals.flatMap(({ name, label }): Absent[] => {
    if (rows.some((row) => row.name === name)) return [];
    if (!installed.some((candidate) => candidate.name === name)) return [{ label, why: 'not installed' }];
    return [{ label, why: failed.has(name) ? 'did not start' : 'did not answer' }];
  });
  const processor = cpus()[0]?.model ?? 'unknown';
  return { date, processor, requestsPerSecond, rows, absent, notes, scenarios };
}
