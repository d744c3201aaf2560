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
  ['bedrock', 'in.moonshotai.kimi-k3', 'moonshot'],
  ['bedrock', 'apac.amazon.nova-lite-v1:0', 'amazon'],
  ['perplexity', 'preset/sonar-search', 'perplexity'],
  ['openrouter', 'fireworks/llama-v3p1-8b', 'meta'],
  ['vercel', 'vertex/claude-opus-4-6', 'anthropic'],
  ['vertex', 'chirp', 'google'],
  ['fireworks', 'accounts/fireworks/models/llama-v3p1-nemotron-70b-instruct', 'nvidia'],
  ['groq', 'deepseek-r1-distill-llama-70b', 'deepseek'],
  ['cerebras', 'zai-glm-4.7', 'zai'],
  ['sambanova', 'Meta-Llama-3.3-70B-Instruct', 'meta'],
  ['fireworks', 'accounts/fireworks/models/code-qwen-1p5-7b', 'alibaba'],
  ['fireworks', 'accounts/fireworks/models/mixtral-8x22b-instruct', 'mistral'],
  ['fireworks', 'accounts/fireworks/models/phi-3-mini-128k-instruct', 'microsoft'],
  ['azure-openai', 'command-r-plus', 'cohere'],
  ['vertex', 'minimax-m2-maas', 'minimax'],
])('at %s the id %s gives the maker %s', (provider, id, maker) => {
  expect(makerOf(provider, id)).toBe(maker);
});

test('an id without a maker or family gives no maker', () => {
  expect(makerOf('sambanova', 'something-new')).toBeUndefined();
  expect(makerOf('perplexity', 'preset/fast-search')).toBeUndefined();
  expect(makerOf('fireworks', 'fireworks/swan-1')).toBeUndefined();
});
