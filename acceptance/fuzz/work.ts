import { readFileSync } from 'node:fs';
import { listOf } from './hostile.ts';

/* Measures work as the processor time of a process's threads, so that other programs on the machine do not count. */

/** Returns the nanoseconds of the main thread, which runs the gateway's event loop and blocks every other response. */
export function workOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]);
}

/**
 * Returns the nanoseconds that parsing and writing a megabyte of JSON takes here, best of several tries. As the unit of the bounds, it
 * makes them hold on every machine.
 */
export function unitOfWork(): number {
  const text = JSON.stringify(listOf(10_000, (at) => ({ name: `name-${at}`, values: [at, `${at}`, 'y'.repeat(40)] })));
  const tries = listOf(8, () => {
    const before = workOf(process.pid);
    JSON.stringify(JSON.parse(text));
    return workOf(process.pid) - before;
  });
  return Math.min(...tries);
}
