import { describe, expect, test } from 'bun:test';
import { isOtherVersion, nameOf, namesFamily } from './model-name.ts';

test.each([
  ['claude-sonnet-4-5-20250929', [4, 5]],
  ['claude-3-5-haiku-20241022', [3, 5]],
  ['gpt-4o-mini-2024-07-18', [4]],
  ['grok-4.20-0309-reasoning', [4, 20]],
  ['llama-3.3-70b-instruct', [3, 3]],
  ['llama-3-70b', [3]],
  ['qwen3-32b', [3]],
  ['o4-mini', [4]],
  ['imagen-4.0-generate-001', [4, 0]],
  ['gpt-oss-120b', []],
  ['open-mixtral-8x7b', []],
  ['mistral-large-2411', []],
])('the version of %s', (id, numbers) => {
  expect(nameOf(id).version.numbers).toEqual(numbers);
});

test('versions are compared as decimals: 4.20 is older than 4.7', () => {
  expect(nameOf('grok-4.20').version.value).toBeLessThan(nameOf('grok-4.7').version.value);
});

test('a name is split into words and numbers, without case, separators and vendor', () => {
  expect(nameOf('OpenAI/GPT4o_mini')).toMatchObject({ vendor: 'openai', compact: 'gpt4omini' });
  expect(nameOf('GPT4o_mini').tokens).toEqual(nameOf('gpt-4o-mini').tokens);
  expect(nameOf('DALL·E 3').compact).toBe('dalle3');
  expect(nameOf('///').tokens).toEqual([]);
});

test('a more precise version is not another version', () => {
  const isOther = (one: string, other: string) => isOtherVersion(nameOf(one).version, nameOf(other).version);
  expect([isOther('a-4', 'a-4.5'), isOther('a-4.5', 'a-4'), isOther('a', 'a-4')]).toEqual([false, false, false]);
  expect([isOther('a-4', 'a-5'), isOther('a-4.1', 'a-4.5')]).toEqual([true, true]);
});

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
