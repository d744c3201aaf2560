import type { ModelPricing, PriceSource } from '../money/pricing.ts';
import type { Capabilities } from './capabilities.ts';
import type { ModelCategory } from './category.ts';
import type { ModelOperation, ParameterOverrides } from './model-operation.ts';

/** The product's knowledge of a model as one provider serves it: an entry of the shipped catalog, or of a synced list. */
export interface CatalogModel {
  /** A provider manifest's name. */
  readonly provider: string;
  /** The provider's own id for it; also the public id, unless a channel assigns another. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** The model's maker in lower case, which may differ from its provider. */
  readonly ownedBy: string;
  readonly category: ModelCategory;
  readonly tags: readonly string[];
  /** Milliseconds since 1970; `null` if unknown. */
  readonly releasedAtMs: number | null;
  /** The day on which the catalog described it, in milliseconds since 1970; `null` for a model known only from a price list. */
  readonly listedAtMs: number | null;
  readonly capabilities: Capabilities;
  readonly operations: readonly ModelOperation[];
  readonly parameters: ParameterOverrides;
  readonly pricing: ModelPricing;
  /** `null` exactly if there is no price. */
  readonly priceSource: PriceSource | null;
}
