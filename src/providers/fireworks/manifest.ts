import type { ProviderManifest, ProviderWire } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { catalogOf } from '../shared/catalog.ts';
import { HOSTED_TOOLS, UNKNOWN_IMAGE_TOOL } from '../shared/governed/openai.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS } from '../shared/openai-transcriptions.ts';
import { fireworksGoverns } from './governs.ts';
import yaml from './models.yaml' with { type: 'text' };
import { chatQuirks } from './quirks.ts';

/** docs.fireworks.ai, "Speech to text": each of the two models has its own address. */
const AUDIO: readonly ProviderWire[] = [
  { ...OPENAI_TRANSCRIPTIONS, baseUrl: 'https://audio-turbo.api.fireworks.ai/v1', models: /turbo/ },
  { ...OPENAI_TRANSCRIPTIONS, baseUrl: 'https://audio-prod.api.fireworks.ai/v1', models: /^(?!.*turbo)/ },
  { ...OPENAI_TRANSLATIONS, baseUrl: 'https://audio-prod.api.fireworks.ai/v1' },
];

/** The vendor stores Responses unless `store` is false, so they are used only for clients of that format. */
export const fireworks: ProviderManifest = {
  name: 'fireworks',
  label: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  keyVariables: ['FIREWORKS_API_KEY'],
  keyRequired: true,
  keyPattern: /^fw_[A-Za-z0-9]{16,}$/,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks, governs: fireworksGoverns },
    { ...ANTHROPIC_MESSAGES, governs: fireworksGoverns },
    { ...OPENAI_RESPONSES, governs: [...fireworksGoverns, ...UNKNOWN_IMAGE_TOOL, ...HOSTED_TOOLS] },
    { ...OPENAI_COMPLETIONS, governs: fireworksGoverns },
  ],
  wires: [OPENAI_EMBEDDINGS, JINA_RERANK, ...AUDIO],
  models: catalogOf('fireworks', yaml),
  modelList: OPENAI_MODELS,
};
