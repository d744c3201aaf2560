import type { Model } from '../../../domain/catalog/model.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';

/** What the model makes if the client does not say it; `null` where that is not known. */
export interface ImageDefaults {
  readonly size: string | null;
  readonly quality: string | null;
}

/** What the catalog says that the model makes if nothing is asked for. */
export function defaultsOf(model: Pick<Model, 'parameters'>, { kind }: Pick<ImageRequest, 'kind'>): ImageDefaults {
  const parameters = model.parameters[kind === 'edit' ? 'images.edits' : 'images.generations'];
  const text = (name: string) => {
    const value = parameters?.[name]?.default;
    return typeof value === 'string' && value !== 'auto' ? value : null;
  };
  return { size: text('size'), quality: text('quality') };
}
