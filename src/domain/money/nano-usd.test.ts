import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { formatNanoUsd, parseNanoUsd } from './nano-usd.ts';

const amount = (text: string): bigint => {
  const parsed = parseNanoUsd(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.amountNanoUsd;
};

test('parse ∘ format is the identity on every amount', () => {
  fc.assert(fc.property(fc.bigInt(), (nanoUsd) => amount(formatNanoUsd(nanoUsd)) === nanoUsd));
});

test('adding amounts as decimals and as integers agrees', () => {
  const small = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  fc.assert(fc.property(small, small, (a, b) => formatNanoUsd(amount(formatNanoUsd(a)) + b) === formatNanoUsd(a + b)));
});

test('trailing zeros within nine decimals do not change the amount', () => {
  fc.assert(
    fc.property(fc.nat(), fc.stringMatching(/^\d{1,6}$/), fc.nat({ max: 3 }), (whole, fraction, zeros) => {
      return amount(`${whole}.${fraction}`) === amount(`${whole}.${fraction}${'0'.repeat(zeros)}`);
    }),
  );
});

test('decimal amounts are parsed and formatted exactly', () => {
  expect(amount('0.15')).toBe(150_000_000n);
  expect(amount('10')).toBe(10_000_000_000n);
  expect(amount('0.000000001')).toBe(1n);
  expect(amount('-0.5')).toBe(-500_000_000n);
  expect(formatNanoUsd(0n)).toBe('0');
  expect(formatNanoUsd(-1n)).toBe('-0.000000001');
  expect(formatNanoUsd(1_500_000_000n)).toBe('1.5');
});

test.each(['', '.5', '5.', '1e3', '+1', ' 1', '1 ', '1,5', '0x1', 'NaN', 'Infinity', '١', '--1', '1.2.3'])(
  '%p is refused because it is not a decimal amount',
  (text) => {
    expect(parseNanoUsd(text)).toEqual({ ok: false, problem: 'must be a decimal amount in USD such as "0.15"' });
  },
);

test('a tenth decimal is refused, even a zero', () => {
  expect(parseNanoUsd('0.0000000010')).toEqual({ ok: false, problem: 'must have at most 9 decimals' });
});
