import { readFileSync } from 'node:fs';
import { listOf } from './hostile.ts';

/* How much a process works, in the time that its threads have had a processor: another program on the machine does not count. */

/** Nanoseconds of the main thread, in which the gateway's event loop runs. While it works, nobody else is answered. */
export function workOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]);
}

/**
 * The nanoseconds that reading and writing a megabyte of JSON takes here, in the best of several tries: the unit of the bounds, which
 * then hold on every machine.
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
