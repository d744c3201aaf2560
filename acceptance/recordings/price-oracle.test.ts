import { describe, expect, test } from 'bun:test';
import { type Comparison, compareAll } from './price-oracle/compare.ts';
import { DIFFERENCES, type Difference } from './price-oracle/differences.ts';

/*
 * Recorded usage objects, decoded by the gateway and priced with the oracle's prices, cost the same to the nano-dollar. Exceptions are
 * listed with the reason and who is right.
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
    // Guards against a reader that finds nothing.
    expect(comparisons.length).toBeGreaterThan(1_600);
  });

  test('every charge is the sum of its parts, each rounded by less than a nano-dollar', () => {
    for (const { ours, parts } of comparisons) {
      const all = parts();
      expect(all.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0n)).toBe(ours ?? 0n);
      expect(all.filter(({ kind }) => kind !== 'usage' && kind !== 'rounding')).toEqual([]);
      const rounding = all.findLast(({ kind }) => kind === 'rounding')?.nanoUsd ?? 0n;
      expect(Math.abs(Number(rounding))).toBeLessThanOrEqual(all.length);
    }
  });

  test.each(DIFFERENCES.map((listed) => [listed.file, listed] as const))(
    'the listed difference of %s exists',
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
