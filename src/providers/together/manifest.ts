import { PLAIN_LIMITS } from '../../formats/shared/rate-limits/stated-limits.ts';
import type { OwnMembers } from '../../formats/wire.ts';
import type { ProviderManifest } from '../manifest.ts';
import { catalogOf } from '../shared/catalog.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { OPENAI_EMBEDDINGS, WITHOUT_INPUT_TYPE } from '../shared/openai-embeddings.ts';
import { OPENAI_SPEECH } from '../shared/openai-speech.ts';
import { OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS } from '../shared/openai-transcriptions.ts';
import { TOGETHER_SPEECH } from '../shared/speech-dialects.ts';
import { TOGETHER_BATCHES } from './batches.ts';
import { chatGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/** Members that its published document (`AudioTranscriptionRequest`) does not have. */
const NOT_AT_TOGETHER: OwnMembers = {
  languages: null,
  keywords: null,
  include: null,
  chunking_strategy: null,
  known_speaker_names: null,
  stream: null,
};

/** The published document (`EmbeddingsRequest`) has only a model and texts. */
const NOT_IN_EMBEDDINGS: OwnMembers = { ...WITHOUT_INPUT_TYPE, user: null, dimensions: null };

export const together: ProviderManifest = {
  name: 'together',
  label: 'Together AI',
  baseUrl: 'https://api.together.xyz/v1',
  keyVariables: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'],
  keyRequired: true,
  rateLimits: PLAIN_LIMITS,
  keyPattern: /^tgp_v1_[\w-]{20,}$/,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: chatGoverns },
    { ...OPENAI_COMPLETIONS, governs: chatGoverns },
  ],
  wires: [
    { ...OPENAI_EMBEDDINGS, members: NOT_IN_EMBEDDINGS, embeddings: [{ isTextOnly: true }] },
    JINA_RERANK,
    { wire: 'together-images', path: '/images/generations' },
    { wire: 'together-videos', path: '/videos', baseUrl: 'https://api.together.xyz/v2' },
    { ...OPENAI_SPEECH, speech: TOGETHER_SPEECH },
    { ...OPENAI_TRANSCRIPTIONS, wire: 'openai-transcriptions-auto', members: NOT_AT_TOGETHER },
    { ...OPENAI_TRANSLATIONS, members: NOT_AT_TOGETHER },
  ],
  relays: ['files', 'batches'],
  batches: TOGETHER_BATCHES,
  models: catalogOf('together', yaml),
  modelList: OPENAI_MODELS,
};
