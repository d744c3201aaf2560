import type { Model } from '../../../domain/catalog/model.ts';
import type { Scene } from '../../../domain/catalog/model-tags.ts';
import type { Preference } from '../../../domain/catalog/preference.ts';
import type { CurrentPrices } from '../../../domain/money/current-prices.ts';

/** A model's rank in a scene, and the age of the numbers behind it. */
export interface ScenePreference extends Omit<Preference, 'modelId'> {
  /** When the numbers were counted, in milliseconds since 1970. */
  readonly updatedAtMs: number;
}

/** A model as clients see it. */
export interface ListedModel {
  readonly model: Model;
  /** The prices in force now; `null` if no price is known. */
  readonly prices: CurrentPrices | 'free' | null;
}

export type ScenePreferences = Readonly<Partial<Record<Scene, ScenePreference>>>;
