import { ANTHROPIC_MESSAGES } from '../shared/anthropic-messages.ts';
import { OPENAI_MODELS } from '../shared/model-lists.ts';
import { OPENAI_CHAT } from '../shared/openai-chat.ts';
import { OPENAI_COMPLETIONS } from '../shared/openai-completions.ts';
import { OPENAI_EMBEDDINGS } from '../shared/openai-embeddings.ts';
import { OPENAI_RESPONSES } from '../shared/openai-responses.ts';
import { LM_STUDIO } from '../shared/servers/lmstudio.ts';
import { servedBy } from '../shared/servers/served-by.ts';

/**
 * Responses were added in 0.3.29 (October 2025), Messages in 0.4.1 (January 2026); LM Studio updates itself. A channel to an
 * older server has `formats: [openai-chat]`.
 */
export const lmstudio = servedBy(
  {
    name: 'lmstudio',
    label: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyVariables: [],
    keyRequired: false,
    formats: [OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES, OPENAI_COMPLETIONS],
    wires: [OPENAI_EMBEDDINGS],
    modelList: OPENAI_MODELS,
    discovery: { atStart: false },
  },
  LM_STUDIO,
);
