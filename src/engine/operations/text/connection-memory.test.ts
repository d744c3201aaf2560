import { expect, test } from 'bun:test';
import type { StoredResponse } from '../../ports/response-store.ts';
import { ConnectionMemories } from './connection-memory.ts';

function turn(id: string, previousId: string | null = null, inputJson = '[]'): StoredResponse {
  const kept = { createdAtMs: 0, expiresAtMs: 1, place: null, upstreamStored: false, responseJson: '{}' };
  return { ...kept, id, accountId: 'acme', previousId, inputJson };
}

test('a connection has its own turns only, in order', () => {
  const memories = new ConnectionMemories();
  const [one, other] = [memories.open('acme'), memories.open('acme')];
  one.put(turn('a'));
  one.put(turn('b', 'a'));
  one.put(turn('d', 'stored'));
  expect(one.endingWith('b').map(({ id }) => id)).toEqual(['a', 'b']);
  expect(one.endingWith('d').map(({ id }) => id)).toEqual(['d']);
  expect(other.endingWith('b')).toEqual([]);
  expect([one.has('a'), other.has('a')]).toEqual([true, false]);
});

test('turns that name each other do not loop forever', () => {
  const memory = new ConnectionMemories().open('acme');
  memory.put(turn('a', 'b'));
  memory.put(turn('b', 'a'));
  expect(memory.endingWith('b')).toHaveLength(1_000);
});

test('a closed connection leaves nothing behind', () => {
  const memories = new ConnectionMemories();
  const memory = memories.open('acme');
  memory.put(turn('a'));
  memory.close();
  expect(memory.has('a')).toBe(false);
  // A request that ends after its connection would store this.
  memory.put(turn('b'));
  expect(memory.has('b')).toBe(false);
});

test('the memory of an account is bounded in bytes, and that of a connection in turns', () => {
  const memories = new ConnectionMemories(100_000);
  const [memory, other] = [memories.open('acme'), memories.open('globex')];
  other.put(turn('theirs'));
  for (let count = 0; count < 50; count++) memory.put(turn(`r${count}`, null, 'x'.repeat(5_000)));
  expect([memory.has('r0'), memory.has('r49'), other.has('theirs')]).toEqual([false, true, true]);
  const many = new ConnectionMemories().open('acme');
  for (let count = 0; count < 1_001; count++) many.put(turn(`r${count}`));
  expect([many.has('r0'), many.has('r1')]).toEqual([false, true]);
});
