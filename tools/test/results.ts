export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface PrintedTest {
  readonly outcome: 'pass' | 'fail' | 'skip' | 'todo';
  readonly name: string;
  readonly file: string;
  /** The test's output: the error and where it was thrown. */
  readonly details: string;
}

export function addCounts(left: Counts, right: Counts): Counts {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

export const NO_TESTS: Counts = { passed: 0, failed: 0, skipped: 0 };

export function sum(counts: readonly Counts[]): Counts {
  return counts.reduce(addCounts, NO_TESTS);
}

export function summaryLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Returns whether the run succeeded: no test failed, at least one ran and, if skipping is not allowed, none was skipped. */
export function isSuccess(counts: Counts, options: { readonly mayNotSkip: boolean }): boolean {
  return counts.failed === 0 && counts.passed > 0 && !(options.mayNotSkip && counts.skipped > 0);
}

/**
 * Parses the counts that `bun test` prints at its end. Its JUnit report is unsuitable: it lacks a file that throws while it is loaded, and
 * an error between two tests. An interrupted run counts as one failure.
 */
export function countsFromOutput(output: string, exitCode: number | null): Counts {
  const summary = output.slice(Math.max(0, output.search(/^ +\d+ pass$/m)));
  const isComplete = /^Ran \d+ tests? across \d+ files?\./m.test(summary);
  const counts = {
    passed: countOf(summary, 'pass'),
    failed: countOf(summary, 'fail'),
    skipped: countOf(summary, 'skip') + countOf(summary, 'todo'),
  };
  const hasHiddenFailure = !isComplete || (exitCode !== 0 && counts.failed === 0);
  return hasHiddenFailure ? addCounts(counts, { passed: 0, failed: 1, skipped: 0 }) : counts;
}

/**
 * Parses the tests in the output of `bun test`: a line `path/to/file.test.ts:` precedes those of a file, and a test's output precedes its
 * own line, `(pass) name [1.00ms]`.
 */
export function printedTests(output: string): PrintedTest[] {
  const tests: PrintedTest[] = [];
  let file = '';
  let said: string[] = [];
  for (const line of output.split('\n')) {
    const [, outcome, name = ''] = TEST_LINE.exec(line) ?? [];
    const [, heading] = /^(\S+\.test\.ts):$/.exec(line) ?? [];
    if (outcome !== undefined) {
      const details = said.slice(-MOST_DETAILS).join('\n').trim();
      tests.push({ outcome: outcome as PrintedTest['outcome'], name, file, details });
    }
    if (heading !== undefined) file = heading;
    if (outcome !== undefined || heading !== undefined) said = [];
    else said.push(line);
    // At its end a long run lists its failed tests again.
    if (/^\d+ tests? failed:$/.test(line)) break;
  }
  return tests;
}

const TEST_LINE = /^\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$/;
const MOST_DETAILS = 60;

function countOf(summary: string, word: string): number {
  return Number(new RegExp(`^ +(\\d+) ${word}$`, 'm').exec(summary)?.[1] ?? 0);
}
