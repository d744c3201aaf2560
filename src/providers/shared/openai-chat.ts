import type { ProviderFormat } from '../manifest.ts';

/** The format of an OpenAI-compatible provider; the path is the same at all of them. */
export const OPENAI_CHAT: ProviderFormat = { format: 'openai-chat', path: '/chat/completions' };
