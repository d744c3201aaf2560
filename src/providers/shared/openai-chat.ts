import type { ProviderFormat } from '../manifest.ts';

/** What an OpenAI-compatible provider speaks; the path is the same at all of them. */
export const OPENAI_CHAT: ProviderFormat = { format: 'openai-chat', path: '/chat/completions' };
