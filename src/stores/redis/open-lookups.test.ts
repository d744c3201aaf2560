import { expect, test } from 'bun:test';
import { isCurrent, OpenLookups } from './open-lookups.ts';

const entry = (key: string, id: string) => ({ key, id });

test('an entry announced before its look-up returns is current, and an older one is not', () => {
  const lookups = new OpenLookups();
  const lookup = lookups.begin(['a', 'b']);
  lookups.replaced('a', 'new');
  expect([entry('a', 'new'), entry('a', 'old'), entry('b', 'any')].map((one) => isCurrent(lookup, one))).toEqual([
    true,
    false,
    true,
  ]);
});

test('an entry removed during its look-up is stale, until its key has another one', () => {
  const lookups = new OpenLookups();
  const lookup = lookups.begin(['a', 'b']);
  lookups.replaced('a', 'one');
  lookups.removed('a');
  expect([isCurrent(lookup, entry('a', 'one')), isCurrent(lookup, entry('b', 'one'))]).toEqual([false, true]);
  lookups.replaced('a', 'two');
  expect(isCurrent(lookup, entry('a', 'two'))).toBe(true);
  lookups.removedAll();
  expect([isCurrent(lookup, entry('a', 'two')), isCurrent(lookup, entry('b', 'one'))]).toEqual([false, false]);
});

test('a message from before a look-up does not affect it', () => {
  const lookups = new OpenLookups();
  const ended = lookups.begin(['a']);
  lookups.end(ended);
  lookups.removed('a');
  const lookup = lookups.begin(['a']);
  expect([isCurrent(lookup, entry('a', 'one')), isCurrent(ended, entry('a', 'one'))]).toEqual([true, true]);
});
