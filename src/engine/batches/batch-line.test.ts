import { expect, test } from 'bun:test';
import { SeenIds } from './batch-line.ts';

test('an id is known when it occurs again, however many there are', () => {
  const ids = new SeenIds();
  const all = Array.from({ length: 5_000 }, (_, index) => `request-${index}`);
  expect(all.filter((id) => ids.isKnown(id))).toEqual([]);
  expect(ids.size).toBe(5_000);
  expect(all.filter((id) => ids.isKnown(id))).toHaveLength(5_000);
  expect(ids.size).toBe(5_000);
});
