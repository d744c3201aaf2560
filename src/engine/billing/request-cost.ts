import { drawnOf } from '../../domain/money/drawn.ts';
import { unitsOfPrice } from '../../domain/money/nano-usd.ts';
import { amountOf, type Billable, completionTokensOf, promptTokensOf } from '../../domain/money/quantity.ts';
import { NO_SURCHARGE, ONE_FACTOR } from '../../domain/money/surcharge.ts';
import type { LargestRequest, Tariff } from '../../domain/money/tariff.ts';
import type { BillableRequest, Drawing, Extras } from '../ports/billing.ts';

/** A price is in 1e-18 USD. */
const UNITS_PER_NANO_USD = 10n ** 9n;

/** The tokens that one call of a provider's tool adds to the prompt, such as a search with a large context or a page of text. */
const TOOL_RESULT_TOKENS = 8_000;

/** Returns whether the cost depends on the size of the request, because a shared channel with a price may answer it. */
export function dependsOnSize({ prices, mayUsePlatform }: BillableRequest): boolean {
  return prices !== null && !prices.isFree && mayUsePlatform;
}

/** Returns the largest cost of a request of this size, including the target's extras; `null` if no price is known. */
export function mostNanoUsd(
  { prices }: BillableRequest,
  size: LargestRequest,
  extras: Extras | null,
  atMs: number,
): bigint | null {
  if (prices === null) return null;
  if (extras === null) return prices.boundNanoUsd(size, atMs);
  const { toolCalls, others, rounds = 1 } = extras;
  // All later rounds read the output of a round.
  const readAgain = (size.outputTokens * rounds * (rounds - 1)) / 2;
  const inputTokens = bounded((size.inputTokens + toolCalls * TOOL_RESULT_TOKENS) * rounds + readAgain);
  const outputTokens = bounded(size.outputTokens * rounds);
  const webSearches = Math.max(size.webSearches ?? 0, toolCalls);
  const largest = { ...size, inputTokens, outputTokens, webSearches };
  const written = dearest([prices, ...others].map((sheet) => sheet.boundNanoUsd(largest, atMs, extras)));
  return written + mostDrawn(extras.drawing, atMs);
}

function mostDrawn(drawing: Drawing | null, atMs: number): bigint {
  return drawing === null ? 0n : dearest(drawing.sheets.map((sheet) => sheet.boundNanoUsd(drawing.most, atMs)));
}

/** Returns the extras with the largest plausible drawing instead of the expected one. */
export function plausibleExtras(extras: Extras | null): Extras | null {
  if (extras === null || extras.drawing === null) return extras;
  return { ...extras, drawing: { ...extras.drawing, most: extras.drawing.plausible } };
}

/** Returns whether the reported drawing is plausible. */
export function isDrawnPlausibly(billable: Billable, extras: Extras | null): boolean {
  const drawn = drawnOf(billable);
  if (drawn.quantities.length === 0 || extras === null || extras.drawing === null) return true;
  const { inputTokens, outputTokens, pieces = [] } = extras.drawing.plausible;
  const images = pieces.reduce((sum, { amount }) => sum + amount, 0);
  return (
    promptTokensOf(drawn) <= inputTokens &&
    completionTokensOf(drawn) <= outputTokens &&
    amountOf(drawn, 'image') <= images
  );
}

/**
 * Returns the largest cost of a request of this size at any target, or with the extras of one. `feeNanoUsd` is the fee for an account's own
 * channels.
 */
export function amountToReserve(
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

/** Returns the cost of the searches that the gateway itself has run for a request. */
export function ownSearchesNanoUsd(billable: Billable, extras: Extras | null): bigint {
  const usd = extras?.ownSearchUsd;
  return usd === undefined ? 0n : (BigInt(amountOf(billable, 'web_search')) * unitsOfPrice(usd)) / UNITS_PER_NANO_USD;
}

/** The cost of a request, with the prices it was computed from. */
export interface Cost {
  readonly nanoUsd: bigint;
  readonly tariff: Tariff;
  readonly extras: Extras | null;
}

/** Returns the cost of a request; `null` if it is unknown. */
export function costOf(
  { prices }: BillableRequest,
  billable: Billable,
  extras: Extras | null,
  atMs: number,
): Cost | null {
  if (prices === null || extras?.isUnknown === true) return null;
  if (extras === null) {
    const tariff = prices.tariffFor(billable, atMs);
    return { nanoUsd: tariff.costNanoUsd(billable), tariff, extras };
  }
  const surcharge = withDrawnAt(extras, billable, atMs);
  const priced = [prices, ...extras.others].map((sheet): Cost => {
    const tariff = sheet.tariffFor(billable, atMs);
    return { nanoUsd: tariff.costNanoUsd(billable, surcharge), tariff, extras: surcharge };
  });
  return priced.reduce((most, cost) => (cost.nanoUsd > most.nanoUsd ? cost : most));
}

/** Returns the extras with the prices of the most expensive image model that may have drawn. */
function withDrawnAt(extras: Extras, billable: Billable, atMs: number): Extras {
  if (extras.drawing === null) return extras;
  const drawn = drawnOf(billable);
  let most: { readonly nanoUsd: bigint; readonly tariff: Tariff } | null = null;
  for (const sheet of extras.drawing.sheets) {
    const tariff = sheet.tariffFor(drawn, atMs);
    const nanoUsd = tariff.costNanoUsd(drawn);
    if (most === null || nanoUsd > most.nanoUsd) most = { nanoUsd, tariff };
  }
  return most === null ? extras : { ...extras, drawnAt: most.tariff };
}

function bounded(tokens: number): number {
  return Math.min(tokens, Number.MAX_SAFE_INTEGER);
}

function dearest(costs: readonly bigint[]): bigint {
  return costs.reduce((most, cost) => (cost > most ? cost : most), 0n);
}

const NO_EXTRAS: Extras = { ...NO_SURCHARGE, askedTierFactor: ONE_FACTOR, others: [], drawing: null, isUnknown: false };

/** The extras of a request whose answer states the service tier. */
export interface ExtrasAsServed {
  /** Billed at the stated tier, capped at the more expensive of the requested and the standard tier. */
  readonly billed: Extras | null;
  /** Billed at the stated tier without a cap. */
  readonly stated: Extras | null;
}

export function extrasAsServed(extras: Extras | null, tierFactor: bigint | null): ExtrasAsServed {
  const asked = extras?.askedTierFactor ?? ONE_FACTOR;
  if (tierFactor === null || tierFactor === asked) return { billed: extras, stated: extras };
  const at = (factor: bigint): Extras => {
    const { tokenFactor, ...rest } = extras ?? NO_EXTRAS;
    return { ...rest, tokenFactor: (tokenFactor * factor) / asked };
  };
  // The cap is the reserved price: a request for a cheaper tier may be answered at the standard one.
  const most = asked > ONE_FACTOR ? asked : ONE_FACTOR;
  const stated = at(tierFactor);
  return { billed: tierFactor > most ? at(most) : stated, stated };
}
