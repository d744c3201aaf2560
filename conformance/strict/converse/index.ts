import type { StrictUpstream } from '../rule.ts';
import { conversationRules } from './conversation.ts';
import { noStrict, settingRules } from './settings.ts';

/** Bedrock's Converse, for models of several vendors. */
export const bedrockConverse: StrictUpstream = {
  name: 'bedrock-converse',
  label: 'Amazon Bedrock, Converse',
  provider: 'bedrock',
  wire: 'bedrock-converse',
  models: [
    ...[
      'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'global.anthropic.claude-opus-4-6-v1',
      'global.anthropic.claude-opus-4-8',
    ],
    ...['global.anthropic.claude-opus-5-5', 'us.amazon.nova-pro-v1:0', 'global.amazon.nova-2-lite-v1:0'],
    ...[
      'mistral.mistral-large-3-675b-instruct',
      'openai.gpt-oss-120b-1:0',
      'us.openai.gpt-5.6-sol',
      'qwen.qwen3-32b-v1:0',
    ],
    ...['meta.llama3-3-70b-instruct-v1:0'],
  ],
  rules: [noStrict, ...settingRules, ...conversationRules],
  envelope: (message) => ({ message }),
};
