import { expect, test } from 'bun:test';
import { entryOf } from './record.ts';

test('a table has its own entries only, whatever objects inherit', () => {
  const table = { stop: 'end_turn' };
  expect(entryOf(table, 'stop')).toBe('end_turn');
  for (const word of ['constructor', '__proto__', 'toString', 'hasOwnProperty', '']) {
    expect(entryOf(table, word)).toBeUndefined();
  }
});
