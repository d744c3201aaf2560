import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { suggestModels } from './suggest.ts';

const IDS = [
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-5',
  'gpt-5-nano',
  'o3',
  'o4-mini',
  'text-embedding-3-small',
  'text-embedding-3-large',
  'claude-3-5-sonnet-20241022',
  'claude-3-5-haiku-20241022',
  'claude-sonnet-4-5',
  'claude-opus-4-1',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'deepseek-chat',
  'deepseek-reasoner',
  'mistral-large-latest',
  'codestral-latest',
  'meta-llama/llama-3.3-70b-instruct',
  'qwen/qwen3-32b',
  'grok-4',
  'kimi-k2',
  'command-r-plus',
  'dall-e-3',
  'whisper-1',
];

describe('a typed name', () => {
  const slips: [string, string][] = [
    ['gpt4o', 'gpt-4o'],
    ['GPT-4o', 'gpt-4o'],
    ['gpt 4o mini', 'gpt-4o-mini'],
    ['gpt-4o-mni', 'gpt-4o-mini'],
    ['gtp-4o', 'gpt-4o'],
    ['gpt-4.1mini', 'gpt-4.1-mini'],
    ['openai/gpt-4o', 'gpt-4o'],
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['gpt-4o-mini-latest', 'gpt-4o-mini'],
    ['claude-3.5-sonet', 'claude-3-5-sonnet-20241022'],
    ['claude-3-5-sonnet', 'claude-3-5-sonnet-20241022'],
    ['claude-3-5-sonnet-20240620', 'claude-3-5-sonnet-20241022'],
    ['claude-sonnet-3.5', 'claude-3-5-sonnet-20241022'],
    ['cluade-opus-4.1', 'claude-opus-4-1'],
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['gemni-2.5-flash', 'gemini-2.5-flash'],
    ['gemini-pro-2.5', 'gemini-2.5-pro'],
    ['deepseak-chat', 'deepseek-chat'],
    ['deep-seek-reasoner', 'deepseek-reasoner'],
    ['mistral-large', 'mistral-large-latest'],
    ['mistral-large-2411', 'mistral-large-latest'],
    ['lama-3.3-70b', 'meta-llama/llama-3.3-70b-instruct'],
    ['llama-3.3-70b-instruct', 'meta-llama/llama-3.3-70b-instruct'],
    ['qwen-3-32b', 'qwen/qwen3-32b'],
    ['groq-4', 'grok-4'],
    ['command-r+plus', 'command-r-plus'],
    ['comand-r-plus', 'command-r-plus'],
    ['dalle3', 'dall-e-3'],
    ['wisper-1', 'whisper-1'],
    ['text-embeding-3-smal', 'text-embedding-3-small'],
  ];
  for (const [wanted, meant] of slips) {
    test(`${wanted} suggests ${meant}`, () => expect(suggestModels(wanted, IDS)[0]).toBe(meant));
  }

  test('an unknown member of a family suggests its other members', () => {
    expect(suggestModels('gpt-4-turbo', IDS)).toContain('gpt-4o');
    expect(suggestModels('claude-3-5-opus', IDS)).toContain('claude-3-5-haiku-20241022');
  });
});

describe('nothing is suggested without a near match', () => {
  for (const wanted of [
    '',
    ' ',
    'x',
    '///',
    'hello',
    'test',
    'my-model',
    'gpt-9',
    'o1',
    'banana-42',
    'no-such-model',
    '模型',
  ]) {
    test(JSON.stringify(wanted), () => expect(suggestModels(wanted, IDS)).toEqual([]));
  }
  test('in an empty list', () => expect(suggestModels('gpt-4o', [])).toEqual([]));
});

test('suggestions come best first, at most the requested number, never the name itself', () => {
  expect(suggestModels('gpt-4o', IDS)).not.toContain('gpt-4o');
  expect(suggestModels('gemini-2.5', IDS)).toEqual(['gemini-2.5-pro', 'gemini-2.5-flash']);
  expect(suggestModels('gemini-2.5', IDS, 1)).toEqual(['gemini-2.5-pro']);
  expect(suggestModels('gemini-2.5', IDS, 0)).toEqual([]);
});

test('the named vendor wins among equals', () => {
  const ids = ['a/llama-3-8b', 'meta/llama-3-8b'];
  expect(suggestModels('meta/llama3-8b', ids)[0]).toBe('meta/llama-3-8b');
});

test('a single typo in a long id always finds it', () => {
  const slip = fc.record({
    id: fc.constantFrom(...IDS.filter((id) => id.length >= 10)),
    at: fc.nat(),
    kind: fc.constantFrom('drop', 'double', 'swap'),
  });
  fc.assert(
    fc.property(slip, ({ id, at, kind }) => {
      const slash = id.lastIndexOf('/') + 1;
      const place = slash + (at % (id.length - slash - 1));
      const [before, here, next, after] = [id.slice(0, place), id[place]!, id[place + 1]!, id.slice(place + 2)];
      const typed = {
        drop: before + next + after,
        double: before + here + here + next + after,
        swap: before + next + here + after,
      };
      const wanted = typed[kind as keyof typeof typed];
      expect(wanted === id || suggestModels(wanted, IDS, 5).includes(id)).toBe(true);
    }),
  );
});

test('an overlong name is compared by its beginning', () => {
  const long = Array.from({ length: 2_000 }, (_, index) => `${'a-very-long-name-'.repeat(30)}${index}`);
  expect(suggestModels('a-very-long-nmae-'.repeat(100_000), long)).toHaveLength(3);
});
