import type { ProviderFormat } from '../manifest.ts';
import { FUNCTIONS_FOR_FREEFORM } from './quirks.ts';

/** OpenAI Responses at other providers, next to `/chat/completions`. */
export const OPENAI_RESPONSES: ProviderFormat = {
  format: 'openai-responses',
  path: '/responses',
  quirks: FUNCTIONS_FOR_FREEFORM,
};
