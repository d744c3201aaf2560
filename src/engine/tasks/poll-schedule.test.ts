import { expect, test } from 'bun:test';
import { type Due, firstWaitMs, PollSchedule, waitMs } from './poll-schedule.ts';

const INTERVALS = { firstMs: 3_000, leastMs: 2_000, mostMs: 30_000 };
const usual = { ageMs: 0, errors: 0, afterMs: null, fixedMs: null };
const wait = (more: Partial<Parameters<typeof waitMs>[1]>, random = 0) =>
  waitMs(INTERVALS, { ...usual, ...more }, () => random);

test('the earliest entry comes first, in any order of insertion', () => {
  for (let round = 0; round < 50; round++) {
    const schedule = new PollSchedule<Due>();
    const times = Array.from({ length: round }, () => Math.floor(Math.random() * 20));
    for (const dueAtMs of times) schedule.add({ dueAtMs });
    expect(schedule.size).toBe(round);
    const seen: number[] = [];
    for (let due = schedule.next(19); due !== null; due = schedule.next(19)) seen.push(due.dueAtMs);
    expect(seen).toEqual(times.toSorted((a, b) => a - b));
  }
});

test('an entry that is not due stays, and others may be added meanwhile', () => {
  const schedule = new PollSchedule<Due>();
  for (const dueAtMs of [5, 1, 9]) schedule.add({ dueAtMs });
  expect(schedule.next(0)).toBeNull();
  expect(schedule.next(5)).toEqual({ dueAtMs: 1 });
  schedule.add({ dueAtMs: 2 });
  expect([schedule.next(5), schedule.next(5), schedule.next(5)]).toEqual([{ dueAtMs: 2 }, { dueAtMs: 5 }, null]);
  expect(schedule.size).toBe(1);
});

test.each([
  ['a young job', {}, 2_000],
  ['a job after a minute', { ageMs: 60_000 }, 6_000],
  ['a job after an hour', { ageMs: 3_600_000 }, 30_000],
  ['a job after the clock was set back', { ageMs: -60_000 }, 2_000],
  ['an operator’s own interval', { ageMs: 3_600_000, fixedMs: 50 }, 50],
  ['the first error', { errors: 1 }, 4_000],
  ['the third error', { errors: 3 }, 16_000],
  ['the third error with an operator’s own interval', { errors: 3, fixedMs: 50 }, 400],
  ['the thousandth error', { errors: 1_000 }, 300_000],
  ["the upstream's interval", { afterMs: 20_000 }, 20_000],
  ['an upstream interval that is too short', { afterMs: 1 }, 2_000],
  ['an upstream interval that is too long', { afterMs: 86_400_000 }, 300_000],
  ['an upstream interval of zero', { afterMs: 0 }, 0],
  ['an upstream interval of zero after an error', { afterMs: 0, errors: 1 }, 4_000],
] as const)('the poll interval for %s', (_, waiting, ms) => {
  expect(wait(waiting)).toBe(ms);
  expect(wait(waiting, 0.999)).toBeLessThan(ms * 1.2 + 1);
});

test('the first interval is the provider’s, or an operator’s', () => {
  expect(firstWaitMs(INTERVALS, null, () => 0)).toBe(3_000);
  expect(firstWaitMs(INTERVALS, 10, () => 0.5)).toBe(11);
});
