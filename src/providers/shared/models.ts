import type { ModelCategory } from '../../domain/catalog/model.ts';
import type { ProviderModel } from '../manifest.ts';

/** The ids as models of one category. */
export function modelsOf(category: ModelCategory, ids: readonly string[]): ProviderModel[] {
  return ids.map((id) => ({ id, category }));
}
