import { describe, expect, test } from 'bun:test';
import { OTHER_BILLS, recordedBills } from './price-oracle/bills.ts';
import { oracleMissing } from './price-oracle/oracle.ts';
import { recordingsMissing } from './shared/recordings.ts';

/* Some upstreams say in an answer what they charge for it. What the product makes of the answer's usage is the same amount. */

const missing = oracleMissing() ?? recordingsMissing();
if (missing !== undefined) test.skip(`the bills of upstreams (${missing})`, () => undefined);

describe.if(missing === undefined)('the bills of upstreams', () => {
  const bills = missing === undefined ? recordedBills() : [];
  const equal = bills.filter(({ ours, upstream }) => ours === upstream);

  test(`of ${bills.length} ${equal.length} are equal to the nano-dollar, and the others are listed`, () => {
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
