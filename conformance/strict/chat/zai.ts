import type { StrictUpstream } from '../rule.ts';
import { checkedOn, knownRoles, oneOf, responseFormats, TOOL } from '../shared/chat-rules.ts';

const REFERENCE = checkedOn('https://docs.z.ai/api-reference/llm/chat-completion.md');
const invalid = () => 'Invalid API parameter, please check the documentation.';

export const zai: StrictUpstream = {
  name: 'zai',
  label: 'Z.ai, chat completions',
  provider: 'zai',
  wire: 'openai-chat',
  models: ['glm-5.3', 'glm-5.2', 'glm-4.7'],
  rules: [
    knownRoles({ source: REFERENCE }, ['system', 'user', 'assistant', 'tool'], invalid),
    {
      ...oneOf(
        { source: checkedOn('https://github.com/vectorize-io/hindsight/issues/4246') },
        'tool_choice',
        ['auto'],
        () => 'Tool choice must be auto',
      ),
      examples: {
        refused: [{ body: { tools: [TOOL], tool_choice: 'required' } }],
        accepted: [{ body: { tools: [TOOL], tool_choice: 'auto' } }],
      },
    },
    responseFormats({ source: REFERENCE }, ['text', 'json_object'], invalid()),
    oneOf(
      { source: REFERENCE, family: { label: 'GLM-5.2 and later', models: /^glm-5\.[2-9]/ } },
      'reasoning_effort',
      ['low', 'high', 'max'],
      invalid,
    ),
  ],
  envelope: (message) => ({ error: { code: '1210', message } }),
};
