import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileTimes, skippedTests } from './report.ts';
import { addCounts, countsFromOutput, isSuccess, printedTests, summaryLine } from './results.ts';

/** Runs real tests, so that a change of Bun's output fails here rather than making a run count nothing. */
async function runBunTest(texts: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-results-'));
  try {
    for (const [name, text] of Object.entries(texts)) {
      await Bun.write(join(folder, name), `import { beforeAll, describe, expect, test } from 'bun:test';\n${text}`);
    }
    // A process: what is read here is what the test runner itself prints.
    const child = Bun.spawn(
      [process.execPath, 'test', ...options, '--reporter=junit', `--reporter-outfile=${join(folder, 'junit.xml')}`],
      { cwd: folder, env: { ...process.env, NO_COLOR: '1' }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const output = await child.stderr.text();
    const counts = countsFromOutput(output, await child.exited);
    const report = Bun.file(join(folder, 'junit.xml'));
    const text = (await report.exists()) ? await report.text() : '';
    return { counts, skipped: skippedTests(text), times: fileTimes(text), printed: printedTests(output) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const PASSING = `test('passes', () => { expect(1).toBe(1); });`;

describe('a run of bun test', () => {
  test('passed, failed, skipped and planned tests are counted', async () => {
    const { counts } = await runBunTest({
      'a.test.ts': `${PASSING}\ntest('fails', () => { expect(1).toBe(2); });\ntest.skip('skipped', () => {});`,
      'b.test.ts': `${PASSING}\ntest.todo('planned');`,
    });
    expect(counts).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  test('failed tests are named once, with their messages', async () => {
    const { printed } = await runBunTest({
      'a.test.ts': `${PASSING}\ndescribe('sums', () => { test('are right', () => { expect(1 + 1).toBe(3); }); });\n${PASSING}`,
      'b.test.ts': `test('throws', () => { throw new Error('gone wrong'); });`,
    });
    const failed = printed.filter(({ outcome }) => outcome === 'fail');
    expect(failed.map(({ file, name }) => `${file}: ${name}`).sort()).toEqual([
      'a.test.ts: sums > are right',
      'b.test.ts: throws',
    ]);
    expect(failed.find(({ name }) => name === 'throws')?.details).toContain('gone wrong');
    expect(failed.find(({ name }) => name !== 'throws')?.details).toContain('Expected: 3');
  });

  test('skipped tests are named, and the hooks of a skipped group do not count as tests', async () => {
    const { skipped } = await runBunTest({
      'a.test.ts': [
        PASSING,
        `describe('limits', () => { test.skip('are "exact" & <shared>', () => {}); });`,
        `test.todo('planned');`,
        `describe.skip('replay', () => { beforeAll(() => {}); test('streams', () => {}); });`,
      ].join('\n'),
      'b.test.ts': PASSING,
    });
    expect(skipped.map(({ file, name }) => `${file}: ${name}`).sort()).toEqual([
      'a.test.ts: limits > are "exact" & <shared>',
      'a.test.ts: planned',
      'a.test.ts: replay > streams',
    ]);
  });

  test('the time of each file is read from the report, without that of its groups', async () => {
    const { times } = await runBunTest({
      'a.test.ts': `describe('a group', () => { ${PASSING} });`,
      'b.test.ts': `test('waits', async () => { await Bun.sleep(30); });`,
    });
    expect(Object.keys(times).sort()).toEqual(['a.test.ts', 'b.test.ts']);
    expect(times['b.test.ts']).toBeGreaterThanOrEqual(30);
  });

  test('a file that cannot be loaded is a failure', async () => {
    const { counts } = await runBunTest({ 'a.test.ts': PASSING, 'b.test.ts': `throw new Error('broken');` });
    expect(counts).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('a run that ends early is a failure', async () => {
    const { counts } = await runBunTest({ 'a.test.ts': `${PASSING}\ntest('exits', () => { process.exit(0); });` });
    expect(counts.failed).toBe(1);
  });

  test('a run without tests is a failure', async () => {
    expect((await runBunTest({ 'a.ts': PASSING })).counts).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});

test('a failing exit code is a failure, whatever the summary says', () => {
  const output = ' 3 pass\n 0 fail\nRan 3 tests across 1 file. [1.00ms]\n';
  expect(countsFromOutput(output, 0)).toEqual({ passed: 3, failed: 0, skipped: 0 });
  expect(countsFromOutput(output, 1)).toEqual({ passed: 3, failed: 1, skipped: 0 });
});

test('success requires a passed test, no failed one and, if skipping is forbidden, no skipped one', () => {
  const clean = { passed: 2, failed: 0, skipped: 0 };
  expect(isSuccess(clean, { mayNotSkip: true })).toBe(true);
  expect(isSuccess({ ...clean, skipped: 1 }, { mayNotSkip: false })).toBe(true);
  expect(isSuccess({ ...clean, skipped: 1 }, { mayNotSkip: true })).toBe(false);
  expect(isSuccess({ ...clean, failed: 1 }, { mayNotSkip: false })).toBe(false);
  expect(isSuccess({ passed: 0, failed: 0, skipped: 0 }, { mayNotSkip: false })).toBe(false);
});

test('the summary line is plain', () => {
  const counts = addCounts({ passed: 1, failed: 2, skipped: 3 }, { passed: 10, failed: 20, skipped: 30 });
  expect(summaryLine(counts)).toBe('11 passed, 22 failed, 33 skipped');
});
