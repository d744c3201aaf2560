import type { Modality, ModelFeature } from '../../domain/catalog/capabilities.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import type { Prices, PriceTier } from '../../domain/money/pricing.ts';

/** The names of the product's manifests; a map by name fits too. */
export interface KnownProviders {
  has(name: string): boolean;
}

/** A public list from which prices can be synced. */
export type PriceListKind = 'litellm' | 'models.dev';

export interface ListedPricing {
  /** Prices in USD, never zero, which both lists write for unknown prices. */
  readonly prices: Prices;
  /** Tiers in ascending order; empty if the list has no prices for long prompts. */
  readonly tiers: readonly PriceTier[];
  /** The number of decimals to which the list rounds; absent if it does not round. */
  readonly decimals?: number;
  /** Members that price output in a way that `prices` does not include. */
  readonly unreadOutputCosts?: readonly string[];
}

/** The facts that a list states about a model at one provider. Unstated facts are absent. */
export interface PriceListModel {
  /** The name of a manifest. */
  readonly provider: string;
  /** The provider's own id, as in the catalog. */
  readonly id: string;
  readonly name?: string;
  readonly ownedBy?: string;
  readonly category?: ModelCategory;
  readonly releasedAtMs?: number;
  readonly isDeprecated?: true;
  readonly input?: Stated<Modality>;
  readonly output?: Stated<Modality>;
  readonly features?: Stated<ModelFeature>;
  /** The tokens of prompt and answer together. */
  readonly contextTokens?: number;
  /** The tokens of the prompt alone; the context may be larger, never smaller. */
  readonly inputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly dimensions?: number;
  readonly pricing?: ListedPricing;
}

/** Whether each of these names is present; an absent name is not stated. */
export type Stated<Name extends string> = Readonly<Partial<Record<Name, boolean>>>;

/** A list that was read. */
export interface PriceList {
  readonly kind: PriceListKind;
  /** The models, at most one for each provider and id: the first one in the list. */
  readonly entries: readonly PriceListModel[];
  /** The number of other entries in the list: those of other providers, those that are not models, duplicates and malformed ones. */
  readonly skipped: number;
  /** The number of skipped entries that are malformed. */
  readonly malformed: number;
  /** The first few malformed entries, each as `name: why`. */
  readonly firstMalformed: readonly string[];
}
