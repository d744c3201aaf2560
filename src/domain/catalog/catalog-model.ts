import type { ModelPricing } from '../money/pricing.ts';
import type { Capabilities } from './capabilities.ts';
import type { ModelCategory } from './category.ts';
import type { ModelOperation, ParameterOverrides } from './model-operation.ts';
import type { PriceSource } from './price-source.ts';

/** What the product knows of a model as one provider serves it: a line of the shipped catalog, or of a synced list. */
export interface CatalogModel {
  /** A provider manifest's name. */
  readonly provider: string;
  /** The provider's own id for it; also the public id, unless a channel gives it another. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Who made the model, in lower case; not always who serves it. */
  readonly ownedBy: string;
  readonly category: ModelCategory;
  readonly tags: readonly string[];
  /** Since 1970; `null` where it is not known. */
  readonly releasedAtMs: number | null;
  /** The day on which the catalog described it, since 1970; `null` for a model that only a price list knows. */
  readonly listedAtMs: number | null;
  readonly capabilities: Capabilities;
  readonly operations: readonly ModelOperation[];
  readonly parameters: ParameterOverrides;
  readonly pricing: ModelPricing;
  /** `null` exactly where there is no price. */
  readonly priceSource: PriceSource | null;
}
