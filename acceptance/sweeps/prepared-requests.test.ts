import { expect, setDefaultTimeout, test } from 'bun:test';
import { compareTwoPaths } from '../../src/engine/operations/text/prepared/testing/two-paths.ts';

/* `two-paths.test.ts` beside the code compares the first of these cases. */

setDefaultTimeout(600_000);

const CASES = 52_000;

test(`a prepared request has the effects of the general path in ${CASES} cases`, async () => {
  const { cases, difference, prepared, translated } = await compareTwoPaths(
    Number(process.env.PREPARED_SEED ?? 2),
    CASES,
  );
  expect(difference).toBeNull();
  expect(cases).toBe(CASES);
  expect(prepared).toBeGreaterThan(CASES / 10);
  expect(translated).toBeGreaterThan(CASES / 30);
});
