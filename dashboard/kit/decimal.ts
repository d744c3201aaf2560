const DECIMAL = /^([+-]?)(\d{1,15})(?:\.(\d{1,9}))?$/;
const UNIT = 1_000_000_000n;

/** Returns the exact sum of two decimal texts; undefined if one of them is not an amount with at most nine decimals. */
export function sumOfDecimals(one: string, other: string): string | undefined {
  const [first, second] = [unitsOf(one), unitsOf(other)];
  if (first === undefined || second === undefined) return undefined;
  const sum = first + second;
  const size = sum < 0n ? -sum : sum;
  const fraction = String(size % UNIT)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${size / UNIT}${fraction === '' ? '' : `.${fraction}`}`;
}

function unitsOf(text: string): bigint | undefined {
  const parts = DECIMAL.exec(text.trim());
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = ''] = parts;
  const size = BigInt(whole) * UNIT + BigInt(fraction.padEnd(9, '0'));
  return sign === '-' ? -size : size;
}
