import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addCounts,
  type Counts,
  countsFromOutput,
  isSuccess,
  type SkippedTest,
  skippedTests,
  summaryLine,
} from './results.ts';

const ROOT = join(import.meta.dir, '../..');
/**
 * A process each: what one leaves behind in the runtime cannot slow down or upset the next. After the tests of the HTTP client,
 * Bun 1.4's test runner lets `setImmediate` wait for the next timer, which takes the ledger's histories from 1 s to 200 s.
 */
const TEST_GROUPS: readonly (readonly string[])[] = [
  ['src/stores'],
  [...roomsBeside('stores'), 'tools', 'bench'],
  ['conformance'],
];
const TEST_TIMEOUT_MS = 60_000;

const PASSED: Counts = { passed: 1, failed: 0, skipped: 0 };
const FAILED: Counts = { passed: 0, failed: 1, skipped: 0 };

/** Each counts as one test. A step that fails does not stop the next, so that one run shows all there is to mend. */
const CHECKS: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'type check', command: ['tsc', '--noEmit'] },
  { name: 'lint', command: ['biome', 'check', '.'] },
  { name: 'tidy', command: ['bun', 'tools/tidy/main.ts'] },
];

async function runCheck(name: string, command: readonly string[]): Promise<Counts> {
  console.log(`\n== ${name}`);
  const child = Bun.spawn([...command], { cwd: ROOT, env: environment(), stdio: ['ignore', 'inherit', 'inherit'] });
  const hasPassed = (await child.exited) === 0;
  console.log(`${name} ${hasPassed ? 'passed' : 'FAILED'}`);
  return hasPassed ? PASSED : FAILED;
}

function roomsBeside(room: string): readonly string[] {
  return readdirSync(join(ROOT, 'src')).flatMap((name) => (name === room ? [] : [`src/${name}`]));
}

interface TestRun {
  readonly counts: Counts;
  readonly skipped: readonly SkippedTest[];
}

async function runTests(): Promise<TestRun> {
  let all: TestRun = { counts: { passed: 0, failed: 0, skipped: 0 }, skipped: [] };
  for (const group of TEST_GROUPS) {
    const { counts, skipped } = await runGroup(group);
    all = { counts: addCounts(all.counts, counts), skipped: [...all.skipped, ...skipped] };
  }
  return all;
}

async function runGroup(group: readonly string[]): Promise<TestRun> {
  console.log(`\n== tests of ${group.join(', ')}`);
  const reportFolder = await mkdtemp(join(tmpdir(), 'switchyard-test-'));
  const reportFile = join(reportFolder, 'junit.xml');
  try {
    const folders = group.filter((folder) => existsSync(join(ROOT, folder))).map((folder) => `./${folder}`);
    const child = Bun.spawn(
      [
        ...['bun', 'test', ...folders, `--timeout=${TEST_TIMEOUT_MS}`],
        ...['--reporter=junit', `--reporter-outfile=${reportFile}`],
      ],
      { cwd: ROOT, env: environment(), stdio: ['ignore', 'inherit', 'pipe'] },
    );
    const output = await passOn(child.stderr);
    const exitCode = await child.exited;
    const counts = countsFromOutput(output, exitCode);
    const report = Bun.file(reportFile);
    if (!(await report.exists())) return { counts, skipped: [] };
    const skipped = skippedTests(await report.text());
    return { counts: { ...counts, skipped: skipped.length }, skipped };
  } finally {
    await rm(reportFolder, { recursive: true, force: true });
  }
}

/** Shows the output while it comes, and keeps it. */
async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let output = '';
  for await (const piece of stream) {
    process.stderr.write(piece);
    output += decoder.decode(piece, { stream: true });
  }
  return output + decoder.decode();
}

function environment(): Record<string, string | undefined> {
  const localCommands = join(ROOT, 'node_modules/.bin');
  return { ...process.env, PATH: `${localCommands}:${process.env.PATH ?? ''}`, NO_COLOR: '1', FORCE_COLOR: undefined };
}

async function main(): Promise<void> {
  const mayNotSkip = process.env.SWITCHYARD_TEST_NO_SKIP === '1';
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, command } of CHECKS) counts = addCounts(counts, await runCheck(name, command));
  const tests = await runTests();
  counts = addCounts(counts, tests.counts);

  console.log('');
  for (const { file, name, reason } of tests.skipped) console.log(`skipped: ${file}: ${name} (${reason})`);
  if (mayNotSkip && counts.skipped > 0) console.log('SWITCHYARD_TEST_NO_SKIP is set: a skipped test is a failure here');
  console.log(summaryLine(counts));
  process.exitCode = isSuccess(counts, { mayNotSkip }) ? 0 : 1;
}

await main();
