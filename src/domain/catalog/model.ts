import type { CacheOverrides } from '../cache/cache.ts';
import type { ModelPricing, PriceSource } from '../money/pricing.ts';
import type { ModelRule } from '../routing/model-rule.ts';
import type { Strategy } from '../routing/order.ts';
import type { Capabilities, ModelFeature } from './capabilities.ts';
import type { ModelCategory } from './category.ts';
import type { ModelOperation, ParameterOverrides } from './model-operation.ts';

export type { ModelPricing };

export const MODEL_STATUSES = ['public', 'hidden', 'hold'] as const;
export type ModelStatus = (typeof MODEL_STATUSES)[number];

/** Where a configuration object came from; `applyConfiguration` removes only objects that it has created. */
export const ORIGINS = ['config', 'environment', 'operator'] as const;
export type Origin = (typeof ORIGINS)[number];

/** A declared price: `unknown` means that there is none, even if the catalog has one; `null` means that none is declared. */
export type DeclaredPricing = ModelPricing | 'unknown';

/** The facts that a configuration or an operator has declared about a model; `null` leaves a fact to the catalog. */
export interface DeclaredModel {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly category: ModelCategory | null;
  readonly ownedBy: string | null;
  /** `public` applies even without a channel; `null` means public while a channel serves it. */
  readonly status: ModelStatus | null;
  readonly pricing: DeclaredPricing;
  readonly strategy: Strategy | null;
  readonly cache: CacheOverrides | null;
  readonly tags: readonly string[] | null;
  readonly capabilities: Partial<Capabilities> | null;
  readonly operations: readonly ModelOperation[] | null;
  /** The rules that choose a model for each request; `null` for a model that answers itself. Never empty. */
  readonly rules: readonly ModelRule[] | null;
  /** The models that are asked if this one cannot answer; empty for none. */
  readonly fallbacks: readonly string[];
  /** The ids of the guards that apply to requests that may reach the model; absent for none. */
  readonly guards?: readonly string[];
  /** The search model for hosted web searches over its targets that cannot search, or `none`; absent for the gateway's setting. */
  readonly search?: string;
  /** The percentage of its prices that lines of batches cost; `null` for the gateway's setting. */
  readonly batchPricePercent: number | null;
  readonly createdAtMs: number;
  readonly origin: Origin;
}

/** A public model with all its facts: declared ones, otherwise the catalog's, otherwise defaults. */
export interface Model {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: ModelCategory;
  /** The maker in lower case. */
  readonly ownedBy: string;
  readonly status: ModelStatus;
  readonly pricing: ModelPricing;
  /** `null` exactly if there is no price. */
  readonly priceSource: PriceSource | null;
  /** How a channel is chosen among those of the same priority; `null` leaves it to the account or the default. */
  readonly strategy: Strategy | null;
  /** Cache settings for accounts without their own; `null` for none. */
  readonly cache: CacheOverrides | null;
  /** Short words for searching (`fast`, `vision`). */
  readonly tags: readonly string[];
  /** `null` if they are unknown. */
  readonly capabilities: Capabilities | null;
  /** The features that an operator has declared; absent if none has. */
  readonly statedFeatures?: readonly ModelFeature[];
  /** Never empty; the first one is its main operation. */
  readonly operations: readonly ModelOperation[];
  readonly parameters: ParameterOverrides;
  /** The rules that choose a model for each request; absent for a model that answers itself. */
  readonly rules?: readonly ModelRule[];
  /** The models that are asked if this one cannot answer; absent if an operator has declared none. */
  readonly fallbacks?: readonly string[];
  /** The ids of the guards that an operator has set; absent for none. */
  readonly guards?: readonly string[];
  /** The search model for hosted web searches, or `none`; absent if an operator has declared none. */
  readonly search?: string;
  /** The percentage of its prices that lines of batches cost; absent if an operator has declared none. */
  readonly batchPricePercent?: number;
  /** When it was released, otherwise when it was declared; 0 if neither is known. */
  readonly createdAtMs: number;
}
