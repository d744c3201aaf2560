import { expect, test } from 'bun:test';
import { SharedMemory } from './shared-memory.ts';

test('an account evicts its own entries, and others keep theirs', () => {
  const memory = new SharedMemory<number>(10);
  for (let index = 0; index < 4; index++) memory.set('quiet', `${index}`, index);
  for (let index = 0; index < 1_000; index++) memory.set('loud', `${index}`, index);
  for (let index = 0; index < 4; index++) expect(memory.get('quiet', `${index}`)).toBe(index);
  expect([994, 995, 999].map((index) => memory.get('loud', `${index}`))).toEqual([undefined, 995, 999]);
});

test('over all accounts the oldest entries are evicted, and an entry set again is the youngest', () => {
  const memory = new SharedMemory<string>(4);
  for (const account of ['a', 'b', 'c', 'd']) memory.set(account, 'key', account);
  memory.set('a', 'key', 'again');
  memory.set('e', 'key', 'e');
  expect(['a', 'b', 'c', 'd', 'e'].map((account) => memory.get(account, 'key'))).toEqual([
    'again',
    undefined,
    'c',
    'd',
    'e',
  ]);
});

test("an entry larger than the account's share is not kept", () => {
  const memory = new SharedMemory<string>(10);
  memory.set('a', 'small', 'x', 2);
  memory.set('a', 'large', 'y', 6);
  expect(memory.get('a', 'large')).toBeUndefined();
  expect(memory.isEmpty).toBe(true);
});
