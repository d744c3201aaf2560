import type { DrawnPrices } from './drawn.ts';

/** The amounts that an upstream bills for a request beyond its tokens at the prices of the named model. */
export interface Surcharge {
  /** The factor for the price of every token, in millionths. */
  readonly tokenFactor: bigint;
  /** The price of one web search if the model's prices have none, in decimal USD; `null` if unknown. */
  readonly webSearchUsd: string | null;
  /** The price of a search that the gateway itself runs, in decimal USD, whatever the model's prices say. */
  readonly ownSearchUsd?: string;
  /** Searches that are billed even if the upstream does not report them. */
  readonly leastWebSearches: number;
  /** The most calls of tools that the provider runs: each one adds its results to the prompt again. */
  readonly toolCalls: number;
  /** The prices of the image model behind the provider's image tool; `null` if there is no such tool. */
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

/** Parses a factor (`1.75`, up to 6 decimals) to millionths. */
export function factorOf(text: string): bigint {
  const parts = /^(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text);
  if (parts === null) throw new Error(`${text} is not a factor`);
  const [, whole = '', fraction = ''] = parts;
  return BigInt(whole + fraction.padEnd(6, '0'));
}
