import { isObject, type JsonObject } from '../json.ts';
import { type ShownUnit, shownPrice, shownUnit, storedPrice } from '../models/price-units.ts';
import { PRICE_KEYS, type PriceKey, VARIANTS } from '../models/pricing.ts';
import { numberSaid } from '../written.ts';

/** One price of a model, and when it applies. Input stays text. */
export interface CostLine {
  readonly unit: ShownUnit;
  readonly usd: string;
  /** Such as `1024x1024/high`; empty for the general price. */
  readonly variant: string;
  /** Applies to prompts with more tokens than this; empty for all. */
  readonly above: string;
  /** Applies from this time on; empty for the first prices. */
  readonly from: string;
}

/** The prices that a provider charges for a model. */
export interface ModelCost {
  readonly model: string;
  readonly isFree: boolean;
  readonly lines: readonly CostLine[];
}

export const NEW_LINE: CostLine = { unit: 'input_per_1m', usd: '', variant: '', above: '', from: '' };

/** The units of a cost. The category of a model is unknown here, so a price of time can be written in either unit. */
export const COST_UNITS: readonly ShownUnit[] = PRICE_KEYS.flatMap((key) =>
  key === 'per_second' ? ['per_second', 'per_minute'] : [shownUnit(key)],
);

const VARIANT_OF = Object.fromEntries(Object.entries(VARIANTS).map(([member, key]) => [key, member]));

/** Returns whether prices of this unit can differ by variant. */
export function hasVariants(unit: ShownUnit): boolean {
  return VARIANT_OF[keyOf(unit)] !== undefined;
}

function keyOf(unit: ShownUnit): PriceKey {
  if (unit === 'per_minute') return 'per_second';
  return unit === 'per_1m_characters' ? 'per_character' : unit;
}

export function costsFrom(costs: Readonly<Record<string, unknown>>): ModelCost[] {
  return Object.entries(costs).map(([model, pricing]) => ({
    model,
    isFree: pricing === 'free',
    lines: linesFrom(pricing),
  }));
}

function linesFrom(pricing: unknown): CostLine[] {
  if (Array.isArray(pricing)) return pricing.filter(isObject).flatMap(linesOfPeriod);
  return isObject(pricing) ? linesOfPeriod(pricing) : [];
}

function linesOfPeriod(period: JsonObject): CostLine[] {
  const from = typeof period.effective_from === 'string' ? period.effective_from : '';
  const tiers = Array.isArray(period.tiers) ? period.tiers.filter(isObject) : [];
  return [
    ...linesOfPrices(period, { above: '', from }),
    ...tiers.flatMap((tier) => linesOfPrices(tier, { above: String(tier.above_input_tokens ?? ''), from })),
  ];
}

function linesOfPrices(prices: JsonObject, applies: Pick<CostLine, 'above' | 'from'>): CostLine[] {
  return PRICE_KEYS.flatMap((key) => {
    const unit = shownUnit(key);
    const line = (usd: unknown, variant: string) => ({ unit, usd: shownPrice(String(usd), unit), variant, ...applies });
    const varied = prices[VARIANT_OF[key] ?? ''];
    return [
      ...(prices[key] === undefined ? [] : [line(prices[key], '')]),
      ...(isObject(varied) ? Object.entries(varied).map(([variant, usd]) => line(usd, variant)) : []),
    ];
  });
}

/** Returns the costs in the API's form. */
export function costsSaid(costs: readonly ModelCost[]): Record<string, unknown> {
  return Object.fromEntries(
    costs.map(({ model, isFree, lines }) => [model.trim(), isFree ? 'free' : pricingOf(lines)]),
  );
}

function pricingOf(lines: readonly CostLine[]): unknown {
  const periods = [...Map.groupBy(lines, ({ from }) => from.trim())]
    .toSorted(([one], [other]) => startOf(one) - startOf(other))
    .map(([from, ofPeriod]) => ({ ...(from !== '' && { effective_from: from }), ...periodOf(ofPeriod) }));
  const [only] = periods;
  return periods.length === 1 && only !== undefined && !('effective_from' in only) ? only : periods;
}

/** The first prices have no start; a text that is no time is refused by the gateway wherever it is. */
function startOf(from: string): number {
  const ms = from === '' ? Number.NEGATIVE_INFINITY : Date.parse(from);
  return Number.isNaN(ms) ? Number.MAX_SAFE_INTEGER : ms;
}

function periodOf(lines: readonly CostLine[]): JsonObject {
  const byLength = Map.groupBy(lines, ({ above }) => above.trim());
  const tiers = [...byLength]
    .filter(([above]) => above !== '')
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([above, ofTier]) => ({ above_input_tokens: numberSaid(above), ...pricesOf(ofTier) }));
  return { ...pricesOf(byLength.get('') ?? []), ...(tiers.length > 0 && { tiers }) };
}

function pricesOf(lines: readonly CostLine[]): JsonObject {
  const prices: Record<string, unknown> = {};
  for (const { unit, usd, variant } of lines) {
    const key = keyOf(unit);
    const price = storedPrice(usd.trim(), unit);
    const member = VARIANT_OF[key];
    if (variant.trim() === '' || member === undefined) prices[key] = price;
    else prices[member] = { ...(isObject(prices[member]) && prices[member]), [variant.trim()]: price };
  }
  return prices;
}

export type CostProblem = 'noModel' | 'twice' | 'noPrice' | 'priceTwice';

/** Returns what is wrong with the costs before the gateway sees them, since it would get fewer lines than are shown. */
export function costProblem(
  costs: readonly ModelCost[],
): { readonly kind: CostProblem; readonly model: string } | null {
  const models = costs.map(({ model }) => model.trim());
  for (const [place, { isFree, lines }] of costs.entries()) {
    const model = models[place] ?? '';
    if (model === '') return { kind: 'noModel', model };
    if (models.indexOf(model) !== place) return { kind: 'twice', model };
    if (isFree) continue;
    if (lines.length === 0 || lines.some(({ usd }) => usd.trim() === '')) return { kind: 'noPrice', model };
    const names = lines.map((line) => {
      const variant = hasVariants(line.unit) ? line.variant.trim() : '';
      return JSON.stringify([keyOf(line.unit), variant, line.above.trim(), line.from.trim()]);
    });
    if (new Set(names).size < names.length) return { kind: 'priceTwice', model };
  }
  return null;
}
