import type { Rule, StrictUpstream } from '../rule.ts';
import { ANSWER, checkedOn, conversation, messagesOf, oneOf, refusedMembers, USER } from '../shared/chat-rules.ts';

const MEASURED = checkedOn('https://github.com/proxysoul/Empryo/pull/209');

const reasoningContent: Rule = {
  id: 'reasoning-content',
  statement: 'Earlier reasoning must be in `reasoning`; `reasoning_content` is refused.',
  source: checkedOn('https://github.com/QwenLM/qwen-code/issues/11045'),
  refuses(request) {
    const index = messagesOf(request).findIndex(({ reasoning_content: said }) => said !== undefined);
    return index < 0
      ? null
      : `messages.${index}.assistant.reasoning_content: property 'messages.${index}.assistant.reasoning_content' is unsupported`;
  },
  examples: {
    refused: [conversation(USER, { ...ANSWER, reasoning_content: 'Hm.' }, USER)],
    accepted: [conversation(USER, { ...ANSWER, reasoning: 'Hm.' }, USER)],
  },
};

const unsupported = (member: string) => `body.${member}: property 'body.${member}' is unsupported`;

export const cerebras: StrictUpstream = {
  name: 'cerebras',
  label: 'Cerebras, chat completions',
  provider: 'cerebras',
  wire: 'openai-chat',
  models: ['gpt-oss-120b', 'qwen-3.8-27b'],
  rules: [
    refusedMembers(
      'members-of-other-apis',
      { source: MEASURED },
      { reasoning: { effort: 'low' }, enable_thinking: true, thinking: { type: 'enabled' } },
      unsupported,
    ),
    refusedMembers(
      'unsupported-parameters',
      { source: checkedOn('https://hexdocs.pm/req_llm/cerebras.html', '2026-11-29') },
      { frequency_penalty: 0.5, presence_penalty: 0.5, logit_bias: { '5': 1 } },
      unsupported,
    ),
    reasoningContent,
    oneOf(
      {
        source: checkedOn(
          'https://docs.rs/crate/harn-vm/0.8.78/source/src/llm/capability_sources/20-providers/80-cerebras.toml',
          '2026-11-29',
        ),
        family: { label: 'gpt-oss', models: /gpt-oss/ },
      },
      'reasoning_effort',
      ['low', 'medium', 'high'],
      (value) => `reasoning_effort: ${value} is not supported`,
    ),
  ],
  envelope: (message) => ({
    message,
    type: 'invalid_request_error',
    param: 'validation_error',
    code: 'wrong_api_format',
  }),
};
