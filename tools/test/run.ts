import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { takeLongTurns } from './long-turns.ts';
import { fileTimes, type SkippedTest, skippedTests } from './report.ts';
import { type Requirement, unmet } from './requirements.ts';
import {
  type Counts,
  countsFromOutput,
  isSuccess,
  NO_TESTS,
  type PrintedTest,
  printedTests,
  sum,
  summaryLine,
} from './results.ts';
import { type JobBounds, runJobs } from './run-jobs.ts';
import { type Batch, batchesOf, type Timings } from './schedule.ts';
import { type Selection, selectedFiles, selectionFrom, USAGE } from './selection.ts';
import { startServices } from './services.ts';
import { type Suite, suitesOf } from './suites.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.ts';

const ROOT = join(import.meta.dir, '../..');
/** The time of each file, in milliseconds; `--update-timings` rewrites it. */
const TIMINGS = join(import.meta.dir, 'timings.json');
/** Only stops what would never end. A slow machine must not fail a test. */
const TEST_TIMEOUT_MS = 600_000;
/** How much memory a batch may need. */
const BATCH_BYTES = 2.5 * 1024 ** 3;
/** The numbers of processes at a time. `loaded.ts` sets a fixed one. */
const AT_A_TIME = bounds(process.env.SWITCHYARD_TEST_AT_A_TIME);
/**
 * The settings of a test process's runtime; gateways that a test starts as programs do not get them. Most code of a test runs too rarely to be
 * worth compiling: without the last tier it takes a tenth less CPU, with other tiers four times later a sixth less. Memory that is returned to
 * the system is soon needed again, which is another tenth.
 */
const RUNTIME: Variables = {
  BUN_JSC_useFTLJIT: '0',
  BUN_JSC_thresholdForJITAfterWarmUp: '2000',
  BUN_JSC_thresholdForOptimizeAfterWarmUp: '4000',
  MIMALLOC_PURGE_DELAY: '-1',
};
/** The compiler runs once, so it frees memory only when it needs more than this, which saves a tenth of its CPU. */
const COMPILER: Variables = { GOGC: 'off', GOMEMLIMIT: '3GiB' };
/** Unit and conformance tests must not depend on recordings, so they never see them. */
const WITHOUT_RECORDINGS: Variables = { SWITCHYARD_SHARED: join(ROOT, 'no-shared-folder') };

/**
 * Each counts as one test. A failure does not stop the others, so that one run shows all problems. One thread checks types with a third less
 * CPU than several, and tests keep the other cores busy.
 */
const CHECKS: readonly Check[] = [
  { name: 'type check', command: ['tsc', '--noEmit', '--singleThreaded'] },
  { name: 'type check of the dashboard', command: ['tsc', '--noEmit', '--singleThreaded', '-p', 'dashboard'] },
  { name: 'lint', command: ['biome', 'check', '.'] },
  { name: 'tidy', command: ['bun', 'tools/tidy/main.ts'] },
];

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

interface Outcome {
  readonly name: string;
  readonly counts: Counts;
  readonly cpuMs: number;
  readonly skipped: readonly SkippedTest[];
  readonly failed: readonly Pick<PrintedTest, 'file' | 'name' | 'details'>[];
  readonly times: Timings;
}

type Variables = Readonly<Record<string, string>>;

/** Returns the numbers of test processes: one for each core, up to four more while cores are idle, and no more than there is memory for. */
function bounds(fixed: string | undefined): JobBounds {
  if (fixed !== undefined) return { least: Number(fixed), most: Number(fixed) };
  const cores = availableParallelism();
  const most = Math.max(2, Math.min(cores + 4, Math.floor(totalmem() / BATCH_BYTES)));
  return { least: Math.min(cores, most), most };
}

async function check({ name, command }: Check): Promise<Outcome> {
  const { output, exitCode, cpuMs } = await runCommand(name, command, { ...RUNTIME, ...COMPILER });
  const hasPassed = exitCode === 0;
  return {
    name: 'checks',
    counts: { passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1, skipped: 0 },
    cpuMs,
    skipped: [],
    failed: hasPassed ? [] : [{ file: command.join(' '), name, details: output.trim() }],
    times: {},
  };
}

/** Runs each batch in its own process, so that leftovers of one room's tests cannot affect another's. */
async function runBatch(batch: Batch, testName: string | null, variables: Variables): Promise<Outcome> {
  const reportFolder = await mkdtemp(join(tmpdir(), 'switchyard-test-'));
  const reportFile = join(reportFolder, 'junit.xml');
  try {
    const command = [
      ...['bun', 'test', ...batch.files.map((file) => `./${file}`), `--timeout=${TEST_TIMEOUT_MS}`],
      ...(testName === null ? [] : ['--test-name-pattern', pattern(testName)]),
      ...['--reporter=junit', `--reporter-outfile=${reportFile}`],
    ];
    const own = { ...variables, ...RUNTIME, ...(batch.suite.level === 'acceptance' ? {} : WITHOUT_RECORDINGS) };
    const { output, exitCode, cpuMs } = await runCommand(batch.name, command, own);
    const printed = printedTests(output);
    const failed = printed.filter(({ outcome }) => outcome === 'fail');
    // Tests with other names are reported as skipped, and if that is all of them, Bun fails.
    const hasNone = testName !== null && !printed.some(({ outcome }) => outcome === 'pass' || outcome === 'fail');
    const counts = hasNone ? NO_TESTS : countsFromOutput(output, exitCode);
    const report = Bun.file(reportFile);
    const text = (await report.exists()) ? await report.text() : '';
    const skipped = testName === null ? skippedTests(text) : [];
    const outcome = { name: batch.suite.name, cpuMs, skipped, failed, times: fileTimes(text) };
    return { ...outcome, counts: { ...counts, skipped: skipped.length } };
  } finally {
    await rm(reportFolder, { recursive: true, force: true });
  }
}

/** Prints a command's output once it has ended, since commands run concurrently. */
async function runCommand(name: string, command: readonly string[], variables: Variables = {}) {
  const startedAt = performance.now();
  const env = { ...environment(), ...variables };
  const child = Bun.spawn([...command], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [standard, error, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  // `bun test` prints its results to standard error; the tests' own output is in the other.
  const output = `${standard}${error}`;
  const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000;
  const took = `${inSeconds(performance.now() - startedAt)}, ${inSeconds(cpuMs)} of CPU`;
  console.log(`\n== ${name} (${took}, exit code ${exitCode})\n${output.trim()}`);
  return { output, exitCode, cpuMs };
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function environment(): Readonly<Record<string, string | undefined>> {
  const localCommands = join(ROOT, 'node_modules/.bin');
  return {
    ...process.env,
    PATH: `${localCommands}:${process.env.PATH ?? ''}`,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    // Same as the launcher's setting for a gateway: the runtime reads it when a process starts.
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
  };
}

interface Skip {
  readonly suite: Suite;
  readonly reason: string;
}

/** Returns the selected suites, and those of them that cannot run on this machine. */
function chosenSuites(selection: Selection): { readonly runnable: readonly Suite[]; readonly skips: readonly Skip[] } {
  const isWhole = selection.paths.length === 0;
  const suites = suitesOf(ROOT).filter(({ level }) => selection.all || !isWhole || level !== 'acceptance');
  const files = new Set(
    selectedFiles(
      ROOT,
      suites.flatMap((suite) => suite.files),
      selection,
    ),
  );
  const chosen = suites
    .map((suite) => ({ ...suite, files: suite.files.filter((file) => files.has(file)) }))
    .filter((suite) => suite.files.length > 0);
  const reasons = chosen.map((suite) => ({ suite, reason: unmet(suite.needs) }));
  return {
    runnable: reasons.filter(({ reason }) => reason === null).map(({ suite }) => suite),
    skips: reasons.flatMap(({ suite, reason }) => (reason === null ? [] : [{ suite, reason }])),
  };
}

async function run(selection: Selection): Promise<void> {
  const startedAt = performance.now();
  takeLongTurns();
  const mayNotSkip = process.env.SWITCHYARD_TEST_NO_SKIP === '1';
  const { runnable, skips } = chosenSuites(selection);
  const timings = (await Bun.file(TIMINGS).json()) as Timings;
  const isWhole = selection.paths.length === 0 && selection.name === null;
  const needed = new Set<Requirement>(runnable.flatMap(({ needs }) => needs));
  const temporary = makeTemporaryFolder();
  process.env.TMPDIR = temporary;
  const services = await startServices(needed);
  try {
    const jobs = [
      ...(isWhole ? CHECKS.map((step) => () => check(step)) : []),
      ...batchesOf(runnable, timings).map(
        (batch) => () => runBatch(batch, selection.name, services.environmentFor(batch.suite.needs)),
      ),
    ];
    const outcomes = await runJobs(jobs, AT_A_TIME);
    const times = Object.assign({}, ...outcomes.map((outcome) => outcome.times)) as Timings;
    if (selection.updateTimings) await writeTimings(selection.all ? {} : timings, times);
    report(outcomes, skips, { mayNotSkip, ms: performance.now() - startedAt });
  } finally {
    await services.stop();
    removeTemporaryFolder(temporary);
  }
}

/** Returns a regular expression over the names of groups and test, joined by spaces, as Bun expects. */
function pattern(name: string): string {
  return name.split(' > ').map(RegExp.escape).join(' ');
}

async function writeTimings(kept: Timings, times: Timings): Promise<void> {
  const sorted = Object.entries({ ...kept, ...times }).sort(([one], [other]) => (one < other ? -1 : 1));
  const rounded = sorted.map(([file, ms]) => [file, Math.max(10, Math.round(ms / 10) * 10)] as const);
  await Bun.write(TIMINGS, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
}

function report(
  outcomes: readonly Outcome[],
  skips: readonly Skip[],
  { mayNotSkip, ms }: { readonly mayNotSkip: boolean; readonly ms: number },
): void {
  console.log('');
  for (const [name, ofSuite] of [...Map.groupBy(outcomes, (outcome) => outcome.name)].sort()) {
    const ofSuiteMs = ofSuite.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
    console.log(`${name}: ${summaryLine(sum(ofSuite.map((one) => one.counts)))} (${inSeconds(ofSuiteMs)} of CPU)`);
  }
  for (const { suite, reason } of skips) console.log(`skipped: ${suite.name}, ${suite.files.length} files: ${reason}`);
  for (const { file, name } of outcomes.flatMap(({ skipped }) => skipped)) console.log(`skipped: ${file}: ${name}`);
  for (const { file, name, details } of outcomes.flatMap(({ failed }) => failed)) {
    console.log(`failed: ${file}: ${name}\n${details}\n`);
  }
  const counts = sum([...outcomes.map((one) => one.counts), { ...NO_TESTS, skipped: skips.length }]);
  if (mayNotSkip && counts.skipped > 0) console.log('SWITCHYARD_TEST_NO_SKIP is set: skipped tests count as failures');
  const cpuMs = outcomes.reduce((sum, outcome) => sum + outcome.cpuMs, 0);
  console.log(`took ${inSeconds(ms)}, ${inSeconds(cpuMs)} of CPU`);
  console.log(summaryLine(counts));
  process.exitCode = isSuccess(counts, { mayNotSkip }) ? 0 : 1;
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    return;
  }
  try {
    await run(selectionFrom(args));
  } catch (error) {
    console.error(`tests: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exitCode = 2;
  }
}

await main(process.argv.slice(2));
