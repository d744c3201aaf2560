import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { clientFormats } from '../../../formats/index.ts';
import type { ResponseStore } from '../../ports/response-store.ts';
import { TextFacts } from './text-facts.ts';

const CALL = { purpose: 'generate', model: null, stream: null, framing: 'sse' } as const;

function factsOf(name: string, body: object, headers: Readonly<Record<string, string>> = {}): TextFacts {
  const format = clientFormats.get(name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  const call = name === 'gemini' ? { ...CALL, model: 'm', stream: false } : CALL;
  const parsed = format.parseRequest(new TextEncoder().encode(JSON.stringify(body)), call);
  if (parsed instanceof Failure) throw new Error(parsed.message);
  const stored = { accountId: 'acme', store: {} as ResponseStore, connection: undefined };
  return new TextFacts(format, { header: (header) => headers[header] ?? null }, parsed, stored);
}

const chat = (content: unknown, more: object = {}) =>
  factsOf('openai-chat', { model: 'm', messages: [{ role: 'user', content }], ...more });
const messages = (content: unknown, more: object = {}) =>
  factsOf('anthropic-messages', { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }], ...more });
const gemini = (parts: unknown, more: object = {}) =>
  factsOf('gemini', { contents: [{ role: 'user', parts }], ...more });
const responses = (content: unknown, more: object = {}) =>
  factsOf('openai-responses', { model: 'm', input: [{ role: 'user', content }], ...more });

const PNG = 'iVBORw0KGgo=';
const parameters = { type: 'object', properties: {} };

describe('media in a prompt', () => {
  test.each<[string, TextFacts, readonly [number, number, number]]>([
    ['chat image', chat([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }]), [1, 0, 0]],
    ['chat audio', chat([{ type: 'input_audio', input_audio: { data: PNG, format: 'wav' } }]), [0, 1, 0]],
    [
      'chat file',
      chat([{ type: 'file', file: { file_data: `data:application/pdf;base64,${PNG}`, filename: 'a.pdf' } }]),
      [0, 0, 1],
    ],
    [
      'responses image',
      responses([{ type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' }]),
      [1, 0, 0],
    ],
    [
      'messages image',
      messages([{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }]),
      [1, 0, 0],
    ],
    [
      'messages document',
      messages([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PNG } }]),
      [0, 0, 1],
    ],
    ['gemini image', gemini([{ inlineData: { mimeType: 'image/png', data: PNG } }]), [1, 0, 0]],
    [
      'gemini files',
      gemini([
        { fileData: { mimeType: 'video/mp4', fileUri: 'https://example.com/a.mp4' } },
        { inline_data: { mime_type: 'audio/wav', data: PNG } },
      ]),
      [0, 1, 1],
    ],
    ['text', chat('text'), [0, 0, 0]],
  ])('%s', (_name, facts, counts) => {
    expect([facts.images(), facts.audio(), facts.files()]).toEqual([...counts]);
  });
});

test('tools are counted in all formats', () => {
  const declared = ['a', 'b'].map((name) => ({ name, parameters }));
  expect(chat('x', { tools: declared.map((one) => ({ type: 'function', function: one })) }).tools()).toBe(2);
  expect(messages('x', { tools: [{ name: 'a', input_schema: parameters }] }).tools()).toBe(1);
  expect(gemini([{ text: 'x' }], { tools: [{ functionDeclarations: declared }, { googleSearch: {} }] }).tools()).toBe(
    3,
  );
  expect(chat('x').tools()).toBe(0);
});

test('the effort is read in all formats', () => {
  expect(chat('x', { reasoning_effort: 'high' }).reasoningEffort()).toBe('high');
  expect(chat('x').reasoningEffort()).toBe('unset');
  expect(responses('x', { reasoning: { effort: 'minimal' } }).reasoningEffort()).toBe('minimal');
  expect(messages('x', { thinking: { type: 'disabled' } }).reasoningEffort()).toBe('none');
  expect(
    messages('x', { thinking: { type: 'enabled', budget_tokens: 20_000 }, max_tokens: 30_000 }).reasoningEffort(),
  ).toBe('high');
  expect(messages('x', { output_config: { effort: 'max' } }).reasoningEffort()).toBe('max');
  expect(
    gemini([{ text: 'x' }], { generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } }).reasoningEffort(),
  ).toBe('low');
  expect(
    gemini([{ text: 'x' }], { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }).reasoningEffort(),
  ).toBe('none');
});

test('tokens are estimated from the text, not from payloads', () => {
  const tokens = chat('word '.repeat(4_000)).inputTokens();
  expect(tokens).toBeGreaterThan(4_900);
  expect(tokens).toBeLessThan(5_200);
  const payload = 'A'.repeat(1_000_000);
  expect(
    chat([{ type: 'image_url', image_url: { url: `data:image/png;base64,${payload}` } }]).inputTokens(),
  ).toBeLessThan(2_000);
});

describe('the session', () => {
  test('is the id of the client, before the beginning of the conversation', () => {
    const first = chat('one', { session_id: 's' }).session();
    expect(chat('two', { session_id: 's' }).session()).toBe(first);
    expect(chat('one').session()).not.toBe(first);
  });

  test('is the same for all turns of a conversation without an id', () => {
    const turns = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'One' },
    ];
    const later = [...turns, { role: 'assistant', content: 'A' }, { role: 'user', content: 'Two' }];
    const sessionOf = (all: unknown) => factsOf('openai-chat', { model: 'm', messages: all }).session();
    expect(sessionOf(later)).toBe(sessionOf(turns));
    expect(sessionOf([turns[0], { role: 'user', content: 'Other' }])).not.toBe(sessionOf(turns));
  });
});

test('a deep and long body is walked once, within a bound of depth', () => {
  let nested: unknown = 'deep';
  for (let depth = 0; depth < 5_000; depth++) nested = { content: [nested] };
  const facts = chat('x');
  const body = { messages: [{ role: 'user', content: nested }] };
  Object.assign(facts, { request: { body, bytes: new Uint8Array(100), stream: false } });
  expect(facts.inputTokens()).toBeGreaterThan(0);
  expect(facts.files()).toBe(0);
});
