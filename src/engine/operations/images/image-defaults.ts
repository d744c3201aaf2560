import type { Model } from '../../../domain/catalog/model.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';

/** The model's default size and quality; `null` if unknown. */
export interface ImageDefaults {
  readonly size: string | null;
  readonly quality: string | null;
}

/** Returns the defaults that the catalog states for the model. */
export function defaultsOf(model: Pick<Model, 'parameters'>, { kind }: Pick<ImageRequest, 'kind'>): ImageDefaults {
  const parameters = model.parameters[kind === 'edit' ? 'images.edits' : 'images.generations'];
  const text = (name: string) => {
    const value = parameters?.[name]?.default;
    return typeof value === 'string' && value !== 'auto' ? value : null;
  };
  return { size: text('size'), quality: text('quality') };
}
