import { MISTRAL_LIMITS } from '../../formats/shared/rate-limits/stated-limits.ts';
import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_EMBEDDINGS, WITHOUT_INPUT_TYPE } from '../shared/openai-embeddings.ts';
import { OPENAI_MODERATIONS } from '../shared/openai-moderations.ts';
import { MISTRAL_BATCHES } from './batches.ts';
import { families } from './families.ts';
import { chatGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/**
 * The published document for embeddings (`EmbeddingRequest`) has a different name for the length, and allows no unlisted member.
 */
export const mistral: ProviderManifest = {
  name: 'mistral',
  label: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  keyVariables: ['MISTRAL_API_KEY'],
  keyRequired: true,
  formats: [{ ...OPENAI_CHAT, quirks: chatQuirks, governs: chatGoverns }],
  wires: [
    OPENAI_MODERATIONS,
    {
      ...OPENAI_EMBEDDINGS,
      members: { ...WITHOUT_INPUT_TYPE, dimensions: 'output_dimension', user: null },
      // A recorded response to 257 inputs is a 400; "Too many tokens in batch. Max is 16384" (dust-tt/dust#10654).
      embeddings: [{ hasBase64: true, isTextOnly: true, mostInputs: 256, mostTokens: 16_384 }],
    },
    { wire: 'mistral-speech', path: '/audio/speech' },
    { wire: 'mistral-transcriptions', path: '/audio/transcriptions' },
  ],
  relays: ['files', 'batch-jobs'],
  batches: MISTRAL_BATCHES,
  rateLimits: MISTRAL_LIMITS,
  families,
  models: catalogOf('mistral', yaml),
  modelList: OPENAI_MODELS,
};
