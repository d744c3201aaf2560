import { expect, test } from 'bun:test';
import { pause } from '../domain/testing/until.ts';
import { UserActivity } from './user-activity.ts';

test('each user is written at most every five minutes, and again after a failure', async () => {
  const written: [string, number][] = [];
  let nowMs = 1_000_000;
  let isBroken = false;
  const warnings: unknown[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (facts: object) => void warnings.push(facts) };
  const people = {
    noteActivity: async (userId: string, atMs: number) => {
      if (isBroken) throw new Error('the disk is full');
      written.push([userId, atMs]);
    },
  };
  const activity = new UserActivity({ people, clock: { nowMs: () => nowMs }, logger } as never); // All that it calls.
  activity.note('a');
  activity.note('a');
  activity.note('b');
  nowMs += 299_999;
  activity.note('a');
  nowMs += 1;
  isBroken = true;
  activity.note('a');
  await pause();
  isBroken = false;
  activity.note('a');
  await pause();
  expect(written).toEqual([
    ['a', 1_000_000],
    ['b', 1_000_000],
    ['a', 1_300_000],
  ]);
  expect(warnings).toMatchObject([{ userId: 'a' }]);
});
