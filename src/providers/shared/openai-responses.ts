import type { ProviderFormat } from '../manifest.ts';

/** OpenAI Responses as those who took it over serve it: beside `/chat/completions`. */
export const OPENAI_RESPONSES: ProviderFormat = { format: 'openai-responses', path: '/responses' };
