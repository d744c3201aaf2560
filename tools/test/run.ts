import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addCounts,
  type Counts,
  countsFromOutput,
  isSuccess,
  type PrintedTest,
  printedTests,
  type SkippedTest,
  skippedTests,
  summaryLine,
} from './results.ts';
import { type Suite, suitesOf } from './suites.ts';

const ROOT = join(import.meta.dir, '../..');
/** How long each file takes, by which the parts of a suite are made equal; `bun test … --update-timings` writes it anew. */
const TIMINGS = join(import.meta.dir, 'timings.json');
const TEST_TIMEOUT_MS = 60_000;
/** Many tests are of real processes and their time limits: what fails once on a busy machine gets another try, and is named. */
const RETRIES = 2;
/** Two even on one core, since many tests wait; not more on many, since the tests measure CPU time and memory beside each other. */
const AT_A_TIME = Math.min(4, Math.max(2, availableParallelism()));

/** What `npm run build` makes. The suites run it as the gateway and its commands: it starts in half of the time that the sources take. */
const EXECUTABLE = join(ROOT, 'dist/switchyard');
const BUILD: Check = { name: 'build', command: ['npm', 'run', 'build'] };
/** Each counts as one test. A step that fails does not stop the next, so that one run shows all there is to mend. */
const CHECKS: readonly Check[] = [
  { name: 'type check', command: ['tsc', '--noEmit'] },
  { name: 'type check of the dashboard', command: ['tsc', '--noEmit', '-p', 'dashboard'] },
  { name: 'lint', command: ['biome', 'check', '.'] },
  { name: 'tidy', command: ['bun', 'tools/tidy/main.ts'] },
];

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

interface Outcome {
  readonly counts: Counts;
  readonly skipped: readonly SkippedTest[];
  readonly failed: readonly Pick<PrintedTest, 'file' | 'name' | 'details'>[];
  /** Those that passed only when they were run again. */
  readonly retried: readonly PrintedTest[];
}

interface Job {
  readonly name: string;
  readonly waits: boolean;
  readonly run: () => Promise<Outcome>;
}

async function check({ name, command }: Check): Promise<Outcome> {
  const { output, exitCode } = await runCommand(name, command);
  const hasPassed = exitCode === 0;
  return {
    counts: { passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1, skipped: 0 },
    skipped: [],
    retried: [],
    failed: hasPassed ? [] : [{ file: command.join(' '), name, details: output.trim() }],
  };
}

/**
 * A process for each suite: what one leaves behind in the runtime cannot slow down or upset the next. After the tests of the HTTP
 * client, Bun 1.4's test runner lets `setImmediate` wait for the next timer, which takes the ledger's histories from 1 s to 200 s.
 */
async function runSuite({ name, paths, parts = 1 }: Suite, part: number, entry: string | undefined): Promise<Outcome> {
  const reportFolder = await mkdtemp(join(tmpdir(), 'switchyard-test-'));
  const reportFile = join(reportFolder, 'junit.xml');
  try {
    const ofParts = parts === 1 ? '' : ` (${part} of ${parts})`;
    const command = [
      ...['bun', 'test', ...paths.map((path) => `./${path}`), `--timeout=${TEST_TIMEOUT_MS}`, `--retry=${RETRIES}`],
      ...(parts === 1 ? [] : [`--shard=${part}/${parts}`, `--timings=${TIMINGS}`]),
      ...['--reporter=junit', `--reporter-outfile=${reportFile}`],
    ];
    const { output, exitCode } = await runCommand(`tests: ${name}${ofParts}`, command, { SWITCHYARD_ENTRY: entry });
    const counts = countsFromOutput(output, exitCode);
    const printed = printedTests(output);
    const failed = printed.filter(({ outcome }) => outcome === 'fail');
    const retried = printed.filter(({ outcome, attempt }) => outcome === 'pass' && attempt > 1);
    const report = Bun.file(reportFile);
    if (!(await report.exists())) return { counts, skipped: [], failed, retried };
    const skipped = skippedTests(await report.text());
    return { counts: { ...counts, skipped: skipped.length }, skipped, failed, retried };
  } finally {
    await rm(reportFolder, { recursive: true, force: true });
  }
}

/** Prints what the command says once it has ended, since others run beside it. */
async function runCommand(name: string, command: readonly string[], variables: Variables = {}) {
  console.log(`running: ${name}`);
  const startedAt = performance.now();
  const env = { ...environment(), ...variables };
  const child = Bun.spawn([...command], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [standard, error, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  // `bun test` says everything there; what the tests themselves print is in the other.
  const output = `${standard}${error}`;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`\n== ${name} (${seconds} s, exit code ${exitCode})\n${output.trim()}`);
  return { output, exitCode };
}

type Variables = Readonly<Record<string, string | undefined>>;

function environment(): Variables {
  const localCommands = join(ROOT, 'node_modules/.bin');
  return { ...process.env, PATH: `${localCommands}:${process.env.PATH ?? ''}`, NO_COLOR: '1', FORCE_COLOR: undefined };
}

/** Those that wait all at once, beside the others, which take turns. */
async function runAll(jobs: readonly Job[]): Promise<readonly Outcome[]> {
  const outcomes = jobs.filter(({ waits }) => waits).map((job) => job.run());
  const left = jobs.filter(({ waits }) => !waits);
  const takeTurns = async () => {
    for (let job = left.shift(); job !== undefined; job = left.shift()) {
      const outcome = job.run();
      outcomes.push(outcome);
      await outcome;
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, takeTurns));
  return Promise.all(outcomes);
}

async function main(): Promise<void> {
  const mayNotSkip = process.env.SWITCHYARD_TEST_NO_SKIP === '1';
  const built = Promise.withResolvers<Outcome>();
  const build = () => {
    built.resolve(check(BUILD));
    return built.promise;
  };
  /** Where it could not be built that has failed already, and the suites run the sources. */
  const entry = async () =>
    process.env.SWITCHYARD_ENTRY ?? ((await built.promise).failed.length === 0 ? EXECUTABLE : undefined);
  const outcomes = await runAll([
    { name: BUILD.name, waits: false, run: build },
    ...CHECKS.map((step) => ({ name: step.name, waits: false, run: () => check(step) })),
    ...suitesOf(ROOT).flatMap((suite) =>
      Array.from({ length: suite.parts ?? 1 }, (_, index) => ({
        name: suite.name,
        waits: suite.waits === true,
        run: async () => runSuite(suite, index + 1, await entry()),
      })),
    ),
  ]);
  const counts = outcomes.reduce((sum, outcome) => addCounts(sum, outcome.counts), {
    passed: 0,
    failed: 0,
    skipped: 0,
  });

  console.log('');
  for (const { file, name, reason } of outcomes.flatMap(({ skipped }) => skipped)) {
    console.log(`skipped: ${file}: ${name} (${reason})`);
  }
  for (const { file, name, attempt, details } of outcomes.flatMap(({ retried }) => retried)) {
    console.log(`passed at attempt ${attempt}: ${file}: ${name}\n${details}\n`);
  }
  for (const { file, name, details } of outcomes.flatMap(({ failed }) => failed)) {
    console.log(`failed: ${file}: ${name}\n${details}\n`);
  }
  if (mayNotSkip && counts.skipped > 0) console.log('SWITCHYARD_TEST_NO_SKIP is set: a skipped test is a failure here');
  console.log(summaryLine(counts));
  process.exitCode = isSuccess(counts, { mayNotSkip }) ? 0 : 1;
}

await main();
