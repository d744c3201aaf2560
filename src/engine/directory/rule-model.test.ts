import { describe, expect, test } from 'bun:test';
import { providers } from '../../providers/index.ts';
import { ModelFacts } from './model-facts.ts';
import { chooseRuleModel } from './rule-model.ts';

const facts = new ModelFacts(providers, []);
const ARN = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6';

function ruleModel(provider: string, publicId: string, upstreamModel: string): string {
  const manifest = providers.get(provider);
  if (manifest === undefined) throw new Error(`no ${provider}`);
  return chooseRuleModel(facts, manifest, publicId, upstreamModel);
}

describe('the model id for rules', () => {
  test.each([
    ['bedrock', 'my-claude', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['bedrock', 'claude-sonnet-4-5', 'us.anthropic.claude-opus-4-6-v1'],
    ['bedrock', 'my-model', ARN],
    ['vllm', 'claude-sonnet-4-5', 'Qwen/Qwen3-32B'],
    ['openai', 'fast', 'gpt-4o-mini'],
    ['azure-openai', 'prod', 'gpt-4o-eu'],
  ])('%s: %s, %s: is the upstream id if it is telling, or nothing is', (provider, publicId, upstreamModel) => {
    expect(ruleModel(provider, publicId, upstreamModel)).toBe(upstreamModel);
  });

  test.each([
    ['bedrock', 'claude-opus-4-8', ARN, /anthropic\.claude-opus-4-8/],
    ['bedrock', 'anthropic/claude-opus-4.8', ARN, /anthropic\.claude-opus-4-8/],
    ['bedrock', 'global.amazon.nova-2-lite-v1:0', ARN, /^global\.amazon\.nova-2-lite-v1:0$/],
    ['bedrock', 'team-claude-sonnet-4-5', ARN, /^team-claude-sonnet-4-5$/],
    ['azure-openai', 'gpt-5.1', 'production', /^gpt-5\.1$/],
    ['azure-openai', 'gpt-5.1', 'gpt-4', /^gpt-5\.1$/],
    ['vllm', 'qwen3-32b', 'alias', /^qwen3-32b$/],
    ['vertex', 'gemini-2.5-flash', 'endpoints/1234567890', /^gemini-2\.5-flash$/],
    ['openai-compatible', 'deepseek-chat', 'main', /^deepseek-chat$/],
  ])('%s: %s, %s: comes from the map of the channel', (provider, publicId, upstreamModel, expected) => {
    expect(ruleModel(provider, publicId, upstreamModel)).toMatch(expected);
  });

  test('is not mistaken for a successor', () => {
    expect(ruleModel('bedrock', 'claude-opus-4', ARN)).not.toMatch(/opus-4-\d/);
  });
});
