import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { OLLAMA } from '../shared/servers/ollama.ts';
import { servedBy } from '../shared/servers/served-by.ts';

/**
 * Responses were added in 0.13.3 (December 2025), Messages in 0.14.0 (January 2026); Ollama updates itself. A channel to an older
 * server has `formats: [openai-chat]`.
 */
export const ollama = servedBy(
  {
    name: 'ollama',
    label: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyVariables: [],
    keyRequired: false,
    formats: [OPENAI_CHAT, ANTHROPIC_MESSAGES, OPENAI_RESPONSES, OPENAI_COMPLETIONS],
    wires: [OPENAI_EMBEDDINGS],
    modelList: OPENAI_MODELS,
    discovery: { atStart: true },
  },
  OLLAMA,
);
