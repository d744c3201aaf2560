import type { ProviderModel } from '../manifest.ts';
import { OPENAI_CATALOGUE } from '../shared/vendor-models.ts';

export const models: readonly ProviderModel[] = OPENAI_CATALOGUE;
