import type { ProviderWire } from '../manifest.ts';

/** `POST /audio/transcriptions` as OpenAI defines it (its published document, `CreateTranscriptionRequest`). */
export const OPENAI_TRANSCRIPTIONS: ProviderWire = { wire: 'openai-transcriptions', path: '/audio/transcriptions' };

/** `POST /audio/translations`, which always translates into English. */
export const OPENAI_TRANSLATIONS: ProviderWire = { wire: 'openai-translations', path: '/audio/translations' };
