import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { JINA_RERANK } from '../shared/jina-rerank.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OPENAI_SPEECH } from '../shared/openai-speech.ts';
import { OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS } from '../shared/openai-transcriptions.ts';
import { servedBy } from '../shared/servers/served-by.ts';
import { VLLM } from '../shared/servers/vllm.ts';

/**
 * Servers stay pinned to a version for long, and those from before the end of 2025 lack the other two formats; a channel names
 * the formats that it has.
 */
export const vllm = servedBy(
  {
    name: 'vllm',
    label: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyVariables: [],
    keyRequired: false,
    formats: [
      OPENAI_CHAT,
      { ...OPENAI_RESPONSES, optIn: true },
      { ...ANTHROPIC_MESSAGES, countTokens: '/messages/count_tokens', optIn: true },
      OPENAI_COMPLETIONS,
    ],
    wires: [OPENAI_EMBEDDINGS, JINA_RERANK, OPENAI_SPEECH, OPENAI_TRANSCRIPTIONS, OPENAI_TRANSLATIONS],
    modelList: OPENAI_MODELS,
    discovery: { atStart: false },
  },
  VLLM,
);
