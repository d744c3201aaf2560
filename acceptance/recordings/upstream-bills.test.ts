import { describe, expect, test } from 'bun:test';
import { OTHER_BILLS, recordedBills } from './price-oracle/bills.ts';

/* Some upstreams report the cost in their response. The product calculates the same amount from the usage. */

describe('upstream bills', () => {
  const bills = recordedBills();
  const equal = bills.filter(({ ours, upstream }) => ours === upstream);

  test('equal our charges to the nano-dollar, with the exceptions listed', () => {
    const others = bills.filter((bill) => !equal.includes(bill));
    expect(others.map(({ file }) => file).sort()).toEqual(OTHER_BILLS.map(({ file }) => file).sort());
    expect(equal.length).toBeGreaterThan(50);
  });

  test.each(OTHER_BILLS.filter(({ prices }) => prices !== undefined).map((other) => [other.file, other] as const))(
    '%s: the prices of that day explain the bill',
    (file, { prices = {} }) => {
      const bill = bills.find((one) => one.file === file);
      expect(bill?.reprice(prices)).toBe(bill?.upstream);
    },
  );
});
