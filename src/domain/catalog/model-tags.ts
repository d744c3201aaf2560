import type { ModelCategory } from './category.ts';
import type { Model } from './model.ts';

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
