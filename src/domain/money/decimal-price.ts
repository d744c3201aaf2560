/** A price has up to 18 decimals: as a whole number it is in 1e-18 USD. */
const DECIMALS = 18;

/** A decimal price in 1e-18 USD. */
export function unitsOfPrice(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/** The shortest decimal that is exactly so many 1e-18 USD. */
export function priceOfUnits(units: bigint): string {
  const digits = units.toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}
