import { describe, expect, test } from 'bun:test';
import { namesFamily } from './model-family.ts';

describe('a model id', () => {
  test.each([
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0',
    'openai.gpt-oss-120b-1:0',
    'prod-GPT-4o',
    'o3-mini',
    'Qwen/Qwen3-32B',
    'qwen2.5-coder',
    'meta-llama/Llama-3.3-70B',
    'text-embed-large',
  ])('%s names its family', (id) => expect(namesFamily(id)).toBe(true));

  test.each([
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
    'arn:aws:bedrock:us-west-2:123456789012:provisioned-model/abcdefghijkl',
    'production',
    'chat-eu-2',
    'endpoints/1234567890',
    'my-alias',
    'foo3',
  ])('%s does not name its family', (id) => expect(namesFamily(id)).toBe(false));
});
