import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import { type ParameterOverrides, USUAL_OPERATIONS } from '../../domain/catalog/model-operation.ts';
import type { ModelPricing, PriceSource } from '../../domain/money/pricing.ts';
import type { CatalogEntry, CatalogFile } from './catalog-schema.ts';
import { checkedPricingFrom } from './price-syntax.ts';
import { releaseOf } from './releases.ts';

/** Returns the models of a catalog, which is read on the first call. */
export type Catalog = () => readonly CatalogModel[];

/**
 * Returns the catalog in a provider's `models.yaml` (docs/models.md describes the format). An entry that is `like` one of `bases`, or like
 * an earlier one in the same file, inherits all facts that it does not state itself. It is read when it is first needed: reading all of them
 * would take a tenth of a start's CPU, and most gateways use few providers.
 */
export function catalogOf(provider: string, yaml: string, bases: Catalog = () => []): Catalog {
  let models: readonly CatalogModel[] | null = null;
  return () => {
    models ??= readCatalog(provider, yaml, bases());
    return models;
  };
}

/** The files are part of the program and validated by its tests (`checkCatalog`), because validating them takes as long as reading them. */
function readCatalog(provider: string, yaml: string, bases: readonly CatalogModel[]): readonly CatalogModel[] {
  const file = Bun.YAML.parse(yaml) as CatalogFile; // Validated by the tests.
  const known = new Map(bases.map((base) => [base.id, base]));
  const models: CatalogModel[] = [];
  for (const entry of file.models) {
    const base = entry.like === undefined ? null : known.get(entry.like);
    if (base === undefined) throw new Error(`${provider}/${entry.id}: there is no model "${entry.like}" for "like"`);
    const model = modelFrom(provider, file, entry, base);
    known.set(model.id, model);
    models.push(model);
  }
  return models;
}

function modelFrom(provider: string, file: CatalogFile, entry: CatalogEntry, base: CatalogModel | null): CatalogModel {
  const category = entry.category ?? base?.category;
  const ownedBy = entry.owned_by ?? base?.ownedBy;
  if (category === undefined || ownedBy === undefined) {
    throw new Error(`${provider}/${entry.id}: category and owned_by are required`);
  }
  const own = ownPricing(entry);
  return {
    provider,
    id: entry.id,
    name: entry.name ?? base?.name ?? entry.id,
    description: entry.description ?? base?.description ?? null,
    ownedBy,
    category,
    tags: entry.tags ?? base?.tags ?? [],
    releasedAtMs: timeOrNull(entry.released) ?? base?.releasedAtMs ?? timeOrNull(releaseOf(entry.id)),
    listedAtMs: timeOrNull(entry.price_checked ?? file.checked),
    capabilities: {
      input: entry.input ?? base?.capabilities.input ?? ['text'],
      output: entry.output ?? base?.capabilities.output ?? ['text'],
      features: entry.features ?? base?.capabilities.features ?? [],
      contextTokens: entry.context ?? base?.capabilities.contextTokens ?? null,
      maxOutputTokens: entry.max_output ?? base?.capabilities.maxOutputTokens ?? null,
      dimensions: entry.dimensions ?? base?.capabilities.dimensions ?? null,
    },
    operations: entry.operations ?? base?.operations ?? USUAL_OPERATIONS[category],
    // Optional members are absent, never undefined, which the schema guarantees.
    parameters: (entry.parameters as ParameterOverrides | undefined) ?? base?.parameters ?? {},
    pricing: own === undefined ? (base?.pricing ?? null) : own,
    priceSource: own === undefined ? (base?.priceSource ?? null) : sourceOf(file, entry, own),
  };
}

function timeOrNull(day: string | undefined): number | null {
  return day === undefined ? null : Date.parse(day);
}

/** Returns `undefined` if the entry states no prices, `null` if it states that none are known. */
function ownPricing({ pricing }: CatalogEntry): ModelPricing | undefined {
  if (pricing === undefined) return undefined;
  return pricing === 'unknown' ? null : checkedPricingFrom(pricing);
}

function sourceOf(file: CatalogFile, entry: CatalogEntry, own: ModelPricing): PriceSource | null {
  if (own === null) return null;
  return { url: entry.price_source ?? file.source ?? null, date: entry.price_checked ?? file.checked ?? null };
}
