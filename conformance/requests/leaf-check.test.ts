import { describe, expect, test } from 'bun:test';
import type { ClientFormat } from '../readers/index.ts';
import { checkLeaves, type ReportedLoss } from './leaf-check.ts';
import type { TargetFormat } from './targets.ts';
import { UpstreamContent } from './upstream-content.ts';

type Body = Readonly<Record<string, unknown>>;

const noMedia = { base64Of: () => undefined };

/** Returns the paths that are lost between a client's body and an upstream's. */
function vanished(
  [format, body]: readonly [ClientFormat, Body],
  [target, upstream]: readonly [TargetFormat, Body],
  fields: readonly string[] = [],
): readonly string[] {
  const losses = fields.map((field): ReportedLoss => ({ field, verdict: 'dropped', why: 'none' }));
  const content = new UpstreamContent(target, { url: '/', body: new TextEncoder().encode(JSON.stringify(upstream)) });
  const text = JSON.stringify(body);
  const request = { name: 'test', format, text, body, stream: false, kind: 'plain', headers: {} } as const;
  return checkLeaves(request, content, losses, noMedia).vanished.map(({ path }) => path);
}

const say = (...texts: readonly string[]) => texts.map((content) => ({ role: 'user', content }));

describe('the check of leaves', () => {
  test('finds a lost text, number and flag', () => {
    const body = { messages: say('Hello there, model'), top_k: 7, x_flag: true };
    const upstream = { messages: [{ role: 'user', content: 'Something else' }] };
    expect(vanished(['openai-chat', body], ['anthropic-messages', upstream])).toEqual([
      'messages[0].content',
      'top_k',
      'x_flag',
    ]);
  });

  test('counts a reported loss for its own path and below only', () => {
    const body = { messages: say('one', 'two'), x_a: { b: 1 }, x_ab: 1 };
    const upstream = { messages: [{ role: 'user', content: 'one' }] };
    const fields = ['messages[1]', 'x_a'];
    expect(vanished(['openai-chat', body], ['anthropic-messages', upstream], fields)).toEqual(['x_ab']);
  });

  test('finds a number only under its own name or a synonym', () => {
    const body = { max_tokens: 7, seed: 8, messages: [] };
    const upstream = { contents: [], generationConfig: { maxOutputTokens: 7, topK: 8 } };
    expect(vanished(['openai-chat', body], ['gemini', upstream])).toEqual(['seed']);
  });

  test('does not find a short text in the middle of a word', () => {
    const upstream = { contents: [{ role: 'user', parts: [{ text: 'nothing' }] }] };
    expect(vanished(['openai-chat', { messages: say('not') }], ['gemini', upstream])).toEqual(['messages[0].content']);
  });

  test('expects a repeated text to arrive twice', () => {
    const once = { contents: [{ role: 'user', parts: [{ text: 'Again, please.' }] }] };
    const body = { messages: say('Again, please.', 'Again, please.') };
    expect(vanished(['openai-chat', body], ['gemini', once])).toEqual(['messages[1].content']);
  });

  test('does not take a text for the name of a tool', () => {
    const body = { messages: say('Call the clock.'), tools: [{ type: 'function', function: { name: 'clock' } }] };
    const upstream = { contents: [{ role: 'user', parts: [{ text: 'Call the clock.' }] }] };
    expect(vanished(['openai-chat', body], ['gemini', upstream])).toEqual(['tools[0].function.name']);
  });

  test('notices exchanged roles', () => {
    const body = { messages: [...say('a question'), { role: 'assistant', content: 'an answer' }] };
    const upstream = { messages: say('a question', 'an answer') };
    expect(vanished(['openai-chat', body], ['anthropic-messages', upstream])).toEqual([
      'messages[0].role',
      'messages[1].role',
    ]);
  });

  test('compares arguments as text and as an object', () => {
    const call = (json: string) => ({
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: json } }],
        },
      ],
    });
    const upstream = {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input: { days: 3 } }] },
      ],
    };
    const target = ['anthropic-messages', upstream] as const;
    expect(vanished(['openai-chat', call('{ "days": 3 }')], target)).toEqual([]);
    expect(vanished(['openai-chat', call('{"days":4}')], target)).toEqual([
      'messages[0].tool_calls[0].function.arguments',
    ]);
    expect(vanished(['anthropic-messages', upstream], ['openai-chat', call('{"days":3}')])).toEqual([]);
  });

  test('finds the bytes of a data URI in either alphabet, and no others', () => {
    const client = (data: string) => ({ contents: [{ role: 'user', parts: [{ inlineData: { data } }] }] });
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO+w0K/goA' } };
    const target = ['openai-chat', { messages: [{ role: 'user', content: [image] }] }] as const;
    expect(vanished(['gemini', client('iVBO-w0K_goA')], target)).toEqual([]);
    expect(vanished(['gemini', client('iVBO-w0K_goB')], target)).toHaveLength(1);
  });

  test('checks schemas, too', () => {
    const tool = (schema: Body) => ({ tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] });
    const upstream = (schema: Body) => ({ tools: [{ functionDeclarations: [{ name: 'f', parameters: schema }] }] });
    const schema = { type: 'object', properties: { n: { type: 'integer', maximum: 9 } }, additionalProperties: false };
    const said = vanished(['openai-chat', tool({ ...schema, required: ['n'] })], ['gemini', upstream(schema)]);
    expect(said).toEqual(['tools[0].function.parameters.required[0]']);
    const shorter = { type: 'OBJECT', properties: { n: { type: 'INTEGER' } } };
    expect(vanished(['openai-chat', tool(schema)], ['gemini', upstream(shorter)])).toEqual([
      'tools[0].function.parameters.properties.n.maximum',
      'tools[0].function.parameters.additionalProperties',
    ]);
  });

  test('accepts another media type only if the bytes contradict the old one and match the new one', () => {
    const image = (media_type: string, data: string) => ({ type: 'base64', media_type, data });
    const client = (source: Body) => ({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
    const upstream = (mimeType: string, data: string) =>
      ['gemini', { contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data } }] }] }] as const;
    const lost = (label: string, bytes: string, sent: string) =>
      vanished(['anthropic-messages', client(image(label, bytes))], upstream(sent, bytes));
    const jpeg = btoa('\xff\xd8\xff and so on');
    expect(lost('image/png', jpeg, 'image/jpeg')).toEqual([]);
    expect(lost('image/png', jpeg, 'image/gif')).toEqual(['messages[0].content[0].source.media_type']);
    expect(lost('image/jpeg', jpeg, 'image/png')).toEqual(['messages[0].content[0].source.media_type']);
    expect(lost('image/png', btoa('who knows'), 'image/jpeg')).toEqual(['messages[0].content[0].source.media_type']);
  });

  test('accepts a reference for Gemini as the only branch of an anyOf, not as one of several', () => {
    const client = { tools: [{ name: 'f', input_schema: { properties: { a: { $ref: '#/$defs/A', title: 'T' } } } }] };
    const upstream = (...choices: readonly Body[]) => {
      const parametersJsonSchema = { properties: { a: { title: 'T', anyOf: choices } } };
      return ['gemini', { tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema }] }] }] as const;
    };
    const place = 'tools[0].input_schema.properties.a.$ref';
    expect(vanished(['anthropic-messages', client], upstream({ $ref: '#/$defs/A' }))).toEqual([]);
    expect(vanished(['anthropic-messages', client], upstream({ $ref: '#/$defs/A' }, { type: 'null' }))).toEqual([
      place,
    ]);
    expect(vanished(['anthropic-messages', client], upstream({ $ref: '#/$defs/B' }))).toEqual([place]);
  });

  test('knows which words of different formats are equivalent', () => {
    const choice = (tool_choice: string) => ({ messages: [], tool_choice });
    const upstream = { messages: [], tools: [{ name: 'f' }], tool_choice: { type: 'any' } };
    expect(vanished(['openai-chat', choice('required')], ['anthropic-messages', upstream])).toEqual([]);
    expect(vanished(['openai-chat', choice('none')], ['anthropic-messages', upstream])).toEqual(['tool_choice']);
    expect(vanished(['openai-chat', choice('auto')], ['anthropic-messages', upstream])).toEqual(['tool_choice']);
  });
});
