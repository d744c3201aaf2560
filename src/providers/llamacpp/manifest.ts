import type { ProviderManifest } from '../manifest.ts';
import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { EMBEDDINGS_IN_BASE64 } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_TRANSCRIPTIONS } from '../shared/openai-transcriptions.ts';
import { chatQuirks } from './quirks.ts';

/** Builds are kept for long, and those of before the end of 2025 lack the other two; a channel names what it has. */
export const llamacpp: ProviderManifest = {
  name: 'llamacpp',
  label: 'llama.cpp server',
  baseUrl: 'http://127.0.0.1:8080/v1',
  keyVariables: [],
  keyRequired: false,
  formats: [
    { ...OPENAI_CHAT, quirks: chatQuirks },
    { ...ANTHROPIC_MESSAGES, countTokens: '/messages/count_tokens', optIn: true },
    { ...OPENAI_RESPONSES, optIn: true },
    OPENAI_COMPLETIONS,
  ],
  wires: [
    EMBEDDINGS_IN_BASE64,
    JINA_RERANK,
    { ...OPENAI_TRANSCRIPTIONS, members: { timestamp_granularities: null, known_speaker_names: null, include: null } },
  ],
  modelList: OPENAI_MODELS,
  discovery: { atStart: false },
};
