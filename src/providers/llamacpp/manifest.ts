import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_TRANSCRIPTIONS } from '../shared/openai-transcriptions.ts';
import { LLAMA_CPP } from '../shared/servers/llamacpp.ts';
import { servedBy } from '../shared/servers/served-by.ts';

/**
 * Builds stay in use for long, and those from before the end of 2025 lack the other two formats; a channel names the formats that
 * it has.
 */
export const llamacpp = servedBy(
  {
    name: 'llamacpp',
    label: 'llama.cpp server',
    baseUrl: 'http://127.0.0.1:8080/v1',
    keyVariables: [],
    keyRequired: false,
    formats: [
      OPENAI_CHAT,
      { ...ANTHROPIC_MESSAGES, countTokens: '/messages/count_tokens', optIn: true },
      { ...OPENAI_RESPONSES, optIn: true },
      OPENAI_COMPLETIONS,
    ],
    wires: [
      OPENAI_EMBEDDINGS,
      JINA_RERANK,
      {
        ...OPENAI_TRANSCRIPTIONS,
        members: { timestamp_granularities: null, known_speaker_names: null, include: null },
      },
    ],
    modelList: OPENAI_MODELS,
    discovery: { atStart: false },
  },
  LLAMA_CPP,
);
