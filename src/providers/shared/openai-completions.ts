import type { ProviderFormat } from '../manifest.ts';

/**
 * OpenAI's older text completions, next to `/chat/completions`. The last of a manifest's formats, because only their own clients
 * use them.
 */
export const OPENAI_COMPLETIONS: ProviderFormat = { format: 'openai-completions', path: '/completions' };
