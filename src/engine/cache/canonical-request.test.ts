import { describe, expect, test } from 'bun:test';
import { seededRandom } from '../../domain/routing/testing/seeded-random.ts';
import { ASKED_BODIES, digestOf } from './testing/asked-bodies.ts';
import { changesOf, type Json, respelled } from './testing/body-changes.ts';

const RESPELLINGS = 30;

/** Members about billing, naming, storage, speed and framing, and marks for the providers' prompt caches. */
const WITHOUT_EFFECT =
  /(^|\.)cache_control(\.|$)|^(metadata|labels|prediction|stream_options)(\.|$)|^(stream|store|user|safety_identifier|service_tier|prompt_cache_key|prompt_cache_retention)$/;

/** Members that repeat others, or state the default. */
const SAID_ANYWAY: Readonly<Record<string, readonly string[]>> = {
  'openai-chat': [
    'changed messages[].tool_calls[].type',
    'removed messages[].tool_call_id',
    'removed messages[].tool_calls[].type',
    'removed tools[].type',
    'swapped stop[]',
  ],
  'openai-responses': [
    'changed input[].id',
    'changed input[].status',
    'removed input[].content[].annotations',
    'removed input[].id',
    'removed input[].status',
    'removed input[].type',
  ],
  'anthropic-messages': ['swapped stop_sequences[]'],
  gemini: [
    'added contents[].parts[].functionResponse.parts[]',
    // With a schema, every type but an enumeration's is JSON.
    'changed generationConfig.responseMimeType',
    'removed contents[].role',
    'removed generationConfig.responseMimeType',
    'swapped generationConfig.stopSequences[]',
  ],
  'openai-completions': ['swapped stop[]'],
};

describe.each(Object.entries(ASKED_BODIES))('%s', (format, body) => {
  const digest = (value: Json) => digestOf(format, JSON.stringify(value));
  const whole = digest(body);

  test('equivalent spellings have one digest', () => {
    expect(whole).not.toBeNull();
    for (let seed = 1; seed <= RESPELLINGS; seed++) {
      expect([seed, digestOf(format, respelled(body, seededRandom(seed)))]).toEqual([seed, whole]);
    }
  });

  test('every change gives another digest, except for members without effect', () => {
    const same = new Set<string>();
    let others = 0;
    for (const { path, kind, body: changed } of changesOf(body)) {
      const digested = digest(changed);
      if (digested === whole) same.add(`${kind} ${path.replaceAll(/\[\d+\]/g, '[]')}`);
      else if (digested !== null) others++;
    }
    const unexplained = [...same].filter((change) => !WITHOUT_EFFECT.test(change.replace(/^\w+ /, '')));
    expect(unexplained.sort()).toEqual([...(SAID_ANYWAY[format] ?? [])]);
    expect(others).toBeGreaterThan(20);
  });
});

/** Returns whether two bodies ask the same. */
function isSame(format: string, one: object, other: object, base: object = {}): boolean {
  const [first, second] = [one, other].map((more) => digestOf(format, JSON.stringify({ ...base, ...more })));
  expect(first).not.toBeNull();
  return first === second;
}

describe('alternative spellings of a format', () => {
  const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const gemini = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
  const schema = { type: 'STRING', enum: ['a', 'b'] };

  test.each([
    [{ max_tokens: 5 }, { max_completion_tokens: 5 }],
    [{ max_tokens: 5 }, { max_completion_tokens: 5, max_tokens: 5 }],
    [{ stop: 'a' }, { stop: ['a'] }],
    [{ functions: [{ name: 'f' }] }, { tools: [{ type: 'function', function: { name: 'f' } }] }],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }, {}],
    [
      { n: 1, parallel_tool_calls: true, tool_choice: 'none', response_format: { type: 'text' }, modalities: ['text'] },
      {},
    ],
  ])('are equal: %p and %p', (one, other) => expect(isSame('openai-chat', one, other, chat)).toBe(true));

  test.each([
    [{ max_completion_tokens: 5 }, { max_completion_tokens: 5, max_tokens: 6 }],
    [{ messages: [{ role: 'system', content: 'hi' }] }, { messages: [{ role: 'developer', content: 'hi' }] }],
    [{ stop: 'a' }, { stop: ['a', 'b'] }],
    [{ seed: 0 }, {}],
    [{ temperature: 0 }, {}],
  ])('are not equal: %p and %p', (one, other) => expect(isSame('openai-chat', one, other, chat)).toBe(false));

  test('of Gemini may use both cases', () => {
    const snake = { generation_config: { top_k: 3, response_mime_type: 'application/json' } };
    const camel = { generationConfig: { topK: 3, responseMimeType: 'application/json' } };
    expect(isSame('gemini', snake, camel, gemini)).toBe(true);
  });

  test('that give a choice as text differ from a choice as JSON', () => {
    const as = (responseMimeType: string) => ({ generationConfig: { responseMimeType, responseSchema: schema } });
    expect(isSame('gemini', as('text/x.enum'), as('application/json'), gemini)).toBe(false);
  });
});

describe('the arguments of a tool call are compared by value', () => {
  const call = (text: string) => ({
    model: 'm',
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }] },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
    ],
  });
  const isSameCall = (one: string, other: string) => isSame('openai-chat', call(one), call(other));

  test.each([
    ['{"a":1,"b":[2]}', ' {"b": [2.0],\n"a": 1}'],
    ['{"a":"é"}', '{"a":"\\u00e9"}'],
  ])('the same: %s', (one, other) => expect(isSameCall(one, other)).toBe(true));

  test.each([
    ['{"a":1e400}', '{"a":null}'],
    ['{"a":1e-400}', '{"a":0}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"a":9007199254740993}', '{"a":9007199254740992}'],
    ['{"a":123456789.12345678}', '{"a":123456789.12345679}'],
    ['{"__proto__":1}', '{}'],
    ['{"a":{"__proto__":{"b":1}}}', '{"a":{}}'],
    ['{"a":1', '{"a":1}'],
    ['{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
  ])('not the same: %s', (one, other) => expect(isSameCall(one, other)).toBe(false));

  test('at any depth and length', () => {
    const deep = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(isSameCall(deep(200_000), deep(200_001))).toBe(false);
    expect(isSameCall(deep(400), ` ${deep(400)}`)).toBe(true);
    const members = (names: readonly number[]) => `{${names.map((name) => `"k${name}":0`).join(',')}}`;
    const names = Array.from({ length: 40_000 }, (_, index) => index);
    expect(isSameCall(members(names.slice(0, 15_000)), members(names.slice(0, 15_000).reverse()))).toBe(true);
    // Too long to be sorted.
    expect(isSameCall(members(names), members(names.toReversed()))).toBe(false);
    const long = (last: number) => `[${'0,'.repeat(2_000_000)}${last}]`;
    expect(isSameCall(long(1), long(2))).toBe(false);
  });
});

test('an image in a tool result counts in addition to the value', () => {
  const result = (data: string) => ({
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              name: 'f',
              response: { ok: 1 },
              parts: [{ inlineData: { mimeType: 'image/png', data } }],
            },
          },
        ],
      },
    ],
  });
  expect(isSame('gemini', result('aGVsbG8='), result('aGVsbG9v'))).toBe(false);
});
