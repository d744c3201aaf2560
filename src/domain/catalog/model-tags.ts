import type { ModelCategory } from './category.ts';
import type { Model } from './model.ts';
import { USUAL_OPERATIONS } from './model-operation.ts';

type Facts = Pick<Model, 'category' | 'operations'>;

/** Returns a model's category and, for a speech model that also translates, the contract's category for that. */
export function categoriesOf({ category, operations }: Facts): readonly ModelCategory[] {
  const translates = category !== 'translation' && operations.includes('audio.translations');
  return translates ? [category, 'translation'] : [category];
}

/** Returns a model's tags, which include its categories. */
export function tagsOf(model: Facts & Pick<Model, 'tags'>): readonly string[] {
  const missing = categoriesOf(model).filter((category) => !model.tags.includes(category));
  return missing.length === 0 ? model.tags : [...missing, ...model.tags];
}

/** The purposes for which a coding agent looks for a model (contract, GET /v1/models, `recommended_for`). */
export const SCENES = ['image', 'video', 'music', '3d', 'tts', 'stt', 'embedding', 'rerank', 'translation'] as const;
export type Scene = (typeof SCENES)[number];

/** Returns the scenes of a model: its own category's, and those whose operation it also serves. */
export function scenesOf({ category, operations }: Pick<Model, 'category' | 'operations'>): readonly Scene[] {
  // Models for moderation and searches have the contract's nearest category, but no scene matches their purpose.
  if (operations.includes('moderations') || operations.includes('search')) return [];
  return SCENES.filter(
    (scene) => scene === category || USUAL_OPERATIONS[scene].some((operation) => operations.includes(operation)),
  );
}
