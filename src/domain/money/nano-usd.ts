/** One US dollar in nano-USD, the unit of all amounts (design, section 5), which are integers. */
export const NANO_USD_PER_USD = 1_000_000_000n;

type ParsedNanoUsd =
  | { readonly ok: true; readonly amountNanoUsd: bigint }
  /** `problem` completes a sentence that begins with the field's name: `must be …`. */
  | { readonly ok: false; readonly problem: string };

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;
const DECIMALS = 9;

/**
 * Parses a decimal string in USD, such as `0.15`, exactly. More than nine decimals are refused, even zeros, because rounding here
 * would silently change an amount.
 */
export function parseNanoUsd(text: string): ParsedNanoUsd {
  const parts = DECIMAL.exec(text);
  if (parts === null) return { ok: false, problem: 'must be a decimal amount in USD such as "0.15"' };
  const [, sign, whole = '', fraction = ''] = parts;
  if (fraction.length > DECIMALS) return { ok: false, problem: `must have at most ${DECIMALS} decimals` };
  const magnitude = BigInt(whole) * NANO_USD_PER_USD + BigInt(fraction.padEnd(DECIMALS, '0'));
  return { ok: true, amountNanoUsd: sign === '-' ? -magnitude : magnitude };
}

/** Returns the shortest decimal string in USD that equals the amount: no trailing zeros, no exponent. */
export function formatNanoUsd(amountNanoUsd: bigint): string {
  const magnitude = amountNanoUsd < 0n ? -amountNanoUsd : amountNanoUsd;
  const whole = magnitude / NANO_USD_PER_USD;
  const fraction = (magnitude % NANO_USD_PER_USD).toString().padStart(DECIMALS, '0').replace(/0+$/, '');
  return `${amountNanoUsd < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** A price has up to 18 decimals, so as an integer it is in 1e-18 USD. */
export const PRICE_DECIMALS = 18;

/** Converts a decimal price to 1e-18 USD. */
export function unitsOfPrice(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(PRICE_DECIMALS, '0'));
}

/** Returns the shortest decimal that equals this many 1e-18 USD, or units of another number of decimals. */
export function priceOfUnits(units: bigint, decimals = PRICE_DECIMALS): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Returns the price of one token for the decimal price of a million. */
export function pricePerToken(perMillion: string): string {
  return priceOfUnits(unitsOfPrice(perMillion), PRICE_DECIMALS + 6);
}
