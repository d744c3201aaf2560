/** What an upstream bills a request beyond its tokens at the prices of the model that it names. */
export interface Surcharge {
  /** Every token costs so many times its price; in millionths. */
  readonly tokenFactor: bigint;
  /** What one web search costs where the model's own prices do not say, in decimal USD; `null` where nobody says. */
  readonly webSearchUsd: string | null;
  /** Searches that are billed whatever the upstream reports. */
  readonly leastWebSearches: number;
  /** The most calls of tools that the provider runs: each brings its results into the prompt once more. */
  readonly toolCalls: number;
}

export const ONE_FACTOR = 1_000_000n;

export const NO_SURCHARGE: Surcharge = {
  tokenFactor: ONE_FACTOR,
  webSearchUsd: null,
  leastWebSearches: 0,
  toolCalls: 0,
};

/** A factor as it is written (`1.75`, up to 6 decimals), in millionths. */
export function factorOf(text: string): bigint {
  const parts = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text);
  if (parts === null) throw new Error(`${text} is no factor`);
  const [, whole = '', fraction = ''] = parts;
  return BigInt(whole + fraction.padEnd(6, '0'));
}
