import { type ModelPricing, type PricePeriod, type Prices, pricePeriods } from './pricing.ts';
import { type Billable, promptTokensOf } from './quantity.ts';
import type { Surcharge } from './surcharge.ts';
import { type LargestRequest, Tariff } from './tariff.ts';

/** What holds from one moment on: a tariff for every length of prompt. */
interface Period {
  readonly fromMs: number;
  /** Ascending; the first begins below every prompt. */
  readonly bands: readonly Band[];
}

/** The tariff of all prompts with more tokens than `above`, up to the next band's. */
interface Band {
  readonly above: number;
  readonly tariff: Tariff;
}

/**
 * What a model costs, ready to be multiplied. All is exact until the last step, which makes whole nano-USD of the sum: one
 * rounding a request (design, section 5).
 */
export class PriceSheet {
  /** Whatever is asked, it costs nothing. */
  readonly isFree: boolean;

  private constructor(
    private readonly periods: readonly Period[],
    /** What it was read from, which can be kept and read again. */
    readonly pricing: Exclude<ModelPricing, null>,
  ) {
    this.isFree = periods.every((period) => period.bands.every((band) => band.tariff.isFree));
  }

  /** `null` where no price is known, or where one of them cannot be read: half of the prices would be a wrong price. */
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
   * What a request has cost, in nano-USD, rounded half up. `atMs`, in milliseconds since 1970, chooses the period: what was
   * bounded and what is charged have to name the same moment.
   */
  costNanoUsd(billable: Billable, atMs: number, surcharge?: Surcharge): bigint {
    return this.tariffFor(billable, atMs).costNanoUsd(billable, surcharge);
  }

  /** The prices of that moment for a prompt of this length. */
  tariffFor(billable: Billable, atMs: number): Tariff {
    const { bands } = this.periodAt(atMs);
    const band = bands.length === 1 ? bands[0] : bandFor(bands, promptTokensOf(billable));
    return band === undefined ? Tariff.free : band.tariff;
  }

  /**
   * The most that a request within these bounds can cost, in nano-USD, rounded up: every token at the highest price that it can
   * have (written to the cache, audio, …), and the prompt at its most expensive length.
   */
  boundNanoUsd(bound: LargestRequest, atMs: number, surcharge?: Surcharge): bigint {
    const { bands } = this.periodAt(atMs);
    const [only] = bands;
    if (bands.length === 1 && only !== undefined) return only.tariff.boundNanoUsd(bound, surcharge);
    let most = 0n;
    for (const [index, { above, tariff }] of bands.entries()) {
      if (index > 0 && above >= bound.inputTokens) break;
      // A dear band of short prompts can cost more than a cheap one of long prompts.
      const inputTokens = Math.min(bound.inputTokens, bands[index + 1]?.above ?? bound.inputTokens);
      const cost = tariff.boundNanoUsd({ ...bound, inputTokens }, surcharge);
      if (cost > most) most = cost;
    }
    return most;
  }

  /** Whether one web search has a price of its own here, whenever and however long the prompt is. */
  get pricesWebSearch(): boolean {
    return this.periods.every(({ bands }) => bands.every(({ tariff }) => tariff.pricesWebSearch));
  }

  /** The one in force; before the first, the first. */
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
