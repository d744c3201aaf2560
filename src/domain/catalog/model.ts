import type { ModelPricing } from '../money/pricing.ts';
import type { Strategy } from '../routing/strategy.ts';

export type { ModelPricing };

/** The contract's eleven categories (GET /v1/models, `category`). */
export const MODEL_CATEGORIES = [
  'chat',
  'image',
  'video',
  'audio',
  'tts',
  'stt',
  'music',
  '3d',
  'embedding',
  'rerank',
  'translation',
] as const;
export type ModelCategory = (typeof MODEL_CATEGORIES)[number];

export const MODEL_STATUSES = ['public', 'hidden', 'hold'] as const;
export type ModelStatus = (typeof MODEL_STATUSES)[number];

/** Where a configuration object came from; `applyConfiguration` removes only what it itself once made. */
export const ORIGINS = ['config', 'environment', 'operator'] as const;
export type Origin = (typeof ORIGINS)[number];

export interface Model {
  readonly id: string;
  readonly category: ModelCategory;
  readonly ownedBy: string;
  readonly status: ModelStatus;
  readonly pricing: ModelPricing;
  /** How channels of one priority are chosen among; `null` leaves it to the account or the default. */
  readonly strategy: Strategy | null;
  /** Short words that people search by (`fast`, `vision`). */
  readonly tags: readonly string[];
  readonly createdAtMs: number;
  readonly origin: Origin;
}
