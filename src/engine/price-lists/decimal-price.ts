/** The catalog's prices have at most so many decimals. */
const DECIMALS = 12;

/** What no model costs, in USD for a million tokens or for a piece: a list with such a price has mistaken the unit. */
const MAXIMUM_USD = 10_000n;

/** More than a price may have: what is compared is compared exactly. */
const COMPARED_DECIMALS = 24;

const NUMBER = /^(\d{1,40})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * A price from a list as a decimal string in USD, its decimal point moved `places` to the right (six for a price of one
 * token, wanted for a million): `1.5e-7` is `0.15`. The number's shortest text is taken, and no float is calculated with.
 * Digits beyond the twelfth decimal are rounded half up: they are what binary fractions have left in the list
 * (`0.30000000000000004`). A nought is returned as `0`. `null` for what is no price: negative, huge, or no number.
 */
export function decimalPrice(value: unknown, places: number): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const parts = NUMBER.exec(String(value));
  if (parts === null) return null;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) + places + DECIMALS - fraction.length;
  if (digits === 0n) return '0';
  if (shift > 60) return null;
  const scaled = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedQuotient(digits, 10n ** BigInt(-shift));
  return scaled > MAXIMUM_USD * 10n ** BigInt(DECIMALS) ? null : decimalText(scaled);
}

/** Whether two decimal strings are the same number: `0.60` and `0.6`. */
export function isSamePrice(a: string, b: string): boolean {
  return shortest(a) === shortest(b);
}

/**
 * Whether `listed` is `exact` written with fewer decimals, but still to four digits or more: a third of a cent cannot be
 * written in full, and the catalog may have more of it than a list. With fewer digits it would hide real changes.
 */
export function isRoundedPrice(listed: string, exact: string): boolean {
  const [, decimals = ''] = shortest(listed).split('.');
  const [whole = '', allDecimals = ''] = shortest(exact).split('.');
  const digits = shortest(listed).replace('.', '').replace(/^0+/, '');
  if (digits.length < 4 || allDecimals.length <= decimals.length) return false;
  const cut = BigInt(whole + allDecimals.slice(0, decimals.length));
  return BigInt(digits) === cut || BigInt(digits) === cut + 1n;
}

/** Whether `listed` is what `exact`, which has more decimals, is rounded to: to its own decimals, `decimals` at the least. */
export function isNearestPrice(listed: string, exact: string, decimals: number): boolean {
  const kept = Math.max(decimals, fractionOf(listed).length);
  if (fractionOf(exact).length <= kept) return false;
  const difference = comparablePrice(listed) - comparablePrice(exact);
  const unit = 10n ** BigInt(Math.max(0, COMPARED_DECIMALS - kept));
  return (difference < 0n ? -difference : difference) * 2n <= unit;
}

/** A decimal string as a whole number that can be compared with another one of these. */
export function comparablePrice(decimal: string): bigint {
  const [whole = ''] = decimal.split('.');
  return BigInt(whole + fractionOf(decimal).padEnd(COMPARED_DECIMALS, '0').slice(0, COMPARED_DECIMALS));
}

function fractionOf(decimal: string): string {
  return shortest(decimal).split('.')[1] ?? '';
}

function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  return (dividend * 2n + divisor) / (divisor * 2n);
}

function decimalText(scaled: bigint): string {
  const digits = scaled.toString().padStart(DECIMALS + 1, '0');
  return shortest(`${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`);
}

function shortest(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.split('.');
  const decimals = fraction.replace(/0+$/, '');
  return `${whole.replace(/^0+(?=\d)/, '')}${decimals === '' ? '' : `.${decimals}`}`;
}
