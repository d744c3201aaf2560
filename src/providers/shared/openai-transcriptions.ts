import type { ProviderWire } from '../manifest.ts';

/** `POST /audio/transcriptions` as OpenAI has it (its published document, `CreateTranscriptionRequest`). */
export const OPENAI_TRANSCRIPTIONS: ProviderWire = { wire: 'openai-transcriptions', path: '/audio/transcriptions' };

/** `POST /audio/translations`, which is always into English. */
export const OPENAI_TRANSLATIONS: ProviderWire = { wire: 'openai-translations', path: '/audio/translations' };
