import { describe, expect, test } from 'bun:test';
import { OTHER_BILLS, recordedBills } from './price-oracle/bills.ts';

/* Some upstreams say in an answer what they charge for it. What the product makes of the answer's usage is the same amount. */

describe('the bills of upstreams', () => {
  const bills = recordedBills();
  const equal = bills.filter(({ ours, upstream }) => ours === upstream);

  test('are equal to the nano-dollar, and the others are listed', () => {
    const others = bills.filter((bill) => !equal.includes(bill));
    expect(others.map(({ file }) => file).sort()).toEqual(OTHER_BILLS.map(({ file }) => file).sort());
    expect(equal.length).toBeGreaterThan(50);
  });

  test.each(OTHER_BILLS.filter(({ prices }) => prices !== undefined).map((other) => [other.file, other] as const))(
    '%s: with the prices of the day the bill is the same',
    (file, { prices = {} }) => {
      const bill = bills.find((one) => one.file === file);
      expect(bill?.reprice(prices)).toBe(bill?.upstream);
    },
  );
});
