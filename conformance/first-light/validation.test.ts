import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { type Answer, answerOf, chatBody, rawRequest, verdict } from '../shared/answer.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

const KEY = clientKey('main');
const LIMIT_BYTES = 100_000;

const upstream = startUpstream();
let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['alpha', 'alpha-large', 'concealed', 'waiting'] })],
    models: [
      { id: 'concealed', status: 'hidden' },
      { id: 'waiting', status: 'hold' },
    ],
    accounts: [accountWith('acme', [keyNamed('main')])],
    server: { max_body_bytes: LIMIT_BYTES },
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});

afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

const post = (body: object | string, headers: Record<string, string> = {}) => serving.chat(KEY, body, { headers });

function expectEnvelope(answer: Answer): void {
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.headers.get('x-request-id')).toMatch(/\S/);
  expect(Object.keys(answer.error)).toEqual(expect.arrayContaining(['message', 'type', 'code', 'param']));
  for (const name of ['message', 'type', 'code']) expect(typeof answer.error[name]).toBe('string');
}

/** Returns a message list with this message as the third. */
const third = (message: unknown) => ({
  messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Hello!' }, message],
});
const block = (value: unknown) => third({ role: 'user', content: [value] });
const functionTool = (value: unknown) => ({ tools: [{ type: 'function', function: value }] });

describe('an invalid field is named by its path', () => {
  test.each<[string, object]>([
    ['model', { model: undefined }],
    ['model', { model: 7 }],
    ['model', { model: '' }],
    ['model', { model: null }],
    ['messages', { messages: undefined }],
    ['messages', { messages: [] }],
    ['messages', { messages: 'Hello!' }],
    ['messages', { messages: { role: 'user' } }],
    ['messages[2]', third('Hello!')],
    ['messages[2].role', third({ content: 'Hello!' })],
    ['messages[2].role', third({ role: 'boss', content: 'Hello!' })],
    ['messages[2].content', third({ role: 'user' })],
    ['messages[2].content', third({ role: 'user', content: 7 })],
    ['messages[2].content', third({ role: 'system', content: null })],
    ['messages[2].content[0]', block('Hello!')],
    ['messages[2].content[0].type', block({ text: 'Hello!' })],
    ['messages[2].content[0].type', block({ type: 'hologram' })],
    ['messages[2].content[0].text', block({ type: 'text' })],
    ['messages[2].content[0].text', block({ type: 'text', text: 7 })],
    ['messages[2].content[0].image_url', block({ type: 'image_url' })],
    ['messages[2].content[0].image_url.url', block({ type: 'image_url', image_url: { detail: 'low' } })],
    ['messages[2].content[0].video_url.url', block({ type: 'video_url', video_url: { url: 7 } })],
    ['messages[2].content[0].audio_url', block({ type: 'audio_url', audio_url: 'https://example.com/a.mp3' })],
    ['temperature', { temperature: '1' }],
    ['temperature', { temperature: -0.1 }],
    ['temperature', { temperature: 2.1 }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_completion_tokens', { max_completion_tokens: '100' }],
    ['stream', { stream: 'yes' }],
    ['stream_options', { stream: true, stream_options: true }],
    ['stream_options.include_usage', { stream: true, stream_options: { include_usage: 'yes' } }],
    ['top_p', { top_p: '0.5' }],
    ['top_p', { top_p: 1.5 }],
    ['top_k', { top_k: 1.5 }],
    ['frequency_penalty', { frequency_penalty: -2.1 }],
    ['frequency_penalty', { frequency_penalty: 2.1 }],
    ['presence_penalty', { presence_penalty: -2.1 }],
    ['presence_penalty', { presence_penalty: 2.1 }],
    ['stop', { stop: ['1', '2', '3', '4', '5'] }],
    ['stop', { stop: 7 }],
    ['stop[1]', { stop: ['1', 2] }],
    ['tools', { tools: {} }],
    ['tools[0].type', { tools: [{}] }],
    ['tools[0].function', functionTool(undefined)],
    ['tools[0].function.name', functionTool({})],
    ['tool_choice', { tool_choice: 'sometimes' }],
    ['tool_choice', { tool_choice: 7 }],
    ['tool_choice.type', { tool_choice: {} }],
    ['parallel_tool_calls', { parallel_tool_calls: 'no' }],
    ['reasoning_effort', { reasoning_effort: 'heroic' }],
    ['seed', { seed: 1.5 }],
    ['n', { n: 0 }],
    ['n', { n: 129 }],
    ['n', { n: 1.5 }],
    ['logprobs', { logprobs: 1 }],
    ['top_logprobs', { logprobs: true, top_logprobs: 21 }],
    ['top_logprobs', { logprobs: true, top_logprobs: -1 }],
    ['top_logprobs', { top_logprobs: 5 }],
    ['top_logprobs', { logprobs: false, top_logprobs: 5 }],
    ['response_format', { response_format: 'json' }],
    ['response_format.type', { response_format: { type: 'yaml' } }],
    ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
    ['logit_bias', { logit_bias: [] }],
    ['logit_bias["50256"]', { logit_bias: { '50256': 101 } }],
    ['logit_bias["50256"]', { logit_bias: { '11': 1, '50256': -100.5 } }],
    ['user', { user: 7 }],
    ['cache_control', { cache_control: 'default' }],
    ['cache_control.type', { cache_control: { type: 'forever' } }],
    ['cache_control.max_age', { cache_control: { max_age: 86_401 } }],
    ['cache_control.max_age', { cache_control: { max_age: -1 } }],
    ['cache_control.max_age', { cache_control: { max_age: 1.5 } }],
  ])('%s: %j', async (param, fields) => {
    const answer = await post({ ...chatBody('alpha'), ...fields });
    expect([answer.status, answer.error.type, answer.error.param]).toEqual([400, 'invalid_request_error', param]);
    expectEnvelope(answer);
    expect(String(answer.error.message)).toContain(param);
  });

  test('an invalid request never reaches the upstream', async () => {
    const before = upstream.requests.length;
    await post({ ...chatBody('alpha'), n: 0 });
    expect(upstream.requests).toHaveLength(before);
  });

  test('values at their limits and unknown fields are accepted', async () => {
    const text = JSON.stringify({
      ...third({ role: 'user', content: [{ type: 'text', text: 'Hello!', x_note: { deep: [1.5, null] } }] }),
      model: 'alpha',
      temperature: 2,
      top_p: 1,
      top_k: 40,
      frequency_penalty: -2,
      presence_penalty: 2,
      stop: ['1', '2', '3', '4'],
      n: 128,
      logprobs: true,
      top_logprobs: 20,
      logit_bias: { '50256': -100, '11': 100 },
      reasoning_effort: 'low',
      seed: 7,
      user: 'someone',
      cache_control: { type: 'semantic_only', max_age: 86_400 },
      tools: [{ type: 'function', function: { name: 'f', x_extra: true } }],
      tool_choice: 'auto',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: {} } },
      x_invented: { model: 'not this', list: [1e2] },
    });
    const answer = await post(text);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    // The gateway's own cache control is not sent upstream.
    const own = '"cache_control":{"type":"semantic_only","max_age":86400},';
    expect(text).toContain(own);
    expect(upstream.requests.at(-1)?.text).toBe(text.replace(own, ''));
  });

  test('every role that SDKs send is accepted', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: '42' },
      { role: 'function', name: 'f', content: '42' },
    ];
    expect((await post({ model: 'alpha', messages })).status).toBe(200);
  });
});

describe('bodies that are not chat requests', () => {
  test.each<[string, string]>([
    ['', '400 invalid_request_error empty_body'],
    ['{"model": "alpha", "messages": [', '400 invalid_request_error invalid_json'],
    ["{'model': 'alpha'}", '400 invalid_request_error invalid_json'],
    ['{"model": "alpha"} trailing', '400 invalid_request_error invalid_json'],
    ['   ', '400 invalid_request_error invalid_json'],
    ['[]', '400 invalid_request_error invalid_type'],
    ['null', '400 invalid_request_error invalid_type'],
    ['"alpha"', '400 invalid_request_error invalid_type'],
    ['7', '400 invalid_request_error invalid_type'],
    ['{}', '400 invalid_request_error missing_required_parameter'],
  ])('the body %p', async (body, expected) => {
    const answer = await post(body);
    expect(verdict(answer)).toBe(expected);
    expectEnvelope(answer);
  });

  test('bytes that are not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"model":"alpha","messages":[{"role":"user","content":"'),
      Buffer.from([0xff, 0xfe, 0xc0]),
      Buffer.from('"}]}'),
    ]);
    const answer = await answerOf(
      await fetch(`${serving.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: bytes,
      }),
    );
    expect(verdict(answer)).toBe('400 invalid_request_error invalid_json');
    expect(answer.error.message).toContain('UTF-8');
  });

  test.each([
    ['text/plain', false],
    ['application/x-www-form-urlencoded', false],
    ['multipart/form-data; boundary=x', false],
    ['application/jsonp', false],
    ['application/json', true],
    ['application/json; charset=utf-8', true],
    ['APPLICATION/JSON', true],
  ])('the content type %s', async (contentType, isAccepted) => {
    const answer = await post(chatBody('alpha'), { 'content-type': contentType });
    if (isAccepted) return expect(answer.status).toBe(200);
    expect(verdict(answer)).toBe('400 invalid_request_error unsupported_content_type');
    expectEnvelope(answer);
  });

  test("with curl's default content type, the message names the missing header", async () => {
    const answer = await post(chatBody('alpha'), { 'content-type': 'application/x-www-form-urlencoded' });
    expect(answer.error.message).toContain('Content-Type: application/json');
  });

  test('nesting as deep as the body limit allows does no harm', async () => {
    const depth = 45_000;
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const levels = Math.floor(depth / open.length);
      const nested = `${open.repeat(levels)}1${close.repeat(levels)}`;
      const answer = await post(`{"x":${nested},"model":"alpha","messages":[{"role":"user","content":"Hello!"}]}`);
      expect([200, 400]).toContain(answer.status);
    }
    expect((await post(chatBody('alpha'))).status).toBe(200);
  });
});

describe('unknown paths, methods and models', () => {
  const ask = async (method: string, path: string) =>
    answerOf(await fetch(`${serving.origin}${path}`, { method, headers: { authorization: `Bearer ${KEY}` } }));

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('%s on the chat path', async (method) => {
    const answer = await ask(method, '/v1/chat/completions');
    expect(verdict(answer)).toBe('405 invalid_request_error method_not_allowed');
    expect(answer.headers.get('allow')).toBe('POST');
    expectEnvelope(answer);
  });

  test.each(['/v1', '/v1/nothing', '/nothing', '/v2/chat/completions', '/v1/chat/completions/x'])(
    'the path %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const answer = await ask(method, path);
        expect(verdict(answer)).toBe('404 invalid_request_error unknown_url');
        expectEnvelope(answer);
      }
    },
  );

  test('a query after the path changes nothing', async () => {
    const url = `${serving.baseUrl}/chat/completions?api-version=2026-01-01`;
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(chatBody('alpha')) });
    expect(response.status).toBe(200);
    await response.text();
  });

  test('an unknown model, with suggestions', async () => {
    const answer = await post(chatBody('alhpa'));
    expect(verdict(answer)).toBe('404 invalid_request_error model_not_found');
    expect(answer.error).toMatchObject({
      param: 'model',
      did_you_mean: 'alpha',
      suggestions: [{ id: 'alpha' }],
    });
  });

  test('hidden, on hold or misspelled: the bodies differ only by name', async () => {
    const bodies = await Promise.all(
      ['concealed', 'waiting', 'zzzzzzz'].map(async (model) => {
        const answer = await post(chatBody(model));
        expect(answer.status).toBe(404);
        return answer.text.replaceAll(model, 'X');
      }),
    );
    expect(new Set(bodies).size).toBe(1);
    for (const near of ['concealedd', 'waitingg'])
      expect((await post(chatBody(near))).error.did_you_mean).toBeUndefined();
  });

  test('a very long model name is truncated in the error', async () => {
    const answer = await post(chatBody('m'.repeat(50_000)));
    expect(answer.status).toBe(404);
    expect(answer.text.length).toBeLessThan(2_000);
  });
});

describe('a body over the limit', () => {
  const bodyOf = (bytes: number) => {
    const frame = JSON.stringify(chatBody('alpha', { user: '' }));
    return JSON.stringify(chatBody('alpha', { user: 'x'.repeat(bytes - frame.length) }));
  };
  const head = (line: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\n${line}\r\n\r\n`;
  const TOO_LARGE = '413 invalid_request_error payload_too_large';

  test('is refused one byte above the limit, and accepted at it', async () => {
    expect((await post(bodyOf(LIMIT_BYTES))).status).toBe(200);
    const answer = await post(bodyOf(LIMIT_BYTES + 1));
    expect(verdict(answer)).toBe(TOO_LARGE);
    expectEnvelope(answer);
    expect(answer.error.message).toContain(String(LIMIT_BYTES));
  });

  test('is refused in chunks without a length', async () => {
    const chunked = (text: string) =>
      `${head('transfer-encoding: chunked')}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    expect((await rawRequest(serving.port, chunked(bodyOf(LIMIT_BYTES)))).status).toBe(200);
    const { status, body } = await rawRequest(serving.port, chunked(bodyOf(LIMIT_BYTES + 1)));
    expect([status, asObject(asObject(parseJson(body)).error).code]).toEqual([413, 'payload_too_large']);
  });

  test('is refused by its declared length, before it arrives', async () => {
    const { status, body } = await rawRequest(serving.port, `${head('content-length: 10000000000')}{`);
    expect([status, asObject(asObject(parseJson(body)).error).code]).toEqual([413, 'payload_too_large']);
  });

  test('is refused and not collected if it never ends', async () => {
    const { status } = await rawRequest(
      serving.port,
      `${head('transfer-encoding: chunked')}${`4000\r\n${'x'.repeat(0x4000)}\r\n`.repeat(64)}`,
    );
    expect(status).toBe(413);
    expect((await post(chatBody('alpha'))).status).toBe(200);
  });

  test('a client that declares more than it sends, and disconnects, affects no other client', async () => {
    const before = upstream.requests.length;
    const body = JSON.stringify(chatBody('alpha'));
    const inFlight = async () => {
      const metrics = await (await fetch(`${serving.origin}/metrics`)).text();
      return Number(/^switchyard_requests_in_flight (\d+)$/m.exec(metrics)?.[1]);
    };
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      const socket = connect(serving.port, '127.0.0.1');
      socket.on('error', () => {});
      await new Promise<void>((sent) => socket.write(`${head('content-length: 5000')}${body}`, () => sent()));
      await until('the request has arrived', async () => (await inFlight()) === 1);
      socket[leave]();
      socket.destroy();
      await until('the request is finished', async () => (await inFlight()) === 0);
    }
    expect(upstream.requests).toHaveLength(before);
    expect((await post(chatBody('alpha'))).status).toBe(200);
  });
});
