import { expect, test } from 'bun:test';
import { type Replay, Replays } from './replays.ts';

const KB = 1024;
/** With what stands beside it 2 KB, so that ten fill 20 KB. */
const replayOf = (bytes = KB): Replay => ({ accountId: 'acme', bytes });

function filled(count: number, mostBytes = 20 * KB) {
  const replays = new Replays(mostBytes);
  const left = () => Array.from({ length: 100 }, (_, index) => index).filter((index) => replays.get(`${index}`));
  for (let index = 0; index < count; index++) replays.set(`${index}`, replayOf());
  return { replays, left };
}

test('gives what was set, until it is deleted', () => {
  const { replays } = filled(0);
  const replay = replayOf();
  replays.set('a', replay);
  expect(replays.get('a')).toBe(replay);
  const other = replayOf();
  replays.set('a', other);
  expect(replays.get('a')).toBe(other);
  replays.delete('a');
  replays.delete('a');
  expect(replays.get('a')).toBeUndefined();
});

test('holds as many as have room, and the oldest go first', () => {
  expect(filled(13).left()).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test('those that are used stay, for as long as others can go', () => {
  const { replays, left } = filled(10);
  for (let index = 10; index < 60; index++) {
    replays.get('0');
    replays.get('5');
    replays.set(`${index}`, replayOf());
  }
  expect(left()).toEqual([0, 5, 52, 53, 54, 55, 56, 57, 58, 59]);
});

test('where all are used, one of them goes all the same', () => {
  const { replays, left } = filled(10);
  left();
  replays.set('10', replayOf());
  expect(left()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('one that is too large is not kept, and takes the place of none but its own', () => {
  const { replays, left } = filled(10);
  replays.set('3', replayOf(6 * KB));
  expect(left()).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9]);
  replays.set('3', replayOf());
  expect(left()).toHaveLength(10);
});

test('what is deleted and set again is counted once', () => {
  const { replays, left } = filled(10);
  for (let time = 0; time < 100; time++) {
    replays.set('9', replayOf());
    replays.delete('8');
    replays.set('8', replayOf());
  }
  expect(left()).toHaveLength(10);
});
