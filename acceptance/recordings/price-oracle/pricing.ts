import type { ModelPricing, PriceKey, PricePeriod, Prices } from '../../../src/domain/money/pricing.ts';
import type { OracleModel, OraclePrices } from './oracle.ts';

const PRICE_KEYS: Readonly<Record<string, PriceKey>> = {
  input_mtok: 'input_per_1m',
  cache_read_mtok: 'cached_input_per_1m',
  cache_write_mtok: 'cache_write_per_1m',
  input_audio_mtok: 'audio_input_per_1m',
  output_mtok: 'output_per_1m',
  output_audio_mtok: 'audio_output_per_1m',
};

/** The price per thousand requests. */
const REQUESTS = 'requests_kcount';
/** The product has one price for all cached input; see the differences. */
const WITHOUT_A_KEY: ReadonlySet<string> = new Set(['cache_audio_read_mtok']);

/** Returns the file's prices in the operator's notation. */
export function pricingOf({ prices }: OracleModel, more: Prices): ModelPricing {
  const periods = (isList(prices) ? prices : [{ prices, constraint: undefined }])
    // The product has no prices by time of day. The oracle used the first time range.
    .filter(({ constraint }) => constraint?.start_time === undefined)
    .map((one) => periodOf(one.prices, one.constraint?.start_date, more));
  return periods.every((period) => Object.keys(period.prices).length === 0) ? null : periods;
}

function isList(prices: OracleModel['prices']): prices is Exclude<OracleModel['prices'], OraclePrices> {
  return Array.isArray(prices);
}

function periodOf(prices: OraclePrices, startDate: string | undefined, more: Prices): PricePeriod {
  const base: Partial<Record<PriceKey, string>> = {};
  const tiers = new Map<number, Partial<Record<PriceKey, string>>>();
  for (const [name, price] of Object.entries(prices)) {
    if (WITHOUT_A_KEY.has(name)) continue;
    if (name === REQUESTS && typeof price === 'number') {
      base.per_request = decimal(price / 1000);
      continue;
    }
    const key = PRICE_KEYS[name];
    if (key === undefined) throw new Error(`the file has a price of another kind: ${name}`);
    base[key] = decimal(typeof price === 'number' ? price : price.base);
    if (typeof price === 'number') continue;
    for (const tier of price.tiers) {
      const held = tiers.get(tier.start) ?? {};
      held[key] = decimal(tier.price);
      tiers.set(tier.start, held);
    }
  }
  return {
    effectiveFromMs: startDate === undefined ? null : Date.parse(startDate),
    prices: { ...base, ...(Object.keys(base).length === 0 ? {} : more) },
    tiers: [...tiers].sort(([a], [b]) => a - b).map(([aboveInputTokens, held]) => ({ aboveInputTokens, prices: held })),
  };
}

/** Returns the digits as in the file: the shortest text of a number is the text it was parsed from. */
function decimal(price: number): string {
  const text = String(price);
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`the file has a price that is not a plain decimal: ${text}`);
  return text;
}
