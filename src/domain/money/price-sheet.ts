import { type ModelPricing, type PricePeriod, type Prices, pricePeriods } from './pricing.ts';
import { type Billable, promptTokensOf } from './quantity.ts';
import type { Surcharge } from './surcharge.ts';
import { type LargestRequest, Tariff } from './tariff.ts';

/** The tariffs from one moment on, for every length of prompt. */
interface Period {
  readonly fromMs: number;
  /** Ascending; the first one starts below every prompt. */
  readonly bands: readonly Band[];
}

/** The tariff for prompts with more tokens than `above`, up to the next band. */
interface Band {
  readonly above: number;
  readonly tariff: Tariff;
}

/**
 * The prices of a model, prepared for multiplication. Everything is exact until the last step, which converts the sum to whole
 * nano-USD: one rounding per request (design, section 5).
 */
export class PriceSheet {
  /** Whether every request is free. */
  readonly isFree: boolean;

  private constructor(
    private readonly periods: readonly Period[],
    /** The source of the sheet, which can be stored and parsed again. */
    readonly pricing: Exclude<ModelPricing, null>,
  ) {
    this.isFree = periods.every((period) => period.bands.every((band) => band.tariff.isFree));
  }

  /** Returns `null` if no price is known, or if one of them cannot be parsed: a partial price would be wrong. */
  static parse(pricing: ModelPricing): PriceSheet | null {
    if (pricing === null) return null;
    if (pricing === 'free') return new PriceSheet([{ fromMs: Number.NEGATIVE_INFINITY, bands: FREE }], pricing);
    const periods: Period[] = [];
    for (const period of pricePeriods(pricing)) {
      const bands = bandsOf(period);
      if (bands === null) return null;
      periods.push({ fromMs: period.effectiveFromMs ?? Number.NEGATIVE_INFINITY, bands });
    }
    return periods.length === 0 ? null : new PriceSheet(periods, pricing);
  }

  /**
   * Returns the cost of a request in nano-USD, rounded half up. `atMs`, in milliseconds since 1970, selects the period: the
   * reservation and the charge must use the same moment.
   */
  costNanoUsd(billable: Billable, atMs: number, surcharge?: Surcharge): bigint {
    return this.tariffFor(billable, atMs).costNanoUsd(billable, surcharge);
  }

  /** Returns the tariff at that moment for a prompt of this length. */
  tariffFor(billable: Billable, atMs: number): Tariff {
    const { bands } = this.periodAt(atMs);
    const band = bands.length === 1 ? bands[0] : bandFor(bands, promptTokensOf(billable));
    return band === undefined ? Tariff.free : band.tariff;
  }

  /**
   * Returns the most that a request within these bounds can cost, in nano-USD, rounded up: every token at its highest possible
   * price (written to the cache, audio, …), and the prompt at its most expensive length.
   */
  boundNanoUsd(bound: LargestRequest, atMs: number, surcharge?: Surcharge): bigint {
    const { bands } = this.periodAt(atMs);
    const [only] = bands;
    if (bands.length === 1 && only !== undefined) return only.tariff.boundNanoUsd(bound, surcharge);
    let most = 0n;
    for (const [index, { above, tariff }] of bands.entries()) {
      if (index > 0 && above >= bound.inputTokens) break;
      // An expensive band for short prompts can cost more than a cheap one for long prompts.
      const inputTokens = Math.min(bound.inputTokens, bands[index + 1]?.above ?? bound.inputTokens);
      const cost = tariff.boundNanoUsd({ ...bound, inputTokens }, surcharge);
      if (cost > most) most = cost;
    }
    return most;
  }

  /** Whether a web search has a price here, at any time and for any length of prompt. */
  get pricesWebSearch(): boolean {
    return this.periods.every(({ bands }) => bands.every(({ tariff }) => tariff.pricesWebSearch));
  }

  /** Returns the period in force; before the first one, the first. */
  private periodAt(atMs: number): Period {
    const [first, ...later] = this.periods;
    if (first === undefined) throw new Error('a price sheet has at least one period');
    if (later.length === 0) return first;
    return later.findLast((period) => period.fromMs <= atMs) ?? first;
  }
}

const FREE: readonly Band[] = [{ above: -1, tariff: Tariff.free }];

function bandsOf({ prices, tiers }: PricePeriod): readonly Band[] | null {
  const bands: Band[] = [];
  const wanted: readonly (readonly [above: number, prices: Prices])[] = [
    [-1, prices],
    ...tiers.map((tier) => [tier.aboveInputTokens, { ...prices, ...tier.prices }] as const),
  ];
  for (const [above, of] of wanted) {
    const tariff = Tariff.parse(of);
    if (tariff === null) return null;
    bands.push({ above, tariff });
  }
  return bands;
}

function bandFor(bands: readonly Band[], prompt: number): Band | undefined {
  return bands.findLast((band) => band.above < prompt);
}
