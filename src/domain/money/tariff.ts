import { type AppliedPrices, pricedAmount, priceName } from './applied-prices.ts';
import { costMemberInNumbers, costMemberOf, type ExactCost } from './cost-parts.ts';
import { type DrawnPrices, isDrawn, ofImageModel } from './drawn.ts';
import { priceOfUnits, unitsOfPrice } from './nano-usd.ts';
import { PRICE_KEYS, type PriceKey, type Prices, VARIANT_PRICE_KEYS, type VariantPriceKey } from './pricing.ts';
import { type Billable, isTokenUnit, type PieceUnit, type Quantity, UNITS, type Unit } from './quantity.ts';
import { NO_SURCHARGE, ONE_FACTOR, type Surcharge } from './surcharge.ts';
import { VariantTariff } from './variant-tariff.ts';

/** The upper bounds of one request. */
export interface LargestRequest {
  readonly inputTokens: number;
  /** Whether the prompt is only text, so that no token of it can have the price of audio or of an image. */
  readonly isTextOnly?: boolean;
  /** The tokens of the whole answer, including reasoning. */
  readonly outputTokens: number;
  readonly webSearches?: number;
  /** The most requests that it may be charged as; one if absent. */
  readonly requests?: number;
  /** Piece counts, except for searches and the request itself. A variant may be known only in part, or not at all. */
  readonly pieces?: readonly Quantity<Exclude<PieceUnit, 'request' | 'web_search'>>[];
}

/**
 * Prices have up to 18 decimals and refer to a million tokens, so in 1e-24 USD the price of every token is an integer; so is that
 * of a millisecond.
 */
const UNITS_PER_NANO_USD = 10n ** 15n;
const HALF_A_NANO_USD = UNITS_PER_NANO_USD / 2n;
/** The unit of a price with 18 decimals as an integer: 1e-18 USD. */
const UNITS_PER_ONE = 10n ** 6n;
const UNITS_PER_MILLISECOND = 10n ** 3n;

/** The unit of 1e-12 USD. */
const UNITS_PER_PICO = 10n ** 12n;
const PICO_USD_PER_NANO_USD = 1_000;

const DECIMAL = /^(\d+)(?:\.(\d{1,18}))?$/;

/** The highest prices of one token of text, of any input and of any output, and of a request. */
interface DearestPrices {
  readonly text: number;
  readonly input: number;
  readonly output: number;
  readonly request: number;
}

/** Prices as written, in 1e-18 USD. */
interface ParsedPrices {
  readonly general: Partial<Record<PriceKey, bigint>>;
  readonly variants: Partial<Record<VariantPriceKey, ReadonlyMap<string, bigint>>>;
}

/** The prices of one period for prompts of one length, as integers, in 1e-24 USD per token or piece. */
export class Tariff implements DrawnPrices {
  static readonly free = new Tariff({ general: {}, variants: {} });

  readonly isFree: boolean;
  /** Whether a web search has a price; otherwise it costs what its provider's manifest states, or nothing. */
  readonly pricesWebSearch: boolean;
  /** The price of one of each unit, unless a variant overrides it. */
  private readonly prices: Readonly<Record<Unit, bigint>>;
  /** The same in 1e-12 USD, which is precise enough for nearly every price; `null` if it is not. */
  private readonly picoUsd: Readonly<Record<Unit, number>> | null;
  private readonly variants: Readonly<Partial<Record<Unit, VariantTariff>>>;
  /** The price of one of each unit as it is written, for the request's breakdown. */
  private readonly texts = new Map<string, string>();
  private readonly dearestText: bigint;
  private readonly dearestInput: bigint;
  private readonly dearestOutput: bigint;
  /** The same in 1e-12 USD; `null` if that is not precise enough. */
  private readonly dearestPicoUsd: DearestPrices | null;

  /** A unit without a price has that of the more general unit; a general unit without one is free. */
  private constructor({ general, variants }: ParsedPrices) {
    const image = VariantTariff.of(variants.per_image_variants, general.per_image, UNITS_PER_ONE);
    const millisecond = VariantTariff.of(variants.per_second_variants, general.per_second, UNITS_PER_MILLISECOND);
    const clip = VariantTariff.of(variants.per_clip_variants, general.per_clip, UNITS_PER_ONE);
    this.variants = { ...(image && { image }), ...(millisecond && { millisecond }), ...(clip && { clip }) };
    const input = general.input_per_1m ?? 0n;
    const output = general.output_per_1m ?? 0n;
    const cacheWrite = general.cache_write_per_1m ?? input;
    const prices: Record<Unit, bigint> = {
      input_token: input,
      cached_input_token: general.cached_input_per_1m ?? input,
      cache_write_token: cacheWrite,
      cache_write_1h_token: general.cache_write_1h_per_1m ?? cacheWrite,
      audio_input_token: general.audio_input_per_1m ?? input,
      image_input_token: general.image_input_per_1m ?? input,
      output_token: output,
      reasoning_token: general.reasoning_per_1m ?? output,
      audio_output_token: general.audio_output_per_1m ?? output,
      image_output_token: general.image_output_per_1m ?? output,
      image: image?.priceOf(undefined) ?? (general.per_image ?? 0n) * UNITS_PER_ONE,
      millisecond: millisecond?.priceOf(undefined) ?? (general.per_second ?? 0n) * UNITS_PER_MILLISECOND,
      clip: clip?.priceOf(undefined) ?? (general.per_clip ?? 0n) * UNITS_PER_ONE,
      character: (general.per_character ?? 0n) * UNITS_PER_ONE,
      request: (general.per_request ?? 0n) * UNITS_PER_ONE,
      web_search: (general.per_web_search ?? 0n) * UNITS_PER_ONE,
    };
    this.prices = prices;
    this.picoUsd = inPicoUsd(prices);
    this.pricesWebSearch = general.per_web_search !== undefined;
    const { input_token, cached_input_token, cache_write_token, cache_write_1h_token } = prices;
    this.dearestText = dearest([input_token, cached_input_token, cache_write_token, cache_write_1h_token]);
    this.dearestInput = dearest([this.dearestText, prices.audio_input_token, prices.image_input_token]);
    const { output_token, reasoning_token, audio_output_token, image_output_token } = prices;
    this.dearestOutput = dearest([output_token, reasoning_token, audio_output_token, image_output_token]);
    this.dearestPicoUsd = this.picoUsd && {
      text: toPicoUsd(this.dearestText),
      input: toPicoUsd(this.dearestInput),
      output: toPicoUsd(this.dearestOutput),
      request: this.picoUsd.request,
    };
    const all = [general, ...Object.values(variants).map((byVariant) => Object.fromEntries(byVariant))];
    this.isFree = all.every((some) => Object.values(some).every((price) => price === 0n));
  }

  /** Returns `null` if there is no price, or one that is not a decimal. */
  static parse(prices: Prices): Tariff | null {
    const general: Partial<Record<PriceKey, bigint>> = {};
    for (const key of PRICE_KEYS) {
      const text = prices[key];
      if (text === undefined) continue;
      if (!DECIMAL.test(text)) return null;
      general[key] = unitsOfPrice(text);
    }
    const variants: Partial<Record<VariantPriceKey, ReadonlyMap<string, bigint>>> = {};
    for (const key of VARIANT_PRICE_KEYS) {
      const entries = Object.entries(prices[key] ?? {});
      if (entries.some(([, text]) => !DECIMAL.test(text))) return null;
      if (entries.length > 0) variants[key] = new Map(entries.map(([name, text]) => [name, unitsOfPrice(text)]));
    }
    if (Object.keys(general).length + Object.keys(variants).length === 0) return null;
    return new Tariff({ general, variants });
  }

  costNanoUsd(billable: Billable, surcharge?: Surcharge): bigint {
    if (surcharge === undefined && this.picoUsd !== null) {
      const cost = nanoUsdInNumbers(billable.quantities, this.picoUsd);
      if (cost !== null) return cost;
    }
    const units = surcharge === undefined ? this.unitsOf(billable.quantities) : this.unitsWith(billable, surcharge);
    return (units + HALF_A_NANO_USD) / UNITS_PER_NANO_USD;
  }

  /** Returns the member of `_routing` with the cost in parts (cost-parts.ts). `chargedNanoUsd` is the amount that was charged for it. */
  costMember(billable: Billable, chargedNanoUsd: bigint, surcharge?: Surcharge): string {
    const { quantities } = billable;
    if (surcharge === undefined && this.picoUsd !== null) {
      const member = costMemberInNumbers(quantities, this.picoUsd, chargedNanoUsd);
      if (member !== null) return member;
    }
    if (surcharge === undefined) return costMemberOf(this.exactCosts(quantities), ONE_FACTOR, chargedNanoUsd);
    return costMemberOf(this.exactCostsWith(quantities, surcharge), surcharge.tokenFactor, chargedNanoUsd);
  }

  private exactCosts(quantities: readonly Quantity[]): readonly ExactCost[] {
    return quantities.map((quantity) => ({
      quantity,
      units: isDrawn(quantity) ? 0n : BigInt(quantity.amount) * this.priceOf(quantity),
    }));
  }

  private exactCostsWith(quantities: readonly Quantity[], surcharge: Surcharge): readonly ExactCost[] {
    const costs: ExactCost[] = [];
    let searches = 0;
    for (const quantity of quantities) {
      if (quantity.unit === 'web_search') searches += quantity.amount;
      else if (!isDrawn(quantity)) costs.push({ quantity, units: BigInt(quantity.amount) * this.priceOf(quantity) });
      else costs.push({ quantity, units: surcharge.drawnAt?.unitsOfDrawn(quantity) ?? 0n });
    }
    const amount = Math.max(searches, surcharge.leastWebSearches);
    if (amount === 0) return costs;
    return [
      ...costs,
      { quantity: { unit: 'web_search', amount }, units: BigInt(amount) * this.searchUnits(surcharge) },
    ];
  }

  boundNanoUsd(bound: LargestRequest, surcharge: Surcharge = NO_SURCHARGE): bigint {
    const inNumbers = surcharge === NO_SURCHARGE ? this.boundInNumbers(bound) : null;
    if (inNumbers !== null) return inNumbers;
    const inputPrice = bound.isTextOnly === true ? this.dearestText : this.dearestInput;
    const tokens = BigInt(bound.inputTokens) * inputPrice + BigInt(bound.outputTokens) * this.dearestOutput;
    // A request for a cheaper, slower tier may be answered at the normal one.
    const factor = surcharge.tokenFactor > ONE_FACTOR ? surcharge.tokenFactor : ONE_FACTOR;
    const searches = Math.max(bound.webSearches ?? 0, surcharge.leastWebSearches);
    let units = (tokens * factor) / ONE_FACTOR + BigInt(bound.requests ?? 1) * this.prices.request;
    units += BigInt(searches) * this.searchUnits(surcharge);
    for (const { unit, amount, variant } of bound.pieces ?? []) {
      units += BigInt(amount) * (this.variants[unit]?.mostOf(variant) ?? this.prices[unit]);
    }
    return (units + UNITS_PER_NANO_USD - 1n) / UNITS_PER_NANO_USD;
  }

  /** Does the same as `nanoUsdInNumbers`, rounded up; `null` if numbers are not exact enough, or if there is more than tokens. */
  private boundInNumbers(bound: LargestRequest): bigint | null {
    const { dearestPicoUsd } = this;
    if (dearestPicoUsd === null || bound.pieces !== undefined || (bound.webSearches ?? 0) > 0) return null;
    const { text, input, output, request } = dearestPicoUsd;
    const picoUsd =
      bound.inputTokens * (bound.isTextOnly === true ? text : input) +
      bound.outputTokens * output +
      (bound.requests ?? 1) * request;
    if (!(picoUsd <= Number.MAX_SAFE_INTEGER)) return null;
    const rest = picoUsd % PICO_USD_PER_NANO_USD;
    return BigInt((picoUsd - rest) / PICO_USD_PER_NANO_USD + (rest > 0 ? 1 : 0));
  }

  /** Returns the prices that `costNanoUsd` uses for this. */
  appliedTo({ quantities }: Billable, surcharge?: Surcharge): AppliedPrices {
    const prices: Record<string, string> = {};
    let searches = 0;
    for (const quantity of quantities) {
      if (quantity.unit === 'web_search') searches += quantity.amount;
      else if (quantity.amount > 0) this.addText(prices, quantity, surcharge?.drawnAt ?? null);
    }
    if (surcharge === undefined && searches === 0) return { prices };
    const { leastWebSearches, tokenFactor } = surcharge ?? NO_SURCHARGE;
    const search = this.searchUnits(surcharge ?? NO_SURCHARGE);
    if (search > 0n) prices.web_search = priceOfUnits(search / UNITS_PER_ONE);
    return {
      prices,
      ...(tokenFactor !== ONE_FACTOR && { tokenFactor: Number(tokenFactor) }),
      ...(leastWebSearches > searches && { webSearches: leastWebSearches }),
    };
  }

  private addText(prices: Record<string, string>, quantity: Quantity, drawnAt: DrawnPrices | null): void {
    const name = priceName(quantity);
    const text = isDrawn(quantity)
      ? (drawnAt?.priceOfDrawn(quantity) ?? '0')
      : (this.texts.get(name) ?? this.textOf(name, quantity));
    if (text !== '0') prices[name] = text;
  }

  unitsOfDrawn(quantity: Quantity): bigint {
    return this.unitsOf([ofImageModel(quantity)]);
  }

  priceOfDrawn(quantity: Quantity): string {
    const own = ofImageModel(quantity);
    return this.textOf(priceName(own), own);
  }

  private textOf(name: string, quantity: Quantity): string {
    const text = priceOfUnits((this.priceOf(quantity) * BigInt(pricedAmount(quantity.unit))) / UNITS_PER_ONE);
    // Not cached, because clients may invent any number of variants.
    if (quantity.variant === undefined) this.texts.set(name, text);
    return text;
  }

  /**
   * Returns the cost. What a tool has drawn is free here, because it has the prices of another model. Zeros are skipped, because
   * multiplying by zero takes as long as by anything else.
   */
  private unitsOf(quantities: readonly Quantity[]): bigint {
    let units = 0n;
    for (const quantity of quantities) {
      if (isDrawn(quantity)) continue;
      const price = this.priceOf(quantity);
      if (price !== 0n && quantity.amount !== 0) units += BigInt(quantity.amount) * price;
    }
    return units;
  }

  private priceOf({ unit, variant }: Quantity): bigint {
    const price = this.prices[unit];
    return variant === undefined ? price : (this.variants[unit]?.priceOf(variant) ?? price);
  }

  private unitsWith({ quantities }: Billable, surcharge: Surcharge): bigint {
    let tokens = 0n;
    let pieces = 0n;
    let searches = 0;
    for (const quantity of quantities) {
      if (quantity.unit === 'web_search') searches += quantity.amount;
      else if (isDrawn(quantity)) pieces += surcharge.drawnAt?.unitsOfDrawn(quantity) ?? 0n;
      else if (isTokenUnit(quantity.unit)) tokens += BigInt(quantity.amount) * this.priceOf(quantity);
      else pieces += BigInt(quantity.amount) * this.priceOf(quantity);
    }
    searches = Math.max(searches, surcharge.leastWebSearches);
    if (searches > 0) pieces += BigInt(searches) * this.searchUnits(surcharge);
    return (tokens * surcharge.tokenFactor) / ONE_FACTOR + pieces;
  }

  private searchUnits(surcharge: Surcharge): bigint {
    if (surcharge.ownSearchUsd !== undefined) return unitsOfPrice(surcharge.ownSearchUsd) * UNITS_PER_ONE;
    if (this.pricesWebSearch) return this.prices.web_search;
    return unitsOfPrice(surcharge.webSearchUsd ?? '0') * UNITS_PER_ONE;
  }
}

function inPicoUsd(prices: Readonly<Record<Unit, bigint>>): Readonly<Record<Unit, number>> | null {
  const inNumbers: Partial<Record<Unit, number>> = {};
  for (const unit of UNITS) {
    const units = prices[unit];
    if (units % UNITS_PER_PICO !== 0n) return null;
    inNumbers[unit] = toPicoUsd(units);
  }
  // Every unit was listed above.
  return inNumbers as Record<Unit, number>;
}

/** Converts to an integer that is exact below 2^53; a larger value makes every product of it too large, too. */
function toPicoUsd(units: bigint): number {
  return Number(units / UNITS_PER_PICO);
}

/**
 * Returns the cost in nano-USD without an intermediate `bigint`, which takes a third less time; `null` if numbers cannot hold the
 * sum exactly, or if a variant may have its own price.
 */
function nanoUsdInNumbers(quantities: readonly Quantity[], prices: Readonly<Record<Unit, number>>): bigint | null {
  let picoUsd = PICO_USD_PER_NANO_USD / 2;
  for (const { unit, amount, variant } of quantities) {
    if (variant !== undefined) return null;
    // An inexact product is itself beyond 2^53, and no later one makes the sum smaller.
    picoUsd += amount * prices[unit];
  }
  if (!(picoUsd <= Number.MAX_SAFE_INTEGER)) return null;
  return BigInt((picoUsd - (picoUsd % PICO_USD_PER_NANO_USD)) / PICO_USD_PER_NANO_USD);
}

function dearest(prices: readonly bigint[]): bigint {
  return prices.reduce((most, price) => (price > most ? price : most), 0n);
}
