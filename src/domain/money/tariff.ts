import type { Usage } from '../exchange/usage.ts';
import { PRICE_KEYS, type PriceKey, type Prices } from './pricing.ts';
import { NO_SURCHARGE, ONE_FACTOR, type Surcharge } from './surcharge.ts';

/** What a request has besides tokens. */
export interface RequestCounts {
  readonly images?: number;
  /** Of audio or video, in whole milliseconds: models are priced by the second. */
  readonly durationMs?: number;
  readonly characters?: number;
}

/** The largest that a request can become. */
export interface LargestRequest extends RequestCounts {
  readonly inputTokens: number;
  /** There is nothing in the prompt but text, so no token of it can have the price of sound or of a picture. */
  readonly isTextOnly?: boolean;
  /** Of the whole answer, with what the model thinks. */
  readonly outputTokens: number;
  readonly webSearches?: number;
}

/**
 * Prices have up to 18 decimals and stand for a million tokens, so 1e-24 USD is the unit in which every price of a token is
 * whole; so is that of a millisecond.
 */
const DECIMALS_OF_A_PRICE = 18;
const UNITS_PER_NANO_USD = 10n ** 15n;
const HALF_A_NANO_USD = UNITS_PER_NANO_USD / 2n;
/** A price with 18 decimals, as a whole number, is in 1e-18 USD. */
const UNITS_PER_ONE = 10n ** 6n;
const UNITS_PER_MILLISECOND = 10n ** 3n;

const DECIMAL = /^(\d+)(?:\.(\d{1,18}))?$/;

/** The prices of one period for prompts of one length, as whole numbers, in units of 1e-24 USD for a token or a piece. */
export class Tariff {
  static readonly free = new Tariff({});

  readonly isFree: boolean;
  private readonly input: bigint;
  private readonly cachedInput: bigint;
  private readonly cacheWrite: bigint;
  private readonly cacheWrite1h: bigint;
  private readonly inputAudio: bigint;
  private readonly inputImage: bigint;
  private readonly output: bigint;
  private readonly reasoning: bigint;
  private readonly outputAudio: bigint;
  private readonly outputImage: bigint;
  private readonly request: bigint;
  /** `null` where the prices do not name it: it then costs what the manifest of who runs it says, else nothing. */
  private readonly webSearch: bigint | null;
  private readonly image: bigint;
  private readonly millisecond: bigint;
  private readonly character: bigint;
  private readonly dearestText: bigint;
  private readonly dearestInput: bigint;
  private readonly dearestOutput: bigint;

  /** What has no price of its own has that of the more general thing; a general thing without one costs nothing. */
  private constructor(prices: Partial<Record<PriceKey, bigint>>) {
    this.input = prices.input_per_1m ?? 0n;
    this.cachedInput = prices.cached_input_per_1m ?? this.input;
    this.cacheWrite = prices.cache_write_per_1m ?? this.input;
    this.cacheWrite1h = prices.cache_write_1h_per_1m ?? this.cacheWrite;
    this.inputAudio = prices.audio_input_per_1m ?? this.input;
    this.inputImage = prices.image_input_per_1m ?? this.input;
    this.output = prices.output_per_1m ?? 0n;
    this.reasoning = prices.reasoning_per_1m ?? this.output;
    this.outputAudio = prices.audio_output_per_1m ?? this.output;
    this.outputImage = prices.image_output_per_1m ?? this.output;
    this.request = (prices.per_request ?? 0n) * UNITS_PER_ONE;
    this.webSearch = prices.per_web_search === undefined ? null : prices.per_web_search * UNITS_PER_ONE;
    this.image = (prices.per_image ?? 0n) * UNITS_PER_ONE;
    this.millisecond = (prices.per_second ?? 0n) * UNITS_PER_MILLISECOND;
    this.character = (prices.per_character ?? 0n) * UNITS_PER_ONE;
    const { input, cachedInput, cacheWrite, cacheWrite1h, inputAudio, inputImage } = this;
    this.dearestText = dearest([input, cachedInput, cacheWrite, cacheWrite1h]);
    this.dearestInput = dearest([this.dearestText, inputAudio, inputImage]);
    this.dearestOutput = dearest([this.output, this.reasoning, this.outputAudio, this.outputImage]);
    this.isFree = Object.values(prices).every((price) => price === 0n);
  }

  /** `null` where there is no price, or one that is no decimal. */
  static parse(prices: Prices): Tariff | null {
    const parsed: Partial<Record<PriceKey, bigint>> = {};
    for (const key of PRICE_KEYS) {
      const text = prices[key];
      if (text === undefined) continue;
      if (!DECIMAL.test(text)) return null;
      parsed[key] = unitsOfPrice(text);
    }
    return Object.keys(parsed).length === 0 ? null : new Tariff(parsed);
  }

  costNanoUsd(usage: Usage, counts?: RequestCounts, surcharge?: Surcharge): bigint {
    // What most requests have; multiplying by zero would cost as much time as by anything else.
    let units = BigInt(usage.input) * this.input + BigInt(usage.output) * this.output;
    if (usage.cachedInput > 0) units += BigInt(usage.cachedInput) * this.cachedInput;
    if (usage.cacheWrite > 0) units += BigInt(usage.cacheWrite) * this.cacheWrite;
    if (usage.cacheWrite1h) units += BigInt(usage.cacheWrite1h) * this.cacheWrite1h;
    if (usage.inputAudio) units += BigInt(usage.inputAudio) * this.inputAudio;
    if (usage.inputImage) units += BigInt(usage.inputImage) * this.inputImage;
    if (usage.reasoning > 0) units += BigInt(usage.reasoning) * this.reasoning;
    if (usage.outputAudio) units += BigInt(usage.outputAudio) * this.outputAudio;
    if (usage.outputImage) units += BigInt(usage.outputImage) * this.outputImage;
    if (surcharge !== undefined) units = (units * surcharge.tokenFactor) / ONE_FACTOR;
    units += this.request;
    const searches = Math.max(usage.webSearches ?? 0, surcharge?.leastWebSearches ?? 0);
    if (searches > 0) units += BigInt(searches) * this.searchUnits(surcharge);
    if (counts !== undefined) units += this.unitsOf(counts);
    return (units + HALF_A_NANO_USD) / UNITS_PER_NANO_USD;
  }

  boundNanoUsd(bound: LargestRequest, surcharge: Surcharge = NO_SURCHARGE): bigint {
    const inputPrice = bound.isTextOnly === true ? this.dearestText : this.dearestInput;
    const tokens = BigInt(bound.inputTokens) * inputPrice + BigInt(bound.outputTokens) * this.dearestOutput;
    // What is cheaper at a slower service may be answered at the usual one.
    const factor = surcharge.tokenFactor > ONE_FACTOR ? surcharge.tokenFactor : ONE_FACTOR;
    const searches = Math.max(bound.webSearches ?? 0, surcharge.leastWebSearches);
    const units =
      (tokens * factor) / ONE_FACTOR +
      this.request +
      BigInt(searches) * this.searchUnits(surcharge) +
      this.unitsOf(bound);
    return (units + UNITS_PER_NANO_USD - 1n) / UNITS_PER_NANO_USD;
  }

  get pricesWebSearch(): boolean {
    return this.webSearch !== null;
  }

  private searchUnits(surcharge: Surcharge | undefined): bigint {
    if (this.webSearch !== null) return this.webSearch;
    return unitsOfPrice(surcharge?.webSearchUsd ?? '0') * UNITS_PER_ONE;
  }

  private unitsOf({ images = 0, durationMs = 0, characters = 0 }: RequestCounts): bigint {
    return BigInt(images) * this.image + BigInt(durationMs) * this.millisecond + BigInt(characters) * this.character;
  }
}

/** A decimal price in 1e-18 USD. */
function unitsOfPrice(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS_OF_A_PRICE, '0'));
}

function dearest(prices: readonly bigint[]): bigint {
  return prices.reduce((most, price) => (price > most ? price : most), 0n);
}
