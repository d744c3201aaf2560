import type { ProviderWire } from '../manifest.ts';

/** `POST /moderations` as OpenAI defines it (its published document, `CreateModerationRequest`). */
export const OPENAI_MODERATIONS: ProviderWire = { wire: 'openai-moderations', path: '/moderations' };
