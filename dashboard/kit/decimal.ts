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

const PLAIN_DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,60}))?$/;

/** Returns the exact product of a decimal text and a whole number; undefined if the text is not a decimal. */
export function timesWhole(text: string, by: bigint): string | undefined {
  const parsed = digitsOf(text);
  return parsed && written(parsed.digits * by, parsed.decimals);
}

/** Returns a decimal text divided by a whole number, rounded half up to `decimals`; undefined if the text is not a decimal. */
export function dividedBy(text: string, by: bigint, decimals: number): string | undefined {
  const parsed = digitsOf(text);
  if (parsed === undefined) return undefined;
  const raised = parsed.digits * 10n ** BigInt(decimals);
  const divisor = by * 10n ** BigInt(parsed.decimals);
  const size = raised < 0n ? -raised : raised;
  const rounded = (2n * size + divisor) / (2n * divisor);
  return written(raised < 0n ? -rounded : rounded, decimals);
}

function digitsOf(text: string): { readonly digits: bigint; readonly decimals: number } | undefined {
  const parts = PLAIN_DECIMAL.exec(text.trim());
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = ''] = parts;
  return { digits: BigInt(`${sign}${whole}${fraction}`), decimals: fraction.length };
}

function written(digits: bigint, decimals: number): string {
  const size = (digits < 0n ? -digits : digits).toString().padStart(decimals + 1, '0');
  const end = size.length - decimals;
  const fraction = size.slice(end).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${size.slice(0, end)}${fraction === '' ? '' : `.${fraction}`}`;
}
