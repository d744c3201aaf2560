/** An amount as a list shows it: rounded to `decimals`, and behind a sign if it is too small for them. */
export interface Rounded {
  readonly usd: string;
  readonly decimals: number;
  readonly sign: '' | '<' | '>';
}

/**
 * Chooses the decimals of an amount: cents, or what a small amount needs, or those of its column. An amount that is too small for them is
 * `<0.000001`, never zero; zero in a column of small amounts has no decimals.
 */
export function rounded(usd: string, column?: number): Rounded {
  const size = Math.abs(Number(usd));
  const isInCents = size >= 1 || /^-?\d+(?:\.\d{0,2}0*)?$/.test(usd);
  const decimals = column ?? (isInCents ? 2 : size >= 0.01 ? 4 : 6);
  if (size === 0) return { usd: '0', decimals: decimals > 2 ? 0 : decimals, sign: '' };
  const least = decimals === 0 ? '1' : `0.${'0'.repeat(decimals - 1)}1`;
  if (size * 2 >= Number(least)) return { usd, decimals, sign: '' };
  return usd.startsWith('-') ? { usd: `-${least}`, decimals, sign: '>' } : { usd: least, decimals, sign: '<' };
}

/** Sums of usage. `cost_usd` does not include the requests without a price. */
export interface Spending {
  readonly cost_usd: string;
  readonly unpriced_requests?: number | undefined;
}

/** Returns the cost of usage; `null` if nothing of it had a price: a missing price is never shown as zero. */
export function costOf({ cost_usd, unpriced_requests: unpriced = 0 }: Spending): string | null {
  return unpriced > 0 && Number(cost_usd) === 0 ? null : cost_usd;
}
