import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { gemini } from './index.ts';
import { chunk, context, decodeStream, encodeStream, eventsOf, ROUTING, sse, utf8 } from './testing/support.ts';

const SIGNATURE = 'AY89a18a8';
const state = { family: 'google', data: SIGNATURE, provider: 'google', channel: 'google-main' } as const;
const stop = { finishReason: 'STOP' };
const counts = { usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 } };

function typesOf(parts: readonly StreamPart[]): string {
  return parts.map(({ type }) => type).join(' ');
}

describe('decoding', () => {
  test('gives text, reasoning and a call in blocks', () => {
    const parts = decodeStream([
      sse(
        chunk([{ text: 'Thinking', thought: true }]),
        chunk([{ text: 'Hel' }]),
        chunk([{ text: 'lo' }]),
        chunk([{ functionCall: { name: 'add', args: { x: 1 }, id: 'c1' }, thoughtSignature: SIGNATURE }]),
        chunk([{ text: '' }], stop, counts),
      ),
    ]);
    expect(typesOf(parts)).toBe(
      'start reasoning-start reasoning-delta reasoning-end text-start text-delta text-delta text-end ' +
        'tool-call-start tool-call-delta tool-call-end usage finish end',
    );
    expect(parts[8]).toEqual({ type: 'tool-call-start', candidate: 0, id: 'c1', name: 'add', state });
    expect(parts[9]).toEqual({ type: 'tool-call-delta', candidate: 0, arguments: '{"x":1}' });
    expect(parts[12]).toEqual({ type: 'finish', candidate: 0, finish: { unified: 'tool-calls', raw: 'STOP' } });
  });

  test('assigns a signature in an empty part to the text before it', () => {
    const parts = decodeStream([
      sse(chunk([{ text: 'Red' }]), chunk([{ text: '', thoughtSignature: SIGNATURE }], stop)),
    ]);
    expect(typesOf(parts)).toBe('start text-start text-delta text-end finish end');
    expect(parts[3]).toEqual({ type: 'text-end', candidate: 0, state });
  });

  test('gives calls without ids unique ids that are the same at each decoding', () => {
    const call = { functionCall: { name: 'f', args: {} } };
    const ids = (text: string) =>
      decodeStream([text]).flatMap((part) => (part.type === 'tool-call-start' ? [part.id] : []));
    const one = ids(sse(chunk([call, call], stop)));
    expect(one).toEqual(ids(sse(chunk([call, call], stop))));
    const other = ids(sse(chunk([call], stop, { responseId: 'another' })));
    expect(new Set([...one, ...other]).size).toBe(3);
    for (const id of one) expect(id).toMatch(/^gemini_call_[\w-]{1,52}$/);
  });

  test('joins arguments in pieces by their paths', () => {
    const piece = (args: readonly unknown[], willContinue = true) =>
      chunk([{ functionCall: { partialArgs: args, ...(willContinue ? { willContinue } : {}) } }]);
    const parts = decodeStream([
      sse(
        chunk([{ functionCall: { name: 'write', willContinue: true }, thoughtSignature: SIGNATURE }]),
        piece([{ jsonPath: '$.items[0].name', stringValue: 'app', willContinue: true }]),
        piece([{ jsonPath: '$.items[0].name', stringValue: 'le' }]),
        piece([{ jsonPath: "$.items[1]['the price']", numberValue: 0.5 }]),
        piece([{ jsonPath: '$.ok', boolValue: false }]),
        piece([{ jsonPath: '$.none', nullValue: null }], false),
        chunk([{ functionCall: { name: 'list', willContinue: true } }]),
        chunk([{ functionCall: {} }]),
        chunk([{ text: '' }], stop),
      ),
    ]);
    expect(parts.flatMap((part) => (part.type === 'tool-call-delta' ? [JSON.parse(part.arguments)] : []))).toEqual([
      { items: [{ name: 'apple' }, { 'the price': 0.5 }], ok: false, none: null },
      {},
    ]);
    expect(parts.find(({ type }) => type === 'tool-call-end')).toMatchObject({ state });
  });

  test('continues after a finish reason, as with code execution by the provider', () => {
    const ran = {
      content: { parts: [{ executableCode: { code: 'print(1)', language: 'PYTHON' } }] },
      finishReason: 'STOP',
    };
    const parts = decodeStream([
      sse({ candidates: [ran] }, chunk([{ text: 'It is' }]), chunk([{ text: ' 1.' }], { finishReason: 'MAX_TOKENS' })),
    ]);
    expect(typesOf(parts)).toBe('start unknown text-start text-delta text-delta text-end finish end');
    expect(parts.at(-2)).toMatchObject({ finish: { unified: 'length', raw: 'MAX_TOKENS' } });
  });

  test('keeps candidates apart', () => {
    const parts = decodeStream([
      sse(
        { candidates: [0, 1].map((index) => ({ index, content: { parts: [{ text: `n${index}` }] } })) },
        { candidates: [0, 1].map((index) => ({ index, finishReason: 'STOP' })) },
      ),
    ]);
    const text = parts.filter((part) => part.type === 'text-delta');
    expect(text).toMatchObject([
      { candidate: 0, text: 'n0' },
      { candidate: 1, text: 'n1' },
    ]);
    expect(parts.filter(({ type }) => type === 'finish')).toHaveLength(2);
  });

  test('turns a blocked prompt into a refusal', () => {
    const parts = decodeStream([
      sse({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } }),
    ]);
    expect(typesOf(parts)).toBe('start refusal-start refusal-delta refusal-end finish usage end');
    expect(parts[4]).toMatchObject({ finish: { unified: 'content-filter', raw: 'SAFETY' } });
  });

  test('emits sources while their text is open, each once, with UTF-16 offsets', () => {
    const grounding = {
      webSearchQueries: ['q1', 'q2'],
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
      groundingSupports: [{ segment: { startIndex: 5, endIndex: 9, text: 'blau' }, groundingChunkIndices: [0] }],
    };
    const parts = decodeStream([
      sse(
        chunk([{ text: 'für ' }]),
        chunk([{ text: 'blau' }], { groundingMetadata: grounding }),
        chunk([{ text: '!' }], { groundingMetadata: grounding, ...stop }, counts),
      ),
    ]);
    expect(typesOf(parts)).toBe('start text-start text-delta text-delta citation text-delta text-end usage finish end');
    expect(parts[4]).toMatchObject({ citation: { url: 'https://a.example', title: 'A', start: 4, end: 8 } });
    expect(parts.find(({ type }) => type === 'usage')).toMatchObject({ usage: { webSearches: 2 } });
  });

  test.each([
    ['nothing', '', 'empty_stream'],
    ['only a comment', ': ping\n\n', 'empty_stream'],
    ['a missing finish reason', sse(chunk([{ text: 'Hi' }])), 'truncated_stream'],
    ['half an event', `${sse(chunk([{ text: 'Hi' }]))}data: {"candidates":[{"con`, 'truncated_stream'],
    ['invalid JSON', `${sse(chunk([{ text: 'Hi' }]))}data: {<html>\n\n`, 'garbage'],
  ])('ends in an error for %s', (_, text, kind) => {
    const last = decodeStream([text]).at(-1);
    expect(last).toMatchObject({ type: 'error', failure: { kind, side: 'upstream' } });
  });

  test('turns an error event into the failure it stands for', () => {
    const error = { code: 429, message: 'Resource has been exhausted', status: 'RESOURCE_EXHAUSTED' };
    const parts = decodeStream([sse(chunk([{ text: 'Hi' }]), { error }), sse(chunk([{ text: 'more' }], stop))]);
    expect(parts.at(-1)).toMatchObject({ type: 'error', failure: { code: 'rate_limit_exceeded' } });
  });

  test('accepts an empty response with STOP', () => {
    expect(typesOf(decodeStream([sse({ candidates: [{ finishReason: 'STOP' }] })]))).toBe('start finish end');
  });

  test('ignores line ends, comments, missing blank lines and piece boundaries', () => {
    const events = [chunk([{ text: 'a\u2028b ü' }]), chunk([{ text: 'c' }], stop, counts)];
    const whole = decodeStream([sse(...events)]);
    const lines = events.map((event) => `data: ${JSON.stringify(event)}`);
    const variants = [
      lines.join('\n\n'),
      lines.join('\r\r'),
      `: hi\n\n${lines.join('\n\n: x\n')}\n\n`,
      lines.join('\n'),
    ];
    for (const text of variants) expect(decodeStream([text])).toEqual(whole);
    const bytes = utf8(variants[2] ?? '');
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (borders) => {
        const cuts = [0, ...borders.sort((left, right) => left - right), bytes.length];
        expect(decodeStream(cuts.slice(1).map((cut, index) => bytes.slice(cuts[index], cut)))).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});

const ANSWER: readonly StreamPart[] = [
  { type: 'start', id: 'Th-jaIKZKbCMqsMP3O2RkAo', created: null },
  { type: 'text-start', candidate: 0 },
  { type: 'text-delta', candidate: 0, text: 'Hi' },
  { type: 'text-end', candidate: 0 },
  { type: 'finish', candidate: 0, finish: { unified: 'length', raw: 'max_tokens' } },
  {
    type: 'usage',
    usage: { input: 5, cachedInput: 0, cacheWrite: 0, output: 1, reasoning: 0, source: 'reported' },
  },
  { type: 'end' },
];

describe('encoding', () => {
  test('sends each delta as a chunk at once; the last one has the finish reason, the usage and _routing', () => {
    const [delta, last, ...more] = eventsOf(encodeStream(ANSWER));
    expect(more).toEqual([]);
    expect(delta).toEqual({
      candidates: [{ content: { parts: [{ text: 'Hi' }], role: 'model' }, index: 0 }],
      modelVersion: 'public-model',
      responseId: 'Th-jaIKZKbCMqsMP3O2RkAo',
    });
    expect(last).toEqual({
      candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1, totalTokenCount: 6 },
      modelVersion: 'public-model',
      responseId: 'Th-jaIKZKbCMqsMP3O2RkAo',
      _routing: JSON.parse(ROUTING),
    });
  });

  test('sends the chunks as elements of one array without alt=sse', () => {
    const text = encodeStream(ANSWER, 'json-array');
    expect(text).toStartWith('[{"candidates"');
    expect(text).toContain('}\r\n,\r\n{');
    expect(JSON.parse(text)).toEqual(eventsOf(encodeStream(ANSWER)));
  });

  test('sends arguments as the model wrote them if they are an object', () => {
    const call = (args: string, custom = false): StreamPart[] => [
      { type: 'start', id: null, created: null },
      { type: 'tool-call-start', candidate: 0, id: 'c', name: 'f', ...(custom ? { custom } : {}) },
      { type: 'tool-call-delta', candidate: 0, arguments: args },
      { type: 'tool-call-end', candidate: 0 },
    ];
    const text = encodeStream(call('{"id":12345678901234567890}'));
    expect(text).toContain('"args":{"id":12345678901234567890}');
    const args = (parts: StreamPart[]) =>
      eventsOf(encodeStream(parts))[0].candidates[0].content.parts[0].functionCall.args;
    expect(args(call('{\n"a": 1}'))).toEqual({ a: 1 });
    expect(args(call(''))).toEqual({});
    expect(args(call('{"a":'))).toEqual({ arguments: '{"a":' });
    expect(args(call('SELECT 1', true))).toEqual({ input: 'SELECT 1' });
  });

  test('does not pass off another vendor’s id and finish reason as Google’s', () => {
    const encoder = [{ type: 'start', id: 'chatcmpl-12345678', created: null }, ...ANSWER.slice(1)] as StreamPart[];
    const [delta, last] = eventsOf(encodeStream(encoder));
    expect(delta.responseId).toBe('fresh1');
    expect(last.responseId).toBe('fresh1');
    expect(context().newId('')).toBe('fresh1');
  });

  test('is reversed by decoding', () => {
    const written: StreamPart[] = [
      { type: 'start', id: 'Th-jaIKZKbCMqsMP3O2RkAo', created: null },
      { type: 'reasoning-start', candidate: 0, summary: true },
      { type: 'reasoning-delta', candidate: 0, text: 'Hm\n' },
      { type: 'reasoning-end', candidate: 0, state },
      { type: 'text-start', candidate: 0 },
      {
        type: 'text-delta',
        candidate: 0,
        text: 'Blue "sky"',
        logprobs: [{ token: 'B', logprob: -0.5, bytes: null, top: [] }],
      },
      { type: 'text-delta', candidate: 0, text: ' für alle' },
      { type: 'text-end', candidate: 0, state },
      {
        type: 'media',
        candidate: 0,
        part: { type: 'image', source: { kind: 'base64', data: 'aGk=' }, mediaType: 'image/png' },
      },
      {
        type: 'unknown',
        candidate: 0,
        part: { type: 'unknown', format: 'gemini', value: { executableCode: { code: '1', language: 'PYTHON' } } },
      },
      { type: 'tool-call-start', candidate: 0, id: 'c1', name: 'f', state },
      { type: 'tool-call-delta', candidate: 0, arguments: '{"a":[1,2]}' },
      { type: 'tool-call-end', candidate: 0, state },
      { type: 'finish', candidate: 0, finish: { unified: 'tool-calls', raw: 'STOP' } },
      { type: 'end' },
    ];
    const [start, ...rest] = decodeStream([encodeStream(written)]);
    expect(start).toMatchObject({ type: 'start', id: 'Th-jaIKZKbCMqsMP3O2RkAo', created: null });
    expect(rest).toEqual(written.slice(1));
  });
});

test('an array that is not open yet is opened by the error', () => {
  const encoder = gemini.encodeStream(context('json-array'));
  const failure = new Failure('upstream_error', { message: 'Broken' });
  encoder.encode({ type: 'start', id: 'a', created: null });
  encoder.encode({ type: 'tool-call-start', candidate: 0, id: 'c', name: 'f' });
  expect(JSON.parse(encoder.encodeFailure?.(failure) ?? '')).toMatchObject([{ error: { message: 'Broken' } }]);
  encoder.encode({ type: 'tool-call-end', candidate: 0 });
  expect(encoder.encodeFailure?.(failure) ?? null).toBeNull();
});
