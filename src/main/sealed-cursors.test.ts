import { expect, test } from 'bun:test';
import { SealedCursors } from './sealed-cursors.ts';
import { derivedKey } from './system.ts';

const cursors = new SealedCursors(derivedKey('a secret', 'test'));

test('a cursor can be opened, also on another node with the same secret', () => {
  const other = new SealedCursors(derivedKey('a secret', 'test'));
  for (const cursor of ['1', '123456789012345', '5000~4990.4995.4999']) {
    expect(other.open(cursors.seal(cursor))).toBe(cursor);
  }
});

test('a sealed id hides the number and its length, and cannot be forged', () => {
  expect(cursors.seal('7')).not.toBe(cursors.seal('7'));
  expect(cursors.seal('7')).toHaveLength(cursors.seal('123456789012').length);
  const foreign = new SealedCursors(derivedKey('another secret', 'test')).seal('7');
  for (const id of ['', '7', 'yesterday', foreign]) expect(cursors.open(id)).toBeNull();
});
