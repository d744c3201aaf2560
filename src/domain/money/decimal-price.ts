/** A price has up to 18 decimals, so as an integer it is in 1e-18 USD. */
const DECIMALS = 18;

/** Converts a decimal price to 1e-18 USD. */
export function unitsOfPrice(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/** Returns the shortest decimal that equals this many 1e-18 USD. */
export function priceOfUnits(units: bigint): string {
  const digits = units.toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}
