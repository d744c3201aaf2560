import { describe, expect, test } from 'bun:test';
import { checkTree } from '../testing/check-tree.ts';
import { fixedSleeps } from './fixed-sleeps.ts';

describe('fixed-sleeps', () => {
  test.each([
    ['conformance/a.test.ts', 'await Bun.sleep(200)'],
    ['acceptance/redis/a.test.ts', 'await Bun.sleep(1_000)'],
    ['src/engine/a.test.ts', 'await Bun.sleep(2 * GRACE_MS + 50)'],
    ['src/engine/a.test.ts', 'Bun.sleepSync(5)'],
    ['conformance/a.test.ts', 'await new Promise((resolve) => setTimeout(resolve, 50))'],
    ['conformance/a.test.ts', 'await new Promise<void>((resolve) => setTimeout(() => resolve(), WAIT_MS))'],
    ['conformance/a.test.ts', 'setTimeout(() => gate.resolve(), 50)'],
    ['conformance/describe-a.ts', `Bun.sleep(5); import { test } from 'bun:test'`],
    ['conformance/a.test.ts', `import { setTimeout as sleep } from 'node:timers/promises'`],
    ['conformance/a.test.ts', `import { setTimeout } from 'timers/promises'`],
  ])('%s: %s', async (path, code) => {
    expect(await checkTree(fixedSleeps, { [path]: `\n${code};` })).toEqual([`${path}:2`]);
  });

  test.each([
    ['conformance/a.test.ts', 'await Bun.sleep(0)'],
    ['conformance/a.test.ts', 'await Bun.sleep(answer.retryAfterMs)'],
    ['conformance/a.test.ts', 'const timer = setTimeout(() => controller.abort(), GIVE_UP_MS)'],
    ['conformance/a.test.ts', `const text = 'Bun.sleep(200)' // Bun.sleep(200)`],
    ['conformance/a.test.ts', 'test("a", (sleep) => sleep(200))'],
    ['conformance/shared/until.ts', 'await Bun.sleep(5)'],
    ['bench/a.test.ts', 'await Bun.sleep(5)'],
  ])('%s is free to: %s', async (path, code) => {
    expect(await checkTree(fixedSleeps, { [path]: `${code};` })).toEqual([]);
  });

  test.each([
    ['// Real time: the kernel closes the socket after a second.'],
    ['/* Real time: the kernel closes the socket after a second,\n * and says so to nobody. */'],
    ['// Real time: the kernel closes the socket after a second,\n// and says so to nobody.'],
  ])('a pause may have a reason: %s', async (comment) => {
    expect(await checkTree(fixedSleeps, { 'src/a.test.ts': `${comment}\nawait Bun.sleep(5);` })).toEqual([]);
  });

  test.each([
    ['a reason that is empty', '// Real time:\nawait Bun.sleep(5);'],
    ['a reason elsewhere', '// Real time: a socket closes.\nfirst();\nawait Bun.sleep(5);'],
    ['another comment', '// A socket closes.\nawait Bun.sleep(5);'],
  ])('%s does not excuse it', async (_what, code) => {
    expect(await checkTree(fixedSleeps, { 'src/a.test.ts': code })).toHaveLength(1);
  });
});
