import type { ProviderModel } from '../manifest.ts';
import { OPENAI_CATALOGUE } from '../shared/vendor-models.ts';

/** A deployment may have any name; these are the names that Azure proposes, those of the models. */
export const models: readonly ProviderModel[] = OPENAI_CATALOGUE;
