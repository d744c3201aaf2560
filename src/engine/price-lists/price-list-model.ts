import type { Modality, ModelFeature } from '../../domain/catalog/capabilities.ts';
import type { ModelCategory } from '../../domain/catalog/category.ts';
import type { Prices, PriceTier } from '../../domain/money/pricing.ts';

/** The names of the manifests that the product has; a map by name is one too. */
export interface KnownProviders {
  has(name: string): boolean;
}

/** A public list that prices can be synced from. */
export type PriceListKind = 'litellm' | 'models.dev';

export interface ListedPricing {
  /** USD; never a nought: both lists write one where they know of no price. */
  readonly prices: Prices;
  /** Ascending; empty where the list says nothing of long prompts. */
  readonly tiers: readonly PriceTier[];
  /** The list rounds: a price of so many decimals, or more, may stand for one that has further ones. */
  readonly decimals?: number;
  /** Members that price what comes out in a way that none of `prices` says. */
  readonly unreadOutputCosts?: readonly string[];
}

/** What a list says of a model as one provider serves it. What it does not say is absent. */
export interface PriceListModel {
  /** A manifest's name. */
  readonly provider: string;
  /** The provider's own id, as the catalog has it. */
  readonly id: string;
  readonly name?: string;
  readonly ownedBy?: string;
  readonly category?: ModelCategory;
  readonly releasedAtMs?: number;
  readonly isDeprecated?: true;
  readonly input?: Stated<Modality>;
  readonly output?: Stated<Modality>;
  readonly features?: Stated<ModelFeature>;
  /** Tokens of prompt and answer together. */
  readonly contextTokens?: number;
  /** Tokens of the prompt alone: the context may be larger, never smaller. */
  readonly inputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly dimensions?: number;
  readonly pricing?: ListedPricing;
}

/** Whether each of these is there; what is not named is not spoken of. */
export type Stated<Name extends string> = Readonly<Partial<Record<Name, boolean>>>;

/** A list that has been read. */
export interface PriceList {
  readonly kind: PriceListKind;
  /** At most one per provider and id: the first one in the list. */
  readonly entries: readonly PriceListModel[];
  /** How many the list has besides: of other providers, no models, the same model again, malformed ones. */
  readonly skipped: number;
  /** How many of the skipped ones are malformed. */
  readonly malformed: number;
  /** The first few of those, each as `name: why`. */
  readonly firstMalformed: readonly string[];
}
