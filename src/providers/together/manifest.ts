import type { ProviderManifest } from '../manifest.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_SPEECH } from '../shared/openai-speech.ts';
import { TOGETHER_SPEECH } from '../shared/speech-dialects.ts';
import { chatGoverns } from './governs.ts';
import { models } from './models.ts';
import { chatQuirks } from './quirks.ts';

export const together: ProviderManifest = {
  name: 'together',
  label: 'Together AI',
  baseUrl: 'https://api.together.xyz/v1',
  keyVariables: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'],
  keyRequired: true,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: chatGoverns },
    { ...OPENAI_COMPLETIONS, governs: chatGoverns },
  ],
  wires: [
    OPENAI_EMBEDDINGS,
    JINA_RERANK,
    { wire: 'together-images', path: '/images/generations' },
    { ...OPENAI_SPEECH, speech: TOGETHER_SPEECH },
  ],
  relays: ['files', 'batches'],
  models,
};
