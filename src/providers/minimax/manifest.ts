import type { ProviderManifest } from '../manifest.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { models } from './models.ts';

export const minimax: ProviderManifest = {
  name: 'minimax',
  label: 'MiniMax',
  baseUrl: 'https://api.minimax.io/v1',
  keyVariables: ['MINIMAX_API_KEY'],
  keyRequired: true,
  formats: [OPENAI_CHAT],
  models,
};
