import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../../shared/gateway.ts';
import { asObject, parseJson } from '../../shared/json.ts';
import { tone } from '../../transcripts/bed.ts';
import { type StrictServer, startStrictServer } from '../server.ts';
import { openaiAudioChat } from './audio-chat.ts';

/* What a client may ask an audio model for, in OpenAI's words and in Gemini's. */

setDefaultTimeout(60_000);

const { name, provider, models } = openaiAudioChat;
let strict: StrictServer;
let gateway: Gateway;
let sound: string;

beforeAll(async () => {
  sound = Buffer.from(await (await tone('mp3')).arrayBuffer()).toString('base64');
  strict = startStrictServer([openaiAudioChat]);
  gateway = await startGatewayWith([
    {
      ...{ id: name, name, provider, api_key: 'upstream-key', base_url: strict.baseUrlOf(name) },
      ...{ formats: ['openai-chat'], models: Object.fromEntries(models.map((model) => [model, model])) },
    },
  ]);
});
afterAll(async () => {
  await gateway?.stop();
  await strict?.stop();
});
beforeEach(() => strict.clear());

async function ask(path: string, body: object) {
  const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(gateway.origin + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

const refusals = () => strict.refusals.map(({ rule, message }) => `${rule.id}: ${message}`);

test.each(models)('%s hears and speaks', async (model) => {
  const heard = { role: 'user', content: [{ type: 'input_audio', input_audio: { data: sound, format: 'mp3' } }] };
  const messages = [{ role: 'user', content: 'Hi' }];
  const inWords = { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'audio/mpeg', data: sound } }] }] };
  const asked: readonly (readonly [string, object])[] = [
    ['/v1/chat/completions', { model, messages: [heard] }],
    ['/v1/chat/completions', { model, messages: [heard], stream: true }],
    [
      '/v1/chat/completions',
      { model, messages, modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'mp3' } },
    ],
    [`/v1beta/models/${model}:generateContent`, inWords],
  ];
  for (const [path, body] of asked) {
    const { status, text } = await ask(path, body);
    expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
  }
  expect(refusals()).toEqual([]);
});

test.each([
  ['responseMimeType', { responseMimeType: 'application/json' }],
  ['responseSchema', { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT', properties: {} } }],
])('a form of the answer (%s) is refused with its name', async (member, generationConfig) => {
  const parts = [{ text: 'Answer in JSON.' }, { inlineData: { mimeType: 'audio/mpeg', data: sound } }];
  const { status, text } = await ask('/v1beta/models/gpt-audio:generateContent', {
    ...{ contents: [{ role: 'user', parts }], generationConfig },
  });
  const { message } = asObject(asObject(parseJson(text)).error);
  expect({ status, refusals: refusals() }).toEqual({ status: 400, refusals: [] });
  expect(String(message)).toContain(member);
});
