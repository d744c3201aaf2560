import type { ProviderFormat } from '../manifest.ts';
import { FUNCTIONS_FOR_FREEFORM } from './quirks.ts';

/** OpenAI Responses as other providers serve it: beside `/chat/completions`. */
export const OPENAI_RESPONSES: ProviderFormat = {
  format: 'openai-responses',
  path: '/responses',
  quirks: FUNCTIONS_FOR_FREEFORM,
};
