import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { openaiResponses } from './index.ts';
import { bytesOf, context, parsed, SOURCE } from './testing/context.ts';

function decode(response: unknown) {
  const answer = openaiResponses.decodeAnswer(bytesOf(response), SOURCE);
  if (answer instanceof Failure) throw new Error(answer.message);
  return answer;
}

test('items become parts', () => {
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } };
  const annotation = { type: 'url_citation', url: 'https://a.test', title: 'A', start_index: 0, end_index: 2 };
  const image = {
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    output_format: 'webp',
    result: 'UklGRA',
  };
  const logprob = {
    token: 'Hi',
    logprob: -0.5,
    bytes: [72, 105],
    top_logprobs: [{ token: 'Hi', logprob: -0.5, bytes: null }],
  };
  const { candidates, id, created } = decode({
    id: 'resp_1',
    created_at: 7.5,
    status: 'completed',
    output: [
      search,
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'Hi', annotations: [annotation], logprobs: [logprob] },
          { type: 'refusal', refusal: 'No' },
        ],
      },
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'sh', input: 'ls' },
      image,
    ],
  });
  expect([id, created]).toEqual(['resp_1', 7]);
  const { result: _, ...others } = image;
  expect(candidates[0]?.parts).toEqual([
    { type: 'unknown', format: 'openai-responses', value: search },
    {
      type: 'text',
      text: 'Hi',
      citations: [
        {
          ...{ url: 'https://a.test', title: 'A', citedText: null, start: 0, end: 2, documentIndex: null },
          raw: { format: 'openai-responses', value: annotation },
        },
      ],
    },
    { type: 'refusal', text: 'No' },
    { type: 'tool-call', id: 'c', name: 'sh', arguments: 'ls', custom: true },
    {
      type: 'image',
      source: { kind: 'base64', data: 'UklGRA' },
      mediaType: 'image/webp',
      state: { family: 'openai-responses', data: JSON.stringify(others), provider: 'openai', channel: 'c1' },
    },
  ]);
  expect(candidates[0]?.finish).toEqual({ unified: 'tool-calls', raw: 'completed' });
  expect(candidates[0]?.logprobs).toEqual([
    { token: 'Hi', logprob: -0.5, bytes: [72, 105], top: [{ token: 'Hi', logprob: -0.5, bytes: null }] },
  ]);
});

test('a response of this format is encoded as it was issued', () => {
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    { id: 'ig_1', type: 'image_generation_call', status: 'completed', revised_prompt: 'cat', result: 'AAAA' },
  ];
  const answer = decode({ id: 'resp_1', created_at: 7, status: 'completed', output });
  expect(JSON.parse(openaiResponses.encodeAnswer(answer, context())).output).toEqual(output);
});

test.each([
  [undefined, 'auto'],
  ['required', 'required'],
  [
    { type: 'function', name: 'f' },
    { type: 'function', name: 'f' },
  ],
  [
    { type: 'allowed_tools', tools: [] },
    { type: 'allowed_tools', tools: [], mode: 'auto' },
  ],
  [{ type: 'allowed_tools', mode: 'none', tools: [] }, 'none'],
])('the tool choice %j is repeated in the form of a response', (tool_choice, repeated) => {
  const request = parsed({ model: 'm', input: 'Hi', tool_choice });
  const answer = openaiResponses.encodeAnswer(decode({ id: 'resp_1', status: 'completed', output: [] }), {
    ...context(),
    parsed: request,
  });
  expect(JSON.parse(answer).tool_choice).toEqual(repeated);
});

test('a response to a large request omits its long members', () => {
  const tool = { type: 'function', name: 'f', description: 'x'.repeat(300_000), parameters: {}, strict: false };
  const request = { model: 'm', input: 'Hi', tools: [tool], instructions: 'Be brief.', metadata: { a: 'b' } };
  const repeated = (isLarge: boolean) => {
    const answer = decode({ id: 'resp_1', created_at: 7, status: 'completed', output: [] });
    const { tools, instructions, metadata } = JSON.parse(
      openaiResponses.encodeAnswer(answer, { ...context(), parsed: parsed(request), isLarge }),
    );
    return { tools, instructions, metadata };
  };
  const { instructions, metadata } = request;
  expect(repeated(true)).toEqual({ tools: [], instructions, metadata });
  expect(repeated(false)).toEqual({ tools: [tool], instructions, metadata });
});

test('usage is split into parts, and a reported zero stays', () => {
  const usage = (value: unknown, more: object = {}) =>
    decode({ status: 'completed', output: [], usage: value, ...more }).usage;
  const raw = {
    ...{ input_tokens: 10, input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } },
    ...{ output_tokens: 8, output_tokens_details: { reasoning_tokens: 5 } },
  };
  expect(usage(raw)).toEqual({
    ...{ input: 3, cachedInput: 4, cacheWrite: 3, output: 3, reasoning: 5, source: 'reported', raw },
  });
  expect(usage({ input_tokens: 0, output_tokens: 0 })).toMatchObject({ input: 0, output: 0 });
  expect(usage({})).toBeNull();
  expect(usage(raw, { tool_usage: { web_search: { num_requests: 2 } } })).toMatchObject({ webSearches: 2 });
});

test('an invalid or failed response is a failure of the upstream', () => {
  const kindOf = (body: unknown) => {
    const answer = openaiResponses.decodeAnswer(bytesOf(body), SOURCE);
    return answer instanceof Failure ? answer.kind : 'an answer';
  };
  expect(kindOf('<html>')).toBe('garbage');
  expect(kindOf('[]')).toBe('garbage');
  expect(kindOf({ choices: [] })).toBe('garbage');
  expect(kindOf({ status: 'failed', output: [], error: { code: 'server_error', message: 'Oh' } })).toBe('error_in_200');
  expect(kindOf({ error: { code: 'rate_limit_exceeded', message: 'Slow' } })).toBe('rate_limit_exceeded');
});

test('citations of pages and of documents are annotations', () => {
  const citation = { citedText: null, start: null, end: null, documentIndex: null, raw: null };
  const answer = decode({ status: 'completed', output: [] });
  const text = {
    type: 'text',
    text: 'Hello',
    citations: [
      { ...citation, url: 'https://a.test', title: null },
      { ...citation, url: null, title: 'Report', documentIndex: 1 },
    ],
  } as const;
  const candidates = [{ index: 0, parts: [text], finish: { unified: 'stop', raw: null } }] as const;
  const { output } = JSON.parse(openaiResponses.encodeAnswer({ ...answer, candidates }, context()));
  expect(output[0].content[0].annotations).toEqual([
    { type: 'url_citation', url: 'https://a.test', start_index: 0, end_index: 5, title: 'https://a.test' },
    { type: 'file_citation', index: 5, file_id: 'document_1', filename: 'Report' },
  ]);
});

test('an empty error is reported as one', () => {
  const failure = openaiResponses.decodeAnswer(bytesOf({ error: ' ', status: 'failed', output: [] }), SOURCE);
  expect(failure).toMatchObject({ message: 'The upstream failed without giving a reason.' });
});
