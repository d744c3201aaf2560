/** The largest number of decimals of a price in the catalog. */
const DECIMALS = 12;

/** A price in USD, per million tokens or per piece, that no model reaches; a list with such a price has confused the unit. */
const MAXIMUM_USD = 10_000n;

/** More decimals than a price may have, so that comparisons are exact. */
const COMPARED_DECIMALS = 24;

const NUMBER = /^(\d{1,40})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * Returns a price from a list as a decimal string in USD, with the decimal point moved `places` to the right (six to convert a price per
 * token to one per million): `1.5e-7` becomes `0.15`. The shortest text of the number is used, without floating-point arithmetic. Digits
 * after the twelfth decimal are rounded half up, since they come from binary fractions (`0.30000000000000004`). Zero becomes `0`. Returns
 * `null` for a value that is negative, huge or not a number.
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

/** Returns whether two decimal strings are the same number, such as `0.60` and `0.6`. */
export function isSamePrice(a: string, b: string): boolean {
  return shortest(a) === shortest(b);
}

/**
 * Returns whether `listed` is `exact` with fewer decimals, but at least four digits. A third of a cent has no finite form, and the catalog
 * may have more of its digits than a list. With fewer digits, real changes would be hidden.
 */
export function isRoundedPrice(listed: string, exact: string): boolean {
  const [, decimals = ''] = shortest(listed).split('.');
  const [whole = '', allDecimals = ''] = shortest(exact).split('.');
  const digits = shortest(listed).replace('.', '').replace(/^0+/, '');
  if (digits.length < 4 || allDecimals.length <= decimals.length) return false;
  const cut = BigInt(whole + allDecimals.slice(0, decimals.length));
  return BigInt(digits) === cut || BigInt(digits) === cut + 1n;
}

/** Returns whether `listed` is `exact`, which has more decimals, rounded to those of `listed` or to `decimals`, whichever is more. */
export function isNearestPrice(listed: string, exact: string, decimals: number): boolean {
  const kept = Math.max(decimals, fractionOf(listed).length);
  if (fractionOf(exact).length <= kept) return false;
  const difference = comparablePrice(listed) - comparablePrice(exact);
  const unit = 10n ** BigInt(Math.max(0, COMPARED_DECIMALS - kept));
  return (difference < 0n ? -difference : difference) * 2n <= unit;
}

/** Returns a decimal string as a whole number that can be compared with another result of this function. */
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
