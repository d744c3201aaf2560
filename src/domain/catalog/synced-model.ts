import type { ModelPricing, PriceSource } from '../money/pricing.ts';
import { type Capabilities, NOTHING_KNOWN } from './capabilities.ts';
import type { CatalogModel } from './catalog-model.ts';
import type { ModelCategory } from './category.ts';
import { USUAL_OPERATIONS } from './model-operation.ts';

/** The facts about a model in a public price list; unstated facts are absent. */
export interface ListedFacts {
  readonly name?: string;
  readonly category?: ModelCategory;
  readonly ownedBy?: string;
  readonly releasedAtMs?: number;
  readonly pricing?: Exclude<ModelPricing, null>;
  readonly capabilities?: Partial<Capabilities>;
}

/** An entry of a list that was imported into this gateway's catalog. */
export interface SyncedModel {
  /** A provider manifest's name. */
  readonly provider: string;
  /** The provider's own id for it. */
  readonly id: string;
  readonly facts: ListedFacts;
  readonly source: PriceSource;
}

/**
 * Returns the catalog's entry updated with a list's facts. The newer price applies, because a later release of the product may
 * have a more recent price than the list. Name, maker, category and release day are the product's own as soon as it has them,
 * which may be in a release after the model was first known from a list.
 */
export function withListedFacts(shipped: CatalogModel | undefined, synced: SyncedModel): CatalogModel {
  const { facts, source } = synced;
  const base = shipped ?? entryFromList(synced.provider, synced.id, synced.facts);
  const isNewer = facts.pricing !== undefined && !isLater(base.priceSource, source);
  return {
    ...base,
    releasedAtMs: base.releasedAtMs ?? facts.releasedAtMs ?? null,
    capabilities: { ...base.capabilities, ...facts.capabilities },
    ...(isNewer ? { pricing: facts.pricing ?? null, priceSource: source } : {}),
  };
}

/** Returns the base entry of a model that only a list has. */
export function entryFromList(
  provider: string,
  id: string,
  facts: Pick<ListedFacts, 'name' | 'category' | 'ownedBy'>,
): CatalogModel {
  const { name = id, category = 'chat', ownedBy = provider } = facts;
  return {
    provider,
    id,
    name,
    description: null,
    ownedBy,
    category,
    tags: [],
    releasedAtMs: null,
    listedAtMs: null,
    capabilities: NOTHING_KNOWN,
    operations: USUAL_OPERATIONS[category],
    parameters: {},
    pricing: null,
    priceSource: null,
  };
}

function isLater(one: PriceSource | null, other: PriceSource): boolean {
  return (one?.date ?? '') > (other.date ?? '');
}
