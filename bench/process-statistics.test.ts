import { expect, test } from 'bun:test';
import { familyOf, parseCoreList, parseProcStat, parsePsLine } from './process-statistics.ts';

// The numbering of `man proc_pid_stat`: 4 is the parent, 14 and 15 user and system ticks, 24 the resident pages.
function statLine(name: string): string {
  return `4711 (${name}) S 42 4711 4711 0 -1 4194304 900 0 0 0 150 50 7 9 20 0 12 0 5000 900000000 2500 18446744073709551615 1 1`;
}

test('a /proc stat line gives CPU time in milliseconds without that of waited-for children, memory in bytes, and threads', () => {
  expect(parseProcStat(statLine('bun'), 100, 4096)).toEqual({
    pid: 4711,
    parentPid: 42,
    cpuMs: 2000,
    rssBytes: 2500 * 4096,
    threads: 12,
  });
});

test('a process name with blanks and parentheses does not shift the fields', () => {
  expect(parseProcStat(statLine('odd) S 1 (name'), 100, 4096)?.parentPid).toBe(42);
});

test('an invalid stat line is refused', () => {
  expect(parseProcStat('', 100, 4096)).toBeUndefined();
  expect(parseProcStat('1 (short) S', 100, 4096)).toBeUndefined();
});

test('a ps line gives the same fields, with hours and days in the time', () => {
  expect(parsePsLine('  77     1  2048   0:01.25')).toEqual({
    pid: 77,
    parentPid: 1,
    cpuMs: 1250,
    rssBytes: 2048 * 1024,
  });
  expect(parsePsLine('77 1 2048 1-02:00:01.00')?.cpuMs).toBe((26 * 3600 + 1) * 1000);
  expect(parsePsLine('')).toBeUndefined();
});

test('a family is the process and its descendants', () => {
  const usage = (pid: number, parentPid: number) => ({ pid, parentPid, cpuMs: 0, rssBytes: 0 });
  const all = [usage(30, 20), usage(20, 10), usage(10, 1), usage(11, 1)];
  expect(familyOf(10, all).map((member) => member.pid)).toEqual([10, 20, 30]);
});

test('a list of cores may mix ranges and single ones', () => {
  expect(parseCoreList('0-2,5\n')).toEqual([0, 1, 2, 5]);
  expect(parseCoreList('')).toEqual([]);
});
