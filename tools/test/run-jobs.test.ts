import { describe, expect, test } from 'bun:test';
import { runJobs } from './run-jobs.ts';

/** Jobs that end only when told to. */
function sampleJobs(count: number) {
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const jobs = Array.from({ length: count }, (_, index) => () => {
    started.push(index);
    return new Promise<number>((resolve) => ends.push(() => resolve(index)));
  });
  return { jobs, started, end: (index: number) => ends[index]?.() };
}

/** A machine that is asked again at once. */
function machine(hasSpareCores: boolean) {
  return { hasSpareCores: () => hasSpareCores, pause: () => new Promise<void>((resolve) => setImmediate(resolve)) };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('jobs', () => {
  test.each([
    { hasSpareCores: false, atOnce: 2 },
    { hasSpareCores: true, atOnce: 4 },
  ])('run in their order, more of them while cores are idle ($hasSpareCores)', async ({ hasSpareCores, atOnce }) => {
    const { jobs, started, end } = sampleJobs(6);
    const running = runJobs(jobs, { least: 2, most: 4 }, machine(hasSpareCores));
    await settled();
    expect(started).toEqual([0, 1, 2, 3].slice(0, atOnce));
    end(1);
    await settled();
    expect(started).toEqual([0, 1, 2, 3, 4].slice(0, atOnce + 1));
    for (let index = 0; index < 6; index++) {
      end(index);
      await settled();
    }
    expect(await running).toEqual([1, 0, 2, 3, 4, 5]);
  });

  test('a job that fails ends the run', async () => {
    const broken = [() => Promise.reject(new Error('broken'))];
    await expect(runJobs(broken, { least: 1, most: 1 }, machine(false))).rejects.toThrow('broken');
  });
});
