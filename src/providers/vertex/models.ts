import type { ProviderModel } from '../manifest.ts';
import { modelsOf } from '../shared/models.ts';
import { GEMINI_CHAT, GEMINI_EMBEDDING } from '../shared/vendor-models.ts';

export const models: readonly ProviderModel[] = [
  ...GEMINI_CHAT,
  ...modelsOf('chat', [
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-sonnet-4-6',
    'claude-haiku-4-5@20251001',
  ]),
  ...GEMINI_EMBEDDING,
];
