import type { Billable } from '../../domain/money/quantity.ts';
import { NO_SURCHARGE, ONE_FACTOR } from '../../domain/money/surcharge.ts';
import type { LargestRequest, Tariff } from '../../domain/money/tariff.ts';
import type { BillableRequest, Extras } from '../ports/billing.ts';

/** The tokens that one call of a provider's tool adds to the prompt: a search with a large context, a page of text. */
const TOOL_RESULT_TOKENS = 8_000;

/** Whether the cost depends on the size of the request: a shared channel with a price may answer it. */
export function dependsOnSize({ prices, mayUsePlatform }: BillableRequest): boolean {
  return prices !== null && !prices.isFree && mayUsePlatform;
}

/** The largest cost of a request of this size, including the target's extras; `null` if no price is known. */
export function mostNanoUsd(
  { prices }: BillableRequest,
  size: LargestRequest,
  extras: Extras | null,
  atMs: number,
): bigint | null {
  if (prices === null) return null;
  if (extras === null) return prices.boundNanoUsd(size, atMs);
  const { toolCalls, others } = extras;
  const inputTokens = size.inputTokens + toolCalls * TOOL_RESULT_TOKENS;
  const webSearches = Math.max(size.webSearches ?? 0, toolCalls);
  const largest = { ...size, inputTokens, webSearches };
  return dearest([prices, ...others].map((sheet) => sheet.boundNanoUsd(largest, atMs, extras)));
}

/**
 * The largest cost of a request of this size at any target, or with the extras of one. `feeNanoUsd` is the fee for an account's own
 * channels.
 */
export function amountToHold(
  request: BillableRequest,
  size: LargestRequest,
  feeNanoUsd: bigint,
  atMs: number,
  extras: Extras | null = null,
): bigint {
  const fee = request.mayUseOwn ? feeNanoUsd : 0n;
  const cost = mostNanoUsd(request, size, extras, atMs) ?? 0n;
  return cost > fee ? cost : fee;
}

/** What a request costs, and at which prices. */
export interface Cost {
  readonly nanoUsd: bigint;
  readonly tariff: Tariff;
  readonly extras: Extras | null;
}

/** The cost of a request; `null` if it is not known. */
export function costOf(
  { prices }: BillableRequest,
  billable: Billable,
  extras: Extras | null,
  atMs: number,
): Cost | null {
  if (prices === null || extras?.isUnknown === true) return null;
  const tariff = prices.tariffFor(billable, atMs);
  let most: Cost = { nanoUsd: tariff.costNanoUsd(billable, extras ?? undefined), tariff, extras };
  if (extras === null) return most;
  for (const sheet of extras.others) {
    const other = sheet.tariffFor(billable, atMs);
    const nanoUsd = other.costNanoUsd(billable, extras);
    if (nanoUsd > most.nanoUsd) most = { nanoUsd, tariff: other, extras };
  }
  return most;
}

function dearest(costs: readonly bigint[]): bigint {
  return costs.reduce((most, cost) => (cost > most ? cost : most), 0n);
}

const NO_EXTRAS: Extras = { ...NO_SURCHARGE, askedTierFactor: ONE_FACTOR, others: [], isUnknown: false };

/** The extras of a request whose answer states the service tier. */
export interface ExtrasAsServed {
  /** At the stated tier, but not above the requested and the usual tier, whichever is more expensive. */
  readonly billed: Extras | null;
  /** At the stated tier, at any price. */
  readonly stated: Extras | null;
}

export function extrasAsServed(extras: Extras | null, tierFactor: bigint | null): ExtrasAsServed {
  const asked = extras?.askedTierFactor ?? ONE_FACTOR;
  if (tierFactor === null || tierFactor === asked) return { billed: extras, stated: extras };
  const at = (factor: bigint): Extras => {
    const { tokenFactor, ...rest } = extras ?? NO_EXTRAS;
    return { ...rest, tokenFactor: (tokenFactor * factor) / asked };
  };
  // The limit is what was reserved: a request for a cheaper tier may be answered at the usual one.
  const most = asked > ONE_FACTOR ? asked : ONE_FACTOR;
  const stated = at(tierFactor);
  return { billed: tierFactor > most ? at(most) : stated, stated };
}
