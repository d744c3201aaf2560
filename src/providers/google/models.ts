import type { ProviderModel } from '../manifest.ts';
import { GEMINI_CHAT, GEMINI_EMBEDDING } from '../shared/vendor-models.ts';

export const models: readonly ProviderModel[] = [...GEMINI_CHAT, ...GEMINI_EMBEDDING];
