import { asArray, asObject } from '../shared/json.ts';
import type { ReceivedRequest, Rule, StrictUpstream } from './rule.ts';
import { openaiEnvelope } from './shared/openai-envelope.ts';

const REASONING = { label: 'Models that reason', models: /^(?:o[1-9]|gpt-(?:[5-9]|\d\d)(?!-chat|\.\d+-chat))/ };

const bodyOf = ({ body }: ReceivedRequest) => asObject(body);

const maxTokens: Rule = {
  id: 'max-tokens',
  statement: 'Models that reason refuse `max_tokens` and take `max_completion_tokens`.',
  family: REASONING,
  source: { url: 'recordings/openai/chat/190-reasoning-model-legacy-parameter-error.json', checked: '2026-11-28' },
  refuses: (request) =>
    bodyOf(request).max_tokens === undefined
      ? null
      : "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  examples: {
    refused: [{ body: { max_tokens: 64 } }],
    accepted: [{ body: { max_completion_tokens: 64 } }, { model: 'gpt-4o', body: { max_tokens: 64 } }],
  },
};

const toolMessages: Rule = {
  id: 'tool-messages',
  statement: 'A tool message must follow an assistant message that has `tool_calls`.',
  source: {
    url: 'https://community.openai.com/t/error-the-messages-with-role-tool-must-be-a-response-to-a-preceeding-message-with-tool-calls/701265',
    checked: '2026-11-28',
  },
  refuses(request) {
    const messages = asArray(bodyOf(request).messages).map(asObject);
    const orphan = messages.findIndex(({ role }, index) => {
      if (role !== 'tool') return false;
      const before = messages.slice(0, index).findLast((message) => message.role !== 'tool');
      return asArray(before?.tool_calls).length === 0;
    });
    if (orphan === -1) return null;
    return `Invalid parameter: messages[${orphan}] with role 'tool' must be a response to a preceding message with 'tool_calls'.`;
  },
  examples: {
    refused: [{ body: { messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'x' }] } }],
  },
};

export const openaiChat: StrictUpstream = {
  name: 'openai-chat',
  label: 'OpenAI, chat completions',
  provider: 'openai',
  wire: 'openai-chat',
  models: ['gpt-4o', 'gpt-4.1', 'gpt-5', 'gpt-5.5', 'o4-mini'],
  rules: [maxTokens, toolMessages],
  envelope: openaiEnvelope,
};
