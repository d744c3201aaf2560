import { priceOfUnits, unitsOfPrice } from './decimal-price.ts';
import { isDrawn } from './drawn.ts';
import { type Billable, isTokenUnit, type Quantity, type Unit } from './quantity.ts';
import { ONE_FACTOR } from './surcharge.ts';

/*
 * What one request was charged at, as it was then: enough to take its charge apart later, whatever the prices are by then. The charge
 * itself is not computed from it.
 */

export interface AppliedPrices {
  /**
   * By unit, with a variant behind a space (`image 1024x1024/high`): decimal USD for as many as `pricedAmount` says. What is missing was
   * free.
   */
  readonly prices: Readonly<Record<string, string>>;
  /** Every token cost so many times its price, in millionths; missing for once. */
  readonly tokenFactor?: number;
  /** Searches that were charged, where that is more than were reported. */
  readonly webSearches?: number;
  /** The part of it that an answer from the cache costs. */
  readonly percent?: number;
  /** What a request over a channel of the account's own costs, in place of everything else; in nano-USD. */
  readonly feeNanoUsd?: string;
  /** What of it is beyond what is plausible, and was not charged but held for an operator; in nano-USD. */
  readonly heldNanoUsd?: string;
}

/** How many of a unit a price is for. */
export function pricedAmount(unit: Unit): number {
  if (isTokenUnit(unit)) return 1_000_000;
  return unit === 'millisecond' ? 1_000 : 1;
}

export function priceName({ unit, variant }: Quantity): string {
  return variant === undefined ? unit : `${unit} ${variant}`;
}

export interface UsagePart {
  readonly kind: 'usage';
  readonly quantity: Quantity;
  /** In decimal USD, for `pricedAmount` of the unit. */
  readonly priceUsd: string;
  /** Of tokens, such as `1.75`; `null` for once. */
  readonly factor: string | null;
  readonly nanoUsd: bigint;
}

/** `cache_share` is what an answer from the cache did not cost; `written_off` what no balance or limit had any more. */
export interface OtherPart {
  readonly kind: 'fee' | 'cache_share' | 'held' | 'written_off' | 'rounding';
  readonly nanoUsd: bigint;
}

export type PricePart = UsagePart | OtherPart;

/** Of a token, of 1e-18 USD a million: 1e-24 USD, in which every price is whole. */
const UNITS_PER_NANO_USD = 10n ** 15n;
const MILLION = 1_000_000n;

/** The charge, part by part: their sum is the charge to the nano-USD. */
export function priceParts(billable: Billable | null, applied: AppliedPrices, chargedNanoUsd: bigint): PricePart[] {
  const parts: PricePart[] = [];
  let rest = chargedNanoUsd;
  const add = (part: PricePart) => {
    rest -= part.nanoUsd;
    if (part.kind === 'usage' || part.nanoUsd !== 0n) parts.push(part);
  };
  if (applied.feeNanoUsd !== undefined) add({ kind: 'fee', nanoUsd: BigInt(applied.feeNanoUsd) });
  const cost = applied.feeNanoUsd === undefined ? addUsage(billable, applied, add) : BigInt(applied.feeNanoUsd);
  const { percent, heldNanoUsd } = applied;
  const shared = percent === undefined ? cost : (cost * BigInt(percent)) / 100n;
  const owed = shared - BigInt(heldNanoUsd ?? 0);
  // Before these, so that what is left at last is what was lost by rounding.
  const roundedParts = rest - chargedNanoUsd + cost;
  add({ kind: 'cache_share', nanoUsd: shared - cost });
  add({ kind: 'held', nanoUsd: owed - shared });
  add({ kind: 'written_off', nanoUsd: chargedNanoUsd - owed });
  add({ kind: 'rounding', nanoUsd: roundedParts });
  return parts;
}

/** Gives the cost of all usage in nano-USD, rounded once, as it was computed for the charge. */
function addUsage(billable: Billable | null, applied: AppliedPrices, add: (part: UsagePart) => void): bigint {
  const factor = BigInt(applied.tokenFactor ?? Number(ONE_FACTOR));
  let tokens = 0n;
  let pieces = 0n;
  for (const quantity of chargedQuantities(billable, applied)) {
    const priceUsd = applied.prices[priceName(quantity)] ?? '0';
    // Whoever asks once asks for nothing else, unless requests have a price.
    if (quantity.amount === 0 || (quantity.unit === 'request' && priceUsd === '0')) continue;
    const units = BigInt(quantity.amount) * ((unitsOfPrice(priceUsd) * MILLION) / BigInt(pricedAmount(quantity.unit)));
    // A service tier does not change the prices of the model that draws.
    const isToken = isTokenUnit(quantity.unit) && !isDrawn(quantity);
    if (isToken) tokens += units;
    else pieces += units;
    const nanoUsd = rounded(isToken ? (units * factor) / ONE_FACTOR : units);
    const times = isToken && factor !== ONE_FACTOR ? priceOfUnits(factor * MILLION * MILLION) : null;
    add({ kind: 'usage', quantity, priceUsd, factor: times, nanoUsd });
  }
  return rounded((tokens * factor) / ONE_FACTOR + pieces);
}

function chargedQuantities(billable: Billable | null, { webSearches }: AppliedPrices): readonly Quantity[] {
  const quantities = billable?.quantities ?? [];
  if (webSearches === undefined) return quantities;
  const others = quantities.filter(({ unit }) => unit !== 'web_search');
  return [...others, { unit: 'web_search', amount: webSearches }];
}

function rounded(units: bigint): bigint {
  return (units + UNITS_PER_NANO_USD / 2n) / UNITS_PER_NANO_USD;
}
