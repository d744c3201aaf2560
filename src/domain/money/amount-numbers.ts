import { formatNanoUsd } from './nano-usd.ts';

declare global {
  interface JSON {
    /** ECMAScript's "JSON.parse source text access"; TypeScript's own declarations do not have it yet. */
    rawJSON(text: string): unknown;
  }
}

const NANO_USD_PER_CENT = 10_000_000n;
const CENT_DECIMALS = 7;

/** Returns an amount in USD as a JSON number with all its digits; it is never converted to a float. */
export function usdNumber(amountNanoUsd: bigint): unknown {
  return JSON.rawJSON(formatNanoUsd(amountNanoUsd));
}

/** Returns an amount in US cents as a JSON number with all its digits. */
export function centsNumber(amountNanoUsd: bigint): unknown {
  const magnitude = amountNanoUsd < 0n ? -amountNanoUsd : amountNanoUsd;
  const fraction = (magnitude % NANO_USD_PER_CENT).toString().padStart(CENT_DECIMALS, '0').replace(/0+$/, '');
  const whole = magnitude / NANO_USD_PER_CENT;
  return JSON.rawJSON(`${amountNanoUsd < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`);
}

/** Returns a whole number as a JSON number with all its digits. */
export function wholeNumber(value: bigint): unknown {
  return JSON.rawJSON(String(value));
}
