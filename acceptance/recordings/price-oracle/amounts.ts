/* Amounts in USD in foreign notations. */

const DECIMALS = 27;
const UNITS = 10n ** BigInt(DECIMALS - 9);

/** Returns the sum of decimal USD amounts in nano-USD, rounded half up. */
export function nanoUsd(amounts: readonly (string | undefined)[]): bigint {
  const exact = amounts.reduce((sum, amount) => sum + unitsOf(amount ?? '0'), 0n);
  return (exact + UNITS / 2n) / UNITS;
}

/** Converts to 1e-27 USD. Small amounts are written `1.5E-7`. */
function unitsOf(amount: string): bigint {
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[Ee]-(\d+))?$/.exec(amount) ?? [];
  const zeros = DECIMALS - fraction.length - Number(exponent);
  if (whole === '' || zeros < 0) throw new Error(`not an amount: ${amount}`);
  return BigInt(whole + fraction) * 10n ** BigInt(zeros);
}
