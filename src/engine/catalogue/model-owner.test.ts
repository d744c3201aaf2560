import { expect, test } from 'bun:test';
import { makerOf } from './model-owner.ts';

test.each([
  ['groq', 'openai/gpt-oss-120b', 'openai'],
  ['together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', 'meta'],
  ['huggingface', 'zai-org/GLM-5.3', 'zai'],
  ['bedrock', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic'],
  ['bedrock', 'amazon.nova-2-lite-v1:0', 'amazon'],
  ['vertex', 'claude-sonnet-4-6', 'anthropic'],
  ['fireworks', 'accounts/fireworks/models/kimi-k3', 'moonshot'],
  ['azure-openai', 'o3-mini', 'openai'],
])('at %s the id %s tells that %s made it', (provider, id, maker) => {
  expect(makerOf(provider, id)).toBe(maker);
});

test('an id that names neither a maker nor a family tells nothing', () => {
  expect(makerOf('sambanova', 'something-new')).toBeUndefined();
});
