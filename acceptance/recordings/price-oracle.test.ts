import { describe, expect, test } from 'bun:test';
import { type Comparison, compareAll } from './price-oracle/compare.ts';
import { DIFFERENCES, type Difference } from './price-oracle/differences.ts';

/*
 * Usage objects of recorded answers, decoded as the gateway decodes them and priced by a price sheet with the oracle's prices:
 * equal to the nano-dollar, but for what is listed with who is right and why.
 */

describe('prices against an oracle', () => {
  const { entries, unpriced, comparisons, notCompared } = compareAll();
  const equal = comparisons.filter(({ ours, oracle }) => ours === oracle);
  const different = comparisons.filter(({ ours, oracle }) => ours !== oracle);
  const reasons = [...notCompared].map(([reason, count]) => `${count} ${reason}`);

  test(`of ${entries} usages (${unpriced} unpriced) ${comparisons.length} prices are compared: ${equal.length} equal, ${different.length} listed; not compared: ${reasons.join('; ')}`, () => {
    const unlisted = different.filter((one) => !DIFFERENCES.some((listed) => isSame(listed, one)));
    expect(
      unlisted.map(({ entry, provider, api, ours, oracle }) => [entry.body.file, provider, api, ours, oracle]),
    ).toEqual([]);
    // So that a reader who finds nothing is not taken for one who finds no fault.
    expect(comparisons.length).toBeGreaterThan(1_600);
  });

  test('every charge is the sum of its parts, and rounding is less than a nano-dollar of each', () => {
    for (const { ours, parts } of comparisons) {
      const all = parts();
      expect(all.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n)).toBe(ours ?? 0n);
      expect(all.filter(({ kind }) => kind !== 'usage' && kind !== 'rounding')).toEqual([]);
      const rounding = all.findLast(({ kind }) => kind === 'rounding')?.nanoUsd ?? 0n;
      expect(Math.abs(Number(rounding))).toBeLessThanOrEqual(all.length);
    }
  });

  test.each(DIFFERENCES.map((listed) => [listed.file, listed] as const))(
    'the listed difference of %s is there',
    (_, listed) => {
      const found = different.filter((one) => isSame(listed, one));
      expect(found).not.toEqual([]);
      if (listed.prices === undefined) return;
      for (const one of found) expect(one.reprice(listed.prices)).toBe(listed.oracle);
    },
  );
});

function isSame(listed: Difference, { entry, provider, api, ours, oracle }: Comparison): boolean {
  const isPlace = listed.file === entry.body.file && listed.provider === provider && listed.api === api;
  return isPlace && listed.ours === ours && listed.oracle === oracle;
}
