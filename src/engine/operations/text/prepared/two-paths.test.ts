import { expect, test } from 'bun:test';
import { compareTwoPaths } from './testing/two-paths.ts';

test('a prepared request has the effects of the general path', async () => {
  const { difference, prepared, translated } = await compareTwoPaths(1, 2_000);
  expect(difference).toBeNull();
  expect(prepared).toBeGreaterThan(200);
  expect(translated).toBeGreaterThan(50);
});
