import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits } from '../../shared/json/json-patch.ts';
import { relayCount } from '../../shared/stream/relay-pieces.ts';
import { gemini } from './index.ts';
import { chunk, context, eventsOf, parsed, ROUTING, sse, utf8 } from './testing/support.ts';

const patch = { publicModel: 'public-model', routing: { json: ROUTING }, created: 1, newId: String };
const contents = [{ parts: [{ text: 'Hi' }] }];
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function relay(pieces: readonly string[], framing: 'sse' | 'json-array' = 'sse') {
  const stream = gemini.relayStream(parsed({ contents }, { framing, stream: true }), patch);
  const seen = pieces.map((piece) => text(stream.push(utf8(piece))));
  const last = text(stream.end());
  return { stream, seen, last: last + text(stream.lastFrames?.() ?? new Uint8Array(0)) };
}

describe('a request', () => {
  test('is passed on byte for byte', () => {
    const bytes = utf8('{ "contents":[{"parts":[{"text":"Hi"}]}], "model":"models/x", "future_field": 1.0 }');
    const request = gemini.parseRequest(bytes, { purpose: 'generate', model: 'x', stream: false, framing: 'sse' });
    if (request instanceof Failure) throw new Error(request.message);
    expect(applyEdits(bytes, gemini.relayEdits(request, 'upstream'))).toEqual(bytes);
  });

  test('for a count names the upstream’s model where the API reads it', () => {
    const request = parsed(
      { generateContentRequest: { model: 'models/x', contents } },
      { purpose: 'count-tokens', model: 'x' },
    );
    expect(text(applyEdits(request.bytes, gemini.relayEdits(request, 'up/y')))).toBe(
      JSON.stringify({ generateContentRequest: { model: 'models/up/y', contents } }),
    );
  });
});

describe('a whole response', () => {
  test('has the public model and _routing, and every other byte unchanged', () => {
    const body =
      '{\n  "candidates": [ {"finishReason": "STOP"} ],\n  "usageMetadata": {"promptTokenCount": 3},\n  "modelVersion": "up-1",\n  "responseId": "r",\n  "x": 1e3\n}\n';
    const answer = gemini.relayAnswer(utf8(body), patch);
    if (answer instanceof Failure) throw new Error(answer.message);
    expect(text(answer.bytes)).toBe(
      body.replace('"up-1"', '"public-model"').replace('1e3\n}', `1e3\n,"_routing":${ROUTING}}`),
    );
    expect(answer.usage).toMatchObject({ input: 3, output: 0 });
  });

  test('of a count is relayed as a count only', () => {
    const counted = relayCount(utf8('{"totalTokens":7}'), { json: ROUTING });
    expect(counted === null ? null : text(counted)).toBe(`{"totalTokens":7,"_routing":${ROUTING}}`);
    expect(gemini.relayAnswer(utf8('{"totalTokens":7}'), patch)).toMatchObject({ kind: 'garbage' });
  });

  test('an error under a 200 is a failure', () => {
    const failure = gemini.relayAnswer(
      utf8('{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}'),
      patch,
    );
    expect(failure).toMatchObject({ code: 'upstream_error', kind: 'http_503' });
    expect(gemini.relayAnswer(utf8('<html>'), patch)).toMatchObject({ kind: 'garbage' });
  });
});

describe('a response without a model and an id', () => {
  const bare = (candidate: object) => ({ candidates: [{ index: 0, ...candidate }] });
  const first = bare({ content: { role: 'model', parts: [{ text: 'Hi' }] } });
  const last = { ...bare({ finishReason: 'STOP' }), usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 1 } };
  let ids = 0;
  const numbered = { ...patch, newId: (prefix: string) => `${prefix}id${++ids}` };

  test('gets both', () => {
    const answer = gemini.relayAnswer(utf8(JSON.stringify({ ...first, ...last })), numbered);
    if (answer instanceof Failure) throw new Error(answer.message);
    expect(JSON.parse(text(answer.bytes))).toMatchObject({ modelVersion: 'public-model', responseId: `id${ids}` });
  });

  test('gets them in each chunk of its stream, the same in all', () => {
    const stream = gemini.relayStream(parsed({ contents }, { framing: 'sse', stream: true }), numbered);
    const seen = text(stream.push(utf8(sse(first)))) + text(stream.push(utf8(sse(first, last)))) + text(stream.end());
    const named = { modelVersion: 'public-model', responseId: `id${ids}` };
    expect(eventsOf(seen)).toMatchObject([named, named, { ...named, _routing: JSON.parse(ROUTING) }]);
  });
});

describe('a stream', () => {
  const one = chunk([{ text: 'Hi' }]);
  const end = chunk(
    [{ text: '' }],
    { finishReason: 'STOP' },
    { usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 1 } },
  );

  test('is passed on at once, except for a chunk that may be the last', () => {
    const { stream, seen, last } = relay([sse(one), sse(end)]);
    expect(seen[0]).toBe(sse(one).replace('"gemini-2.5-flash"', '"public-model"'));
    expect(seen[1]).toBe('');
    const [final] = eventsOf(last);
    expect(final).toMatchObject({ modelVersion: 'public-model', _routing: JSON.parse(ROUTING) });
    expect(stream).toMatchObject({ failure: null, finished: true, started: true, usage: { input: 2, output: 1 } });
  });

  test('has _routing in the last chunk, even after the finish reason', () => {
    const late = { usageMetadata: { promptTokenCount: 9 }, modelVersion: 'up' };
    const { seen, last } = relay([sse(end), sse(late)]);
    expect(eventsOf(seen[1] ?? '')[0]._routing).toBeUndefined();
    expect(eventsOf(last)).toEqual([{ ...late, modelVersion: 'public-model', _routing: JSON.parse(ROUTING) }]);
  });

  test('becomes one array for a client without alt=sse', () => {
    const { seen, last } = relay([': ping\n\n', sse(one, one), sse(end)], 'json-array');
    const array = JSON.parse(seen.join('') + last);
    expect(array).toHaveLength(3);
    expect(array[2]).toMatchObject({ _routing: JSON.parse(ROUTING) });
  });

  test('that breaks off is a failure, and its array can still be closed', () => {
    const { stream, seen, last } = relay([sse(one)], 'json-array');
    expect(stream).toMatchObject({ finished: false, failure: { kind: 'truncated_stream' } });
    if (stream.failure === null) throw new Error('no failure');
    const frame = gemini.encodeStreamFailure(stream.failure, parsed({ contents }, { framing: 'json-array' }));
    expect(JSON.parse(seen.join('') + last + frame)).toHaveLength(2);
  });

  test.each([
    [[], 'empty_stream'],
    [[sse(one), 'data: {"candidates":'], 'truncated_stream'],
    [[sse(one), 'data: {oops\n\n'], 'garbage'],
    [[sse(one, { error: { code: 500, message: 'Internal', status: 'INTERNAL' } })], 'http_500'],
  ])('%p fails as %p', (pieces, kind) => {
    expect(relay(pieces).stream.failure).toMatchObject({ kind });
  });

  test('with a blocked prompt is complete', () => {
    const { stream, last } = relay([sse({ promptFeedback: { blockReason: 'OTHER' } })]);
    expect(stream.failure).toBeNull();
    expect(eventsOf(last)[0]).toMatchObject({ promptFeedback: { blockReason: 'OTHER' }, _routing: {} });
  });
});

test('an array that is not open yet is opened by the error', () => {
  const relay = gemini.relayStream(context('json-array').parsed, {
    publicModel: 'm',
    routing: { json: ROUTING },
    created: 1,
    newId: String,
  });
  relay.push(utf8(`${sse(chunk([{ text: 'Hi' }], { finishReason: 'STOP' }))}data: {\n\n`));
  expect(relay.failure?.kind).toBe('garbage');
  const failure = new Failure('upstream_error', { message: 'Broken' });
  expect(JSON.parse(relay.encodeFailure?.(failure) ?? '')).toMatchObject([{ error: { message: 'Broken' } }]);
});
