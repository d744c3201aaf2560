import { describe, expect, test } from 'bun:test';
import type { ExchangeResponse, TokenLogprob } from '../../../domain/exchange/response.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { decodeAnswer } from './answer.decode.ts';
import { encodeAnswer } from './answer.encode.ts';
import { answerContext } from './testing/support.ts';

const utf8 = new TextEncoder();
const answer = (more: Partial<ExchangeResponse>): ExchangeResponse => ({
  id: 'chatcmpl-1',
  created: null,
  candidates: [{ index: 0, parts: [{ type: 'text', text: 'Hello' }], finish: { unified: 'stop', raw: 'stop' } }],
  usage: { input: 3, cachedInput: 2, cacheWrite: 0, output: 4, reasoning: 5, source: 'reported', raw: null },
  ...more,
});
const written = (more: Partial<ExchangeResponse> = {}, body: object = {}) =>
  JSON.parse(encodeAnswer(answer(more), answerContext({ ...body })));

test('a response is a text_completion with usage, details and _routing', () => {
  expect(written()).toEqual({
    ...{ id: 'cmpl-fresh', object: 'text_completion', created: 1_700_000_000, model: 'public' },
    choices: [{ text: 'Hello', index: 0, logprobs: null, finish_reason: 'stop' }],
    usage: {
      ...{ prompt_tokens: 5, completion_tokens: 9, total_tokens: 14 },
      prompt_tokens_details: { cached_tokens: 2, audio_tokens: 0 },
      completion_tokens_details: {
        ...{ reasoning_tokens: 5, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
      },
    },
    _routing: { cached: false },
  });
});

test('reasoning and calls are not part of the text, but a refusal is', () => {
  const parts = [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'a' },
    { type: 'tool-call', id: 'c', name: 'f', arguments: '{}' },
    { type: 'refusal', text: 'b' },
  ] as const;
  const { choices } = written({ candidates: [{ index: 0, parts, finish: { unified: 'tool-calls', raw: null } }] });
  expect(choices).toEqual([{ text: 'ab', index: 0, logprobs: null, finish_reason: 'stop' }]);
});

test.each([
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['pause', 'stop'],
  ['other', 'stop'],
] as const)('%s becomes %s', (unified, reason) => {
  const { choices } = written({ candidates: [{ index: 0, parts: [], finish: { unified, raw: null } }] });
  expect(choices[0].finish_reason).toBe(reason);
});

test.each([['Say: '], [['Say: ']]])('echo puts the prompt before the text (%j)', (prompt) => {
  expect(written({}, { prompt, echo: true }).choices[0].text).toBe('Say: Hello');
  expect(written({}, { prompt, echo: false }).choices[0].text).toBe('Hello');
});

describe('log probabilities', () => {
  const token = (text: string, logprob: number, bytes: number[] | null = null) => ({ token: text, logprob, bytes });
  const logprobs: TokenLogprob[] = [
    { ...token('😀', -1), top: [token('😀', -1), token('b', -2)] },
    { ...token('\ufffd', -3, [0xe2, 0x80]), top: [token('\ufffd', -4, [0xe2, 0x81])] },
    { ...token('__proto__', -5), top: [] },
  ];
  const candidate = { index: 0, parts: [], finish: { unified: 'stop', raw: null }, logprobs } as const;

  test('are parallel lists, with offsets in characters, and partial characters by their bytes', () => {
    const { logprobs: shown } = written({ candidates: [candidate] }, { logprobs: 2 }).choices[0];
    expect(JSON.stringify(shown)).toBe(
      '{"tokens":["😀","bytes:\\\\xe2\\\\x80","__proto__"],"token_logprobs":[-1,-3,-5],' +
        '"top_logprobs":[{"😀":-1,"b":-2},{"bytes:\\\\xe2\\\\x81":-4,"bytes:\\\\xe2\\\\x80":-3},{"__proto__":-5}],' +
        '"text_offset":[0,1,2]}',
    );
  });

  test('of an upstream of this format are read', () => {
    const read = decodeAnswer(utf8.encode(encodeAnswer(answer({ candidates: [candidate] }), answerContext())));
    if (read instanceof Failure) throw read;
    expect(read.candidates[0]?.logprobs?.map(({ token, logprob }) => [token, logprob])).toEqual([
      ['😀', -1],
      ['bytes:\\xe2\\x80', -3],
      ['__proto__', -5],
    ]);
  });

  test.each([[{}], [{ tokens: null }], [{ tokens: [1] }], [{ tokens: ['a'], token_logprobs: 7, top_logprobs: ['x'] }]])(
    'of an unexpected shape (%j) are ignored',
    (odd) => {
      const body = { choices: [{ index: 0, text: 'a', logprobs: odd, finish_reason: 'stop' }] };
      expect(decodeAnswer(utf8.encode(JSON.stringify(body)))).toMatchObject({ candidates: [{ index: 0 }] });
    },
  );
});
