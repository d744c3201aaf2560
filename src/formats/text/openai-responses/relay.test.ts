import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits } from '../../shared/json/json-patch.ts';
import { openaiResponses } from './index.ts';
import { bytesOf, parsed, ROUTING } from './testing/context.ts';
import { eventsOf } from './testing/stream-order.ts';

const PATCH = { publicModel: 'public', routing: { json: ROUTING }, created: 1, newId: String };

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function relayed(sent: string): string {
  const request = parsed(sent);
  return text(applyEdits(request.bytes, openaiResponses.relayEdits(request, 'up')));
}

function requestWith(tools: string): string {
  const sent = `{ "input" : "Hi", "tools" : ${tools}, "model" : "m", "x" : 1.50 }`;
  return relayed(sent).replace(/^\{ "input" : "Hi", "tools" : |, "model" : "up", "x" : 1\.50 \}$/g, '');
}

test('a request keeps all bytes except the model', () => {
  const sent =
    '{ "model" :"m", "input":"Hi",  "tools":[{"type":"function","name":"f","input_fidelity":1}], "big": 12345678901234567890 }';
  expect(relayed(sent)).toBe(sent.replace('"m"', '"up"'));
});

test('an unsupported input_fidelity is cut out, and nothing else', () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      '{"type":"image_generation", "input_fidelity":"high", "size":"auto"}',
      '{"type":"image_generation", "size":"auto"}',
    ],
    [
      '{"background":"transparent","type":"image_generation", "input_fidelity":"low"}',
      '{"background":"transparent","type":"image_generation"}',
    ],
    [
      '{"input_fidelity":"low","type":"image_generation","model":"gpt-image-2"}',
      '{"type":"image_generation","model":"gpt-image-2"}',
    ],
  ];
  for (const [sent, expected] of cases) {
    expect(requestWith(`[{"type":"web_search"},${sent},${sent}]`)).toBe(
      `[{"type":"web_search"},${expected},${expected}]`,
    );
  }
  const kept = '[{"type":"image_generation","model":"gpt-image-1.5","input_fidelity":"high"}]';
  expect(requestWith(kept)).toBe(kept);
});

test('a whole response gets the public model, the contract’s `created` and _routing, and its usage is read', () => {
  const body =
    '{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"up-2025","output":[{"model":"x"}],"usage":{"input_tokens":3,"output_tokens":2},"error":null}';
  const answer = openaiResponses.relayAnswer(bytesOf(body), PATCH);
  if (answer instanceof Failure) throw new Error(answer.message);
  expect(text(answer.bytes)).toBe(
    body.replace('"up-2025"', '"public"').replace(/\}$/, `,"created":1,"_routing":${ROUTING}}`),
  );
  expect(answer.usage).toMatchObject({ input: 3, output: 2 });
});

test('a failed whole response is a failure', () => {
  const failed = '{"id":"r","status":"failed","error":{"code":"server_error","message":"Oh"},"model":"m","output":[]}';
  expect(openaiResponses.relayAnswer(bytesOf(failed), PATCH)).toBeInstanceOf(Failure);
  expect(openaiResponses.relayAnswer(bytesOf('<html>'), PATCH)).toBeInstanceOf(Failure);
});

const CREATED =
  'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","created_at":1,"status":"in_progress","model":"up","output":[]}}\n\n';
const DELTA =
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":1,"delta":"\\"model\\":\\"up\\""}\n\n';
const DONE =
  'event: response.completed\ndata: {"type":"response.completed","sequence_number":2,"response":{"id":"r","object":"response","created_at":1,"status":"completed","model":"up","output":[],"usage":{"input_tokens":3,"output_tokens":2}}}\n\n';

function relay() {
  return openaiResponses.relayStream(parsed({ model: 'm', input: 'Hi', stream: true }), PATCH);
}

test('a stream is relayed at any split, with the public model in each response and _routing in the last', () => {
  const sent = bytesOf(CREATED + DELTA + DONE);
  const expected = (CREATED + DELTA + DONE)
    .replaceAll('"model":"up","output"', '"model":"public","output"')
    .replace('"output":[]}}', '"output":[],"created":1}}')
    .replace('"output_tokens":2}}}', `"output_tokens":2},"created":1,"_routing":${ROUTING}}}`);
  for (let size = 1; size < sent.length; size += 7) {
    const stream = relay();
    let out = '';
    for (let at = 0; at < sent.length; at += size) out += text(stream.push(sent.subarray(at, at + size)));
    out += text(stream.end());
    expect(out).toBe(expected);
    expect([stream.failure, stream.finished]).toEqual([null, true]);
    expect(stream.usage).toMatchObject({ input: 3, output: 2 });
    expect(JSON.parse(stream.answerJson ?? '')).toMatchObject({
      id: 'r',
      model: 'public',
      _routing: JSON.parse(ROUTING),
    });
  }
});

test('events without numbers and items without ids get some', () => {
  const ids: string[] = [];
  const newId = (prefix: string) => {
    ids.push(`${prefix}${ids.length}`);
    return ids.at(-1) ?? '';
  };
  const event = (type: string, members: object) =>
    `event: response.${type}\ndata: ${JSON.stringify({ type: `response.${type}`, ...members })}\n\n`;
  const call = { type: 'function_call', call_id: 'c', name: 'f' };
  const message = { type: 'message', role: 'assistant', content: [] };
  const response = { id: 'r', object: 'response', created_at: 1, model: 'up' };
  const sent =
    event('created', { response: { ...response, status: 'in_progress', output: [] } }) +
    event('output_item.added', { output_index: 0, item: message }) +
    event('output_text.delta', { output_index: 0, content_index: 0, delta: 'Hi' }) +
    event('output_item.added', { output_index: 1, item: { ...call, arguments: '' } }) +
    event('function_call_arguments.delta', { output_index: 1, delta: '{}' }) +
    event('output_item.done', { output_index: 1, item: call }) +
    event('completed', { response: { ...response, status: 'completed', output: [message, call] } });
  const stream = openaiResponses.relayStream(parsed({ model: 'm', input: 'Hi', stream: true }), { ...PATCH, newId });
  const told = text(stream.push(bytesOf(sent))) + text(stream.end()) + text(stream.lastFrames?.() ?? new Uint8Array(0));
  const events = eventsOf(told).map(({ data }) => data);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(ids).toEqual(['msg_0', 'fc_1']);
  expect(events[1]).toMatchObject({ item: { id: 'msg_0' } });
  expect(events[2]).toMatchObject({ item_id: 'msg_0' });
  expect(events[3]).toMatchObject({ item: { id: 'fc_1', arguments: '' } });
  expect(events[4]).toMatchObject({ item_id: 'fc_1' });
  expect(events[5]).toMatchObject({ item: { id: 'fc_1', arguments: '{}' } });
  expect(events[6]).toMatchObject({ response: { output: [{ id: 'msg_0' }, { id: 'fc_1', arguments: '{}' }] } });
  // The name, the text and the arguments, each counted once.
  expect(stream.produced.bytes).toBe(5);
});

test('an item of a whole response gets a missing id', () => {
  const body =
    '{"id":"r","status":"completed","model":"m","output":[{"type":"reasoning","summary":[]},{"id":"msg_up","type":"message"}]}';
  const answer = openaiResponses.relayAnswer(bytesOf(body), PATCH);
  if (answer instanceof Failure) throw new Error(answer.message);
  expect(JSON.parse(text(answer.bytes)).output).toMatchObject([{ id: 'rs_' }, { id: 'msg_up' }]);
});

test('an error before the response has started allows another target', () => {
  const stream = relay();
  stream.push(bytesOf(CREATED));
  expect(stream.started).toBe(false);
  const error =
    '{"type":"error","sequence_number":1,"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"No"}}';
  expect(stream.push(bytesOf(`event: error\ndata: ${error}\n\n`))).toHaveLength(0);
  expect([stream.started, stream.failure?.kind]).toEqual([false, 'upstream_quota']);
});

test('a response that fails without content also allows another target', () => {
  const stream = relay();
  const response =
    '{"id":"r","status":"failed","model":"up","error":{"code":"server_error","message":"Oh"},"output":[]}';
  stream.push(bytesOf(`${CREATED}data: {"type":"response.failed","sequence_number":1,"response":${response}}\n\n`));
  expect([stream.started, stream.failure?.kind]).toEqual([false, 'error_in_200']);
});

test('a stream without its end is a failure, whose event continues the numbering', () => {
  const stream = relay();
  stream.push(bytesOf(CREATED + DELTA));
  expect(stream.started).toBe(true);
  stream.end();
  expect(stream.failure?.kind).toBe('truncated_stream');
  const frame = (stream.failure && stream.encodeFailure?.(stream.failure)) ?? '';
  const [error, failed] = eventsOf(frame);
  expect([error?.name, error?.data.sequence_number]).toEqual(['error', 2]);
  expect([failed?.name, failed?.data.sequence_number]).toEqual(['response.failed', 3]);
  expect(failed?.data.response).toMatchObject({
    ...{ id: 'r', model: 'public', status: 'failed', output: [], _routing: JSON.parse(ROUTING) },
    error: { code: 'server_error' },
  });
  const empty = relay();
  empty.end();
  expect(empty.failure?.kind).toBe('empty_stream');
});

test.each([
  '{"type":"error","sequence_number":2,"error":{"type":"server_error","code":"server_error","message":"Oh"}}',
  '{"type":"response.failed","sequence_number":2,"response":{"id":"r","status":"failed","error":{"code":"server_error"}}}',
])('the events of a failure continue the numbering that the client has seen: %s', (told) => {
  const stream = relay();
  stream.push(bytesOf(`${CREATED + DELTA}data: ${told}\n\n`));
  const events = eventsOf((stream.failure && stream.encodeFailure?.(stream.failure)) ?? '');
  expect(events.map(({ name, data }) => [name, data.sequence_number])).toEqual([
    ['error', 2],
    ['response.failed', 3],
  ]);
});

test('the last event counts even without its blank line', () => {
  const stream = relay();
  const out = text(stream.push(bytesOf(CREATED + DONE.trimEnd()))) + text(stream.end());
  expect(stream.finished).toBe(true);
  expect(out).toEndWith(`"_routing":${ROUTING}}}\n\n`);
});

test('an incomplete object in an event ends the stream; comments and an end mark are relayed', () => {
  const stream = relay();
  expect(text(stream.push(bytesOf(': ping\n\ndata: [DONE]\n\n')))).toBe(': ping\ndata: [DONE]\n\n');
  expect(stream.push(bytesOf('data: {"type":"response.created","response":{}\n\n'))).toHaveLength(0);
  expect([stream.started, stream.failure?.kind]).toEqual([false, 'garbage']);
});
