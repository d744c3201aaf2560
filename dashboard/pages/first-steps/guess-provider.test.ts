import { expect, test } from 'bun:test';
import { guessProvider, smallModel } from './guess-provider.ts';

const provider = (id: string, pattern: string | null) => ({
  id,
  api_key: { required: true, pattern, environment_variables: [] },
});
const PROVIDERS = [
  provider('anthropic', '^sk-ant-[\\w-]{20,}$'),
  provider('vertex', '^\\s*\\{[\\s\\S]*"type"\\s*:\\s*"service_account"'),
  provider('deepseek', null),
];

test("a key's shape identifies its provider", () => {
  expect(guessProvider(PROVIDERS, ` sk-ant-${'a'.repeat(30)}\n`)).toBe('anthropic');
  expect(guessProvider(PROVIDERS, '{ "type": "service_account", "project_id": "x" }')).toBe('vertex');
  for (const key of ['', 'sk-0123456789abcdef', 'sk-ant-short']) expect(guessProvider(PROVIDERS, key)).toBeNull();
  const both = [...PROVIDERS, provider('other', '^sk-ant-')];
  expect(guessProvider(both, `sk-ant-${'a'.repeat(30)}`)).toBeNull();
});

test('the first request uses a small model if a name suggests one', () => {
  expect(smallModel(['gpt-5', 'gpt-5-mini', 'gpt-5-nano'])).toBe('gpt-5-nano');
  expect(smallModel(['gpt-4o-mini-audio-preview', 'claude-haiku-4-5'])).toBe('claude-haiku-4-5');
  expect(smallModel(['house-model'])).toBe('house-model');
  expect(smallModel([])).toBeUndefined();
});
