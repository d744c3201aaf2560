import type { DrawnPrices } from './drawn.ts';

/** What an upstream bills a request beyond its tokens at the prices of the model that it names. */
export interface Surcharge {
  /** Every token costs so many times its price; in millionths. */
  readonly tokenFactor: bigint;
  /** The price of one web search if the model's prices have none, in decimal USD; `null` if it is unknown. */
  readonly webSearchUsd: string | null;
  /** Searches that are billed even if the upstream does not report them. */
  readonly leastWebSearches: number;
  /** The most calls of tools that the provider runs: each brings its results into the prompt once more. */
  readonly toolCalls: number;
  /** The prices of the model that draws for the provider's image tool; `null` where there is no such tool. */
  readonly drawnAt: DrawnPrices | null;
}

export const ONE_FACTOR = 1_000_000n;

export const NO_SURCHARGE: Surcharge = {
  tokenFactor: ONE_FACTOR,
  webSearchUsd: null,
  leastWebSearches: 0,
  toolCalls: 0,
  drawnAt: null,
};

/** A factor as it is written (`1.75`, up to 6 decimals), in millionths. */
export function factorOf(text: string): bigint {
  const parts = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text);
  if (parts === null) throw new Error(`${text} is no factor`);
  const [, whole = '', fraction = ''] = parts;
  return BigInt(whole + fraction.padEnd(6, '0'));
}
