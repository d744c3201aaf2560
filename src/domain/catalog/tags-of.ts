import type { Model } from './model.ts';

/** A model's category is one of its tags. */
export function tagsOf({ category, tags }: Pick<Model, 'category' | 'tags'>): readonly string[] {
  return tags.includes(category) ? tags : [category, ...tags];
}
