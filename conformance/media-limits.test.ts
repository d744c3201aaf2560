import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';
import { asObject } from './shared/json.ts';

/* The contract's file limits ("Errors", rule 4) for files within a request's body. */

const MEBIBYTE = 1024 * 1024;
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGatewayWith([
    {
      id: 'upstream',
      name: 'Upstream',
      provider: 'openai-compatible',
      base_url: 'http://127.0.0.1:9/v1',
      api_key: 'upstream-key',
      models: { model: 'model' },
    },
  ]);
});
afterAll(() => gateway?.stop());

/** Returns a file of this size that begins like an image or a sound. */
function fileOf(head: string, bytes: number): string {
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(bytes - head.length)]).toString('base64');
}

async function send(path: string, body: object) {
  const answer = await fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, error: asObject(asObject(await answer.json()).error) };
}

const PNG = fileOf('\x89PNG\r\n\x1a\n', 20 * MEBIBYTE + 1);
const WAV = fileOf('RIFF\0\0\0\0WAVE', 25 * MEBIBYTE + 1);
const CHAT = '/v1/chat/completions';
const chat = (block: object) => ({ model: 'model', messages: [{ role: 'user', content: [block] }] });

test.each([
  // The label says document, but the bytes decide.
  [
    CHAT,
    chat({ type: 'image_url', image_url: { url: `data:application/pdf;base64,${PNG}` } }),
    'messages[0].content[0].image_url.url',
  ],
  [
    CHAT,
    chat({ type: 'input_audio', input_audio: { data: WAV, format: 'wav' } }),
    'messages[0].content[0].input_audio.data',
  ],
  [
    '/v1/responses',
    {
      model: 'model',
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }] }],
    },
    'input[0].content[0].image_url',
  ],
])('%s refuses a file that is too large and names its field', async (path, body, param) => {
  const { status, error } = await send(path, body);
  expect([status, error.code, error.param]).toEqual([413, 'payload_too_large', param]);
});

test('Messages and Gemini refuse a large image in their own envelopes', async () => {
  const source = { type: 'base64', media_type: 'image/png', data: PNG };
  const message = { role: 'user', content: [{ type: 'image', source }] };
  const messages = await send('/v1/messages', { model: 'model', max_tokens: 16, messages: [message] });
  expect([messages.status, messages.error.type]).toEqual([413, 'invalid_request_error']);
  expect(messages.error.message).toContain('messages[0].content[0].source.data');
  const parts = [{ inlineData: { mimeType: 'image/png', data: PNG } }];
  const gemini = await send('/v1beta/models/model:generateContent', { contents: [{ parts }] });
  expect(gemini.status).toBe(413);
  expect(gemini.error.message).toContain('contents[0].parts[0].inlineData.data');
});

test('an image of exactly 20 MB is accepted', async () => {
  const url = `data:image/png;base64,${fileOf('\x89PNG\r\n\x1a\n', 20 * MEBIBYTE)}`;
  const { status, error } = await send(CHAT, chat({ type: 'image_url', image_url: { url } }));
  expect([status, error.code]).not.toEqual([413, 'payload_too_large']);
});
