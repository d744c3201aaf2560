import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import { pricePeriods } from '../../domain/money/pricing.ts';
import { compareText } from '../../domain/text/compare-text.ts';
import type { CatalogChanges, ChangedModel } from './catalog-changes.ts';

export interface DescriptionOptions {
  /** The number of lines, at least one. The last line says how many are left out. */
  readonly maximumLines: number;
  /**
   * Returns what an operator has declared for a field, which lists do not change, or `null` if nothing. `field` is that of a `FieldChange`.
   * If absent, nothing is declared.
   */
  readonly ownStatement?: (model: CatalogModel, field: string) => string | null;
}

interface Line {
  readonly model: CatalogModel;
  readonly text: string;
}

/** Returns the changes as lines for a terminal, by provider and id: `openai gpt-4o-mini  input_per_1m 0.15 → 0.12`. */
export function describeChanges(changes: CatalogChanges, options: DescriptionOptions): readonly string[] {
  const lines = [
    ...changes.changed.flatMap((change) => linesOfChanged(change, options)),
    ...changes.added.map((model) => ({ model, text: `new: ${newText(model)}` })),
    ...changes.measuredOtherwise.map((model) => ({
      model,
      text: 'the list has prices in other units than the catalog: those are omitted',
    })),
  ];
  const texts = lines
    .sort((a, b) => compareText(a.model.provider, b.model.provider) || compareText(a.model.id, b.model.id))
    .map(({ model, text }) => `${model.provider} ${model.id}  ${text}`);
  if (texts.length <= options.maximumLines) return texts;
  const shown = Math.max(0, options.maximumLines - 1);
  return [...texts.slice(0, shown), `… and ${texts.length - shown} more`];
}

function linesOfChanged({ model, fields }: ChangedModel, { ownStatement }: DescriptionOptions): Line[] {
  return fields.map(({ field, from, to }) => {
    const own = ownStatement?.(model, field) ?? null;
    const yours = own === null ? '' : ` (yours, ${own}, stays in effect)`;
    return { model, text: `${field} ${from ?? 'none'} → ${to ?? 'none'}${yours}` };
  });
}

function newText({ category, pricing }: CatalogModel): string {
  if (pricing === null) return `${category}, no price`;
  if (pricing === 'free') return `${category}, free`;
  const prices = pricePeriods(pricing)[0]?.prices ?? {};
  return [category, ...Object.entries(prices).map(([key, price]) => `${key} ${price}`)].join(', ');
}
