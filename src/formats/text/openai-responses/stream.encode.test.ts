import { expect, test } from 'bun:test';
import fc from 'fast-check';
import OpenAI, { APIError } from 'openai';
import type { Part } from '../../../domain/exchange/part.ts';
import type { ExchangeResponse, Finish } from '../../../domain/exchange/response.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { STATE_MARKER } from '../shared/state-token.ts';
import { openaiResponses } from './index.ts';
import { bytesOf, context, ROUTING, SOURCE } from './testing/context.ts';
import { brokenRules, eventsOf } from './testing/stream-order.ts';

const STOP: Finish = { unified: 'stop', raw: 'stop' };
const USAGE = {
  ...{ input: 5, cachedInput: 2, cacheWrite: 1, output: 4, reasoning: 3 },
  source: 'reported',
} as const;

function answer(parts: readonly Part[], finish: Finish = STOP): ExchangeResponse {
  return { id: 'resp_up', created: 1_600_000_000, candidates: [{ index: 0, parts, finish }], usage: USAGE };
}

const SUMMARY = { reasoning: { summary: 'auto' } };

function streamOf(parts: readonly StreamPart[], body: object = {}) {
  const encoder = openaiResponses.encodeStream(context({ stream: true, ...SUMMARY, ...body }));
  const text = parts.map((part) => encoder.encode(part)).join('');
  return { text, events: eventsOf(text), answerJson: encoder.answerJson };
}

const EVERY_PART: readonly Part[] = [
  { type: 'reasoning', text: 'Thinking', state: { family: 'anthropic', data: 's', provider: 'a', channel: 'c' } },
  { type: 'reasoning', text: 'Summed up', summary: true },
  {
    type: 'text',
    text: 'Hello there',
    citations: [
      { url: 'https://a.test', title: 'A', citedText: null, start: 0, end: 5, documentIndex: null, raw: null },
    ],
  },
  { type: 'refusal', text: 'No more' },
  { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{"a":1}' },
  { type: 'tool-call', id: 'call_2', name: 'sh', arguments: 'ls', custom: true },
  { type: 'image', source: { kind: 'base64', data: 'AAAA' }, mediaType: 'image/png' },
  { type: 'text', text: 'Done' },
];

test('text is sent delta by delta', () => {
  const encoder = openaiResponses.encodeStream(context({ stream: true }));
  const names = (part: StreamPart) => eventsOf(encoder.encode(part)).map(({ name }) => name.replace('response.', ''));
  expect(names({ type: 'start', id: 'chatcmpl-1', created: 5 })).toEqual(['created', 'in_progress']);
  expect(names({ type: 'text-start', candidate: 0 })).toEqual(['output_item.added', 'content_part.added']);
  expect(encoder.encode({ type: 'text-delta', candidate: 0, text: 'Hé"' })).toBe(
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_2",' +
      '"output_index":0,"content_index":0,"delta":"Hé\\"","logprobs":[]}\n\n',
  );
  expect(names({ type: 'text-end', candidate: 0 })).toEqual(['output_text.done', 'content_part.done']);
  expect(names({ type: 'finish', candidate: 0, finish: STOP })).toEqual(['output_item.done']);
  expect(names({ type: 'usage', usage: USAGE })).toEqual([]);
  expect(names({ type: 'end' })).toEqual(['completed']);
});

test('every kind of part has its order, number and id', () => {
  const { events, answerJson } = streamOf(partsOfResponse(answer(EVERY_PART)));
  expect(brokenRules(events)).toEqual([]);
  expect([...new Set(events.map(({ name }) => name.replace('response.', '')))]).toEqual([
    ...['created', 'in_progress', 'output_item.added', 'reasoning_summary_part.added'],
    ...['reasoning_summary_text.delta', 'reasoning_summary_text.done', 'reasoning_summary_part.done'],
    ...['output_item.done', 'content_part.added', 'output_text.delta', 'output_text.annotation.added'],
    ...['output_text.done', 'content_part.done', 'refusal.delta', 'refusal.done'],
    ...['function_call_arguments.delta', 'function_call_arguments.done', 'custom_tool_call_input.delta'],
    ...['custom_tool_call_input.done', 'image_generation_call.in_progress', 'image_generation_call.generating'],
    ...['image_generation_call.completed', 'completed'],
  ]);
  const final = events.at(-1)?.data.response;
  expect(JSON.parse(answerJson ?? '')).toEqual(final);
  expect(final._routing).toEqual(JSON.parse(ROUTING));
  expect(final).toMatchObject({ id: 'resp_up', object: 'response', created: 1_600_000_000, model: 'public' });
  expect(final.usage).toEqual({
    input_tokens: 8,
    input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 3 },
    total_tokens: 15,
  });
});

test('a whole response equals the final response of its stream', () => {
  const response = answer(EVERY_PART);
  const whole = JSON.parse(openaiResponses.encodeAnswer(response, context({ stream: true, ...SUMMARY })));
  const streamed = JSON.parse(streamOf(partsOfResponse(response)).answerJson ?? '');
  expect(withoutIds(whole)).toEqual(withoutIds(streamed));
});

test('a truncated response is incomplete, and so is its last item', () => {
  const parts = partsOfResponse(answer([{ type: 'text', text: 'Hel' }], { unified: 'length', raw: 'max_tokens' }));
  const final = streamOf(parts).events.at(-1);
  expect(final?.name).toBe('response.incomplete');
  expect(final?.data.response).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ type: 'message', status: 'incomplete' }],
  });
});

test("reasoning without a state is restored as text, and is never sent as a provider's own", () => {
  const parts: Part[] = [{ type: 'reasoning', text: 'Hm' }];
  for (const json of [
    streamOf(partsOfResponse(answer(parts))).answerJson ?? '',
    openaiResponses.encodeAnswer(answer(parts), context(SUMMARY)),
  ]) {
    expect(json).toContain(STATE_MARKER);
    const again = openaiResponses.decodeRequest({
      ...context().parsed,
      body: { model: 'm', input: JSON.parse(json).output },
    });
    if (again instanceof Failure) throw new Error(again.message);
    expect(again.messages[0]?.parts).toEqual([{ type: 'reasoning', text: 'Hm', summary: true, path: 'input[0]' }]);
  }
});

test('the request is repeated in the response, with defaults for missing fields', () => {
  const { events } = streamOf(partsOfResponse(answer([])), {
    instructions: 'Be brief',
    tools: [{ type: 'function', name: 'f' }],
    reasoning: { effort: 'low' },
    max_output_tokens: 20,
    metadata: { a: 'b' },
  });
  expect(events[0]?.data.response).toMatchObject({
    status: 'in_progress',
    instructions: 'Be brief',
    tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: false }],
    tool_choice: 'auto',
    reasoning: { effort: 'low', summary: null },
    max_output_tokens: 20,
    metadata: { a: 'b' },
    temperature: 1,
    top_p: 1,
    store: true,
    truncation: 'disabled',
    text: { format: { type: 'text' } },
    previous_response_id: null,
    usage: null,
    output: [],
  });
});

// ---- the official SDK

function client(frames: string): OpenAI {
  const respond = async () => new Response(frames, { headers: { 'content-type': 'text/event-stream' } });
  return new OpenAI({ apiKey: 'sk-x', baseURL: 'http://gateway.test/v1', fetch: respond, maxRetries: 0 });
}

test('the official SDK assembles the stream into the final response', async () => {
  const { text, answerJson } = streamOf(partsOfResponse(answer(EVERY_PART)));
  const stream = client(text).responses.stream({ model: 'm', input: 'Hi' });
  const heard: string[] = [];
  stream.on('response.output_text.delta', ({ delta }) => heard.push(delta));
  const { output_text, output, ...others } = await stream.finalResponse();
  const expected = JSON.parse(answerJson ?? '');
  expect(heard).toEqual(['Hello there', 'Done']);
  expect(output_text).toBe('Hello thereDone');
  expect(output.map(withoutParsed)).toEqual(expected.output);
  expect(JSON.parse(JSON.stringify(others))).toMatchObject({
    id: 'resp_up',
    usage: expected.usage,
    _routing: expected._routing,
  });
});

test('the official SDK raises the error event, which continues the numbering', async () => {
  const encoder = openaiResponses.encodeStream(context({ stream: true }));
  const begun = [
    encoder.encode({ type: 'start', id: null, created: null }),
    encoder.encode({ type: 'text-start', candidate: 0 }),
    encoder.encode({ type: 'text-delta', candidate: 0, text: 'Hel' }),
  ].join('');
  const failure = new Failure('upstream_error', { kind: 'truncated_stream', message: 'It broke off.' });
  const frame = encoder.encodeFailure?.(failure) ?? '';
  const events = eventsOf(frame);
  expect(events.map(({ name, data }) => [name, data.sequence_number])).toEqual([
    ['response.output_text.done', 5],
    ['response.content_part.done', 6],
    ['response.output_item.done', 7],
    ['error', 8],
    ['response.failed', 9],
  ]);
  expect(events[3]?.data).toMatchObject({ code: 'upstream_error', message: 'It broke off.', param: null });
  expect(events[4]?.data.response).toMatchObject({
    status: 'failed',
    error: { code: 'server_error', message: 'It broke off.' },
    output: [{ type: 'message', status: 'incomplete', content: [{ type: 'output_text', text: 'Hel' }] }],
  });
  const raised = await client(begun + frame)
    .responses.stream({ model: 'm', input: 'Hi' })
    .finalResponse()
    .catch((error: unknown) => error);
  expect(raised).toBeInstanceOf(APIError);
  expect((raised as APIError).message).toContain('It broke off.');
  expect((raised as APIError).code).toBe('upstream_error');
});

test('an incomplete call is never marked as done, so no client runs it', () => {
  const encoder = openaiResponses.encodeStream(context({ stream: true }));
  encoder.encode({ type: 'start', id: null, created: null });
  encoder.encode({ type: 'tool-call-start', candidate: 0, id: 'c', name: 'rm', custom: true });
  encoder.encode({ type: 'tool-call-delta', candidate: 0, arguments: '/tm' });
  const frame = encoder.encodeFailure?.(new Failure('upstream_error', { message: 'It broke off.' })) ?? '';
  expect(eventsOf(frame).map(({ name }) => name)).toEqual(['error', 'response.failed']);
});

// ---- laws

const text = fc.string({ minLength: 1 });
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('refusal' as const), text }),
  fc.record({ type: fc.constant('reasoning' as const), text, summary: fc.constant(true) }),
  fc.record({ type: fc.constant('reasoning' as const), text }),
  fc.record({ type: fc.constant('tool-call' as const), id: text, name: text, arguments: fc.json() }),
  fc.record({
    type: fc.constant('tool-call' as const),
    id: text,
    name: text,
    arguments: text,
    custom: fc.constant(true),
  }),
);

test('the invariants hold for any parts, and decoding restores the parts at any split', () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 300 })),
      (parts, sizes) => {
        const { text, events } = streamOf(partsOfResponse(answer(parts)));
        expect(brokenRules(events)).toEqual([]);
        const decoder = openaiResponses.decodeStream(SOURCE);
        const bytes = bytesOf(text);
        const back: StreamPart[] = [];
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value ?? 1;
          back.push(...decoder.push(bytes.subarray(at, at + size)));
          at += size;
        }
        back.push(...decoder.end());
        expect(textsOf(back)).toEqual(textsOf(partsOfResponse(answer(parts))));
      },
    ),
    { numRuns: 200 },
  );
});

/** Returns blocks as kind and text, ignoring other members and how finely they were split. */
function textsOf(parts: readonly StreamPart[]): string[] {
  const blocks: string[] = [];
  for (const one of parts) {
    if (one.type === 'tool-call-start') blocks.push(`call ${one.id} ${one.name} ${one.custom === true}: `);
    else if (one.type === 'reasoning-start') blocks.push('reasoning: ');
    else if (one.type.endsWith('-start')) blocks.push(`${one.type}: `);
    else if (one.type === 'tool-call-delta') blocks.push((blocks.pop() ?? '') + one.arguments);
    else if ('text' in one) blocks.push((blocks.pop() ?? '') + one.text);
  }
  return blocks;
}

function withoutIds(response: any) {
  return { ...response, output: response.output.map(({ id: _, ...item }: any) => item) };
}

/** Returns the SDK adds the parsed contents of calls and texts. */
function withoutParsed(item: object): unknown {
  return JSON.parse(JSON.stringify(item, (key, value) => (key.startsWith('parsed') ? undefined : value)));
}

test('a call of a tool in a namespace has both names', () => {
  const call: Part = { type: 'tool-call', id: 'c1', name: 'mcp__git__log', arguments: '{}' };
  const tools = [
    { type: 'namespace', name: 'mcp__git', description: 'Git', tools: [{ type: 'function', name: 'log' }] },
  ];
  const named = { type: 'function_call', call_id: 'c1', namespace: 'mcp__git', name: 'log', arguments: '{}' };
  const { events, answerJson } = streamOf(partsOfResponse(answer([call])), { tools });
  expect(events.find(({ name }) => name === 'response.output_item.done')?.data.item).toMatchObject(named);
  expect(JSON.parse(answerJson ?? '').output).toMatchObject([named]);
  const whole = JSON.parse(openaiResponses.encodeAnswer(answer([call]), context({ tools })));
  expect(whole.output).toMatchObject([named]);
  const read = openaiResponses.decodeAnswer(bytesOf(whole), SOURCE);
  // Both forms are kept until it is known whether the client declared them: another client calls the tool by its own
  // name alone.
  const both = { type: 'tool-call', id: 'c1', namespace: 'mcp__git', name: 'log' };
  expect(read instanceof Failure ? read : read.candidates[0]?.parts).toMatchObject([both]);
});
