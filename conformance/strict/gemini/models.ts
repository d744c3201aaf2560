import { describe, expect, test } from 'bun:test';
import type { StrictBed } from '../bed.ts';
import { gemini, vertexGemini } from './index.ts';

export const UPSTREAMS = [gemini, vertexGemini];

const hi = { role: 'user', content: 'Hello' };
const tool = (parameters?: object, name = 'look_up') => ({
  ...{ type: 'function', function: { name, description: 'd', ...(parameters && { parameters }) } },
});
const OBJECT = { type: 'object', properties: { a: { type: 'string' } } };
const chatCall = (id: string, args = '{}') => ({
  ...{ id, type: 'function', function: { name: 'look_up', arguments: args } },
});
const calls = (...ids: readonly string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => chatCall(id)),
});
const result = (id: string, content = 'found') => ({ role: 'tool', tool_call_id: id, content });
const withTool = (...messages: readonly object[]) => ({ messages, tools: [tool(OBJECT)] });
const SCHEMA_ANSWER = { type: 'json_schema', json_schema: { name: 'answer', schema: OBJECT } };
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const REFERENCES = {
  type: 'object',
  properties: {
    described: { $ref: '#/$defs/Item', description: 'With a description beside the reference.' },
    old: { $ref: '#/definitions/Item', default: null },
    pointer: { type: 'array', items: { $ref: '#/properties/plain' } },
    plain: { type: 'string' },
    whole: { anyOf: [{ $ref: '#/$defs/Item' }, { type: 'null' }] },
  },
  $defs: { Item: { type: 'object', properties: { next: { $ref: '#/$defs/Item' } } } },
  definitions: { Item: { type: 'object', properties: { b: { type: 'integer' } } } },
};

const CHAT: Readonly<Record<string, object>> = {
  'a system prompt': { messages: [{ role: 'system', content: 'Be brief.' }, hi] },
  'only a system prompt': { messages: [{ role: 'system', content: 'Be brief.' }] },
  'a developer message': { messages: [{ role: 'developer', content: 'Be brief.' }, hi] },
  'an empty user message': { messages: [{ role: 'user', content: '' }] },
  'empty texts': {
    messages: [
      { role: 'system', content: '' },
      hi,
      { role: 'assistant', content: '' },
      { role: 'user', content: '' },
      hi,
    ],
  },
  penalties: { messages: [hi], frequency_penalty: 0, presence_penalty: 0.5 },
  logprobs: { messages: [hi], logprobs: true, top_logprobs: 2 },
  'a large output limit': { messages: [hi], max_tokens: 128_000 },
  'a long seed': { messages: [hi], seed: 2 ** 40 },
  'a schema with references': { messages: [hi], tools: [tool(REFERENCES)] },
  'a response schema with references': {
    ...{ messages: [hi] },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: REFERENCES } },
  },
  'parameters without a type': {
    messages: [hi],
    tools: [tool({}), tool({ anyOf: [OBJECT] }, 'either'), tool(undefined, 'none')],
  },
  'parameters of two types': { messages: [hi], tools: [tool({ ...OBJECT, type: ['object', 'null'] })] },
  'tools and a response schema': { ...withTool(hi), response_format: SCHEMA_ANSWER },
  'tools and JSON': { ...withTool(hi), response_format: { type: 'json_object' } },
  'a named tool choice': { ...withTool(hi), tool_choice: { type: 'function', function: { name: 'look_up' } } },
  'tool choice none without tools': { messages: [hi], tool_choice: 'none' },
  'the name of a tool that Gemini does not take': {
    messages: [hi],
    tools: [tool(OBJECT, '1-up'), tool(OBJECT, `${'x'.repeat(64)}`)],
  },
  'an alias of a media type': {
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/jpg;base64,${PNG}` } }] }],
  },
  'calls and their results': withTool(hi, calls('a', 'b'), result('a'), result('b'), hi),
  'results in another order': withTool(hi, calls('a', 'b'), result('b'), result('a')),
  'a history that begins with a call': withTool(calls('a'), result('a')),
  'a call without a result': withTool(hi, calls('a'), hi),
  'a missing result': withTool(hi, calls('a', 'b'), result('a'), hi),
  'a message before the result': withTool(hi, calls('a'), hi, result('a')),
  'a result without a call': withTool(hi, result('a'), hi),
  'a duplicate result': withTool(hi, calls('a'), result('a'), result('a'), hi),
  'a system message between a call and its result': withTool(
    hi,
    calls('a'),
    { role: 'system', content: 'Now.' },
    result('a'),
  ),
  'text, then calls': withTool(hi, { role: 'assistant', content: 'Wait.' }, calls('a'), result('a')),
  'a schema as a result': withTool(hi, calls('a'), result('a', JSON.stringify(REFERENCES))),
  ...Object.fromEntries(
    ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'].map((effort) => [
      `the effort ${effort}`,
      { messages: [hi], reasoning_effort: effort },
    ]),
  ),
};

const functionCall = (call_id: string) => ({ type: 'function_call', call_id, name: 'look_up', arguments: '{}' });
const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'found' });
const FUNCTION = { type: 'function', name: 'look_up', parameters: OBJECT };

const RESPONSES: Readonly<Record<string, object>> = {
  'a search beside functions': { input: [hi], tools: [FUNCTION, { type: 'web_search' }] },
  'a search and a response schema': {
    ...{ input: [hi], tools: [{ type: 'web_search' }] },
    text: { format: { type: 'json_schema', name: 'answer', schema: OBJECT } },
  },
  'a message between a call and its output': {
    ...{ input: [hi, functionCall('a'), { role: 'user', content: 'Hurry.' }, output('a')], tools: [FUNCTION] },
  },
  'sequential calls': {
    ...{ input: [hi, functionCall('a'), output('a'), functionCall('b'), output('b'), hi], tools: [FUNCTION] },
  },
};

const MESSAGES: Readonly<Record<string, object>> = {
  'a search beside tools': {
    ...{ messages: [hi], max_tokens: 64 },
    tools: [
      { name: 'look_up', input_schema: OBJECT },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
  },
  'results followed by text': {
    max_tokens: 64,
    tools: [{ name: 'look_up', input_schema: OBJECT }],
    messages: [
      hi,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look_up', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'found' },
          { type: 'text', text: 'And?' },
        ],
      },
    ],
  },
  ...Object.fromEntries(
    [1_024, 2_000, 32_000, 100_000].map((budget_tokens) => [
      `a budget of ${budget_tokens}`,
      { messages: [hi], max_tokens: budget_tokens + 64, thinking: { type: 'enabled', budget_tokens } },
    ]),
  ),
};

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
/** Requests in Gemini's own format are relayed, without the members that only other models accept. */
const GEMINI: Readonly<Record<string, object>> = {
  penalties: { contents, generationConfig: { frequencyPenalty: 0.5, presencePenalty: 0 } },
  'penalties in the other spelling': { contents, generation_config: { frequency_penalty: 0.5 } },
  'log probabilities': { contents, generationConfig: { responseLogprobs: true, logprobs: 2 } },
  'a call with an id': {
    contents: [
      ...contents,
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: { output: 'x' } } }] },
    ],
  },
};

/**
 * Describes what models of Gemini accept from every client format.
 *
 * @param targets the models, each as `upstream/id`
 */
export function describeGeminiModels({ refusalsOf }: StrictBed, targets: readonly string[]): void {
  describe.each(targets)('%s', (model) => {
    test('accepts requests of chat clients', async () => {
      for (const [name, body] of Object.entries(CHAT)) {
        expect([name, await refusalsOf('chat', model, body)]).toEqual([name, []]);
      }
    });

    test('accepts requests of Gemini clients', async () => {
      for (const [name, body] of Object.entries(GEMINI)) {
        expect([name, await refusalsOf('gemini', model, body)]).toEqual([name, []]);
      }
    });

    test('accepts requests of Responses and Messages clients', async () => {
      for (const [name, body] of Object.entries(RESPONSES)) {
        expect([name, await refusalsOf('responses', model, body)]).toEqual([name, []]);
      }
      for (const [name, body] of Object.entries(MESSAGES)) {
        expect([name, await refusalsOf('messages', model, body)]).toEqual([name, []]);
      }
    });
  });
}
