import { isDrawn } from './drawn.ts';
import { priceOfUnits, unitsOfPrice } from './nano-usd.ts';
import { type Billable, isTokenUnit, type Quantity, type Unit } from './quantity.ts';
import { ONE_FACTOR } from './surcharge.ts';

/*
 * The prices at which a request was charged, recorded so that its charge can be broken down later, whatever the prices are by
 * then. The charge itself is not computed from them.
 */

export interface AppliedPrices {
  /**
   * Prices by unit, with a variant after a space (`image 1024x1024/high`), as decimal USD per `pricedAmount`. Absent units were
   * free.
   */
  readonly prices: Readonly<Record<string, string>>;
  /** The factor for the price of every token, in millionths; absent for 1. */
  readonly tokenFactor?: number;
  /** The number of charged searches, if it exceeds the reported number. */
  readonly webSearches?: number;
  /** The percentage of the cost that is charged for an answer from the cache. */
  readonly percent?: number;
  /** The fee for a request over the account's own channel, which replaces all other prices; in nano-USD. */
  readonly feeNanoUsd?: string;
  /** The part that is implausibly high, and was held for an operator instead of being charged; in nano-USD. */
  readonly heldNanoUsd?: string;
}

/** Returns the number of units to which a price refers. */
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
  /** Decimal USD per `pricedAmount` of the unit. */
  readonly priceUsd: string;
  /** The factor of tokens, such as `1.75`; `null` for 1. */
  readonly factor: string | null;
  readonly nanoUsd: bigint;
}

/** `cache_share` is the discount for an answer from the cache; `written_off` is what no balance or limit could cover. */
export interface OtherPart {
  readonly kind: 'fee' | 'cache_share' | 'held' | 'written_off' | 'rounding';
  readonly nanoUsd: bigint;
}

export type PricePart = UsagePart | OtherPart;

/** The price of a token, from 1e-18 USD per million, is in 1e-24 USD, in which every price is an integer. */
const UNITS_PER_NANO_USD = 10n ** 15n;
const MILLION = 1_000_000n;

/** Returns the parts of a charge, whose sum equals it to the nano-USD. */
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
  // Computed before these, so that the remainder is the rounding loss.
  const roundedParts = rest - chargedNanoUsd + cost;
  add({ kind: 'cache_share', nanoUsd: shared - cost });
  add({ kind: 'held', nanoUsd: owed - shared });
  add({ kind: 'written_off', nanoUsd: chargedNanoUsd - owed });
  add({ kind: 'rounding', nanoUsd: roundedParts });
  return parts;
}

/** Adds the parts of all usage; returns its cost in nano-USD, rounded once, as it was computed for the charge. */
function addUsage(billable: Billable | null, applied: AppliedPrices, add: (part: UsagePart) => void): bigint {
  const factor = BigInt(applied.tokenFactor ?? Number(ONE_FACTOR));
  let tokens = 0n;
  let pieces = 0n;
  for (const quantity of chargedQuantities(billable, applied)) {
    const priceUsd = applied.prices[priceName(quantity)] ?? '0';
    // A free request is left out.
    if (quantity.amount === 0 || (quantity.unit === 'request' && priceUsd === '0')) continue;
    const units = BigInt(quantity.amount) * ((unitsOfPrice(priceUsd) * MILLION) / BigInt(pricedAmount(quantity.unit)));
    // A service tier does not change the prices of the image model.
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
