import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { asObject, parseJson } from '../../shared/json.ts';
import { tone } from '../../transcripts/bed.ts';
import { channelTo, strictBed } from '../bed.ts';
import { openaiAudioChat } from './audio-chat.ts';

/* Requests for an audio model, in OpenAI's format and in Gemini's. */

setDefaultTimeout(600_000);

const { models } = openaiAudioChat;
const { post, refusals } = strictBed([openaiAudioChat], (server, upstream) => ({
  ...channelTo(server, upstream, (_, model) => model),
  formats: ['openai-chat'],
}));
let sound: string;

beforeAll(async () => {
  sound = Buffer.from(await (await tone('mp3')).arrayBuffer()).toString('base64');
});

test.each(models)('%s accepts and returns audio', async (model) => {
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
    const { status, text } = await post(path, body);
    expect([path, status, status === 200 ? '' : text]).toEqual([path, 200, '']);
  }
  expect(refusals()).toEqual([]);
});

test.each([
  ['responseMimeType', { responseMimeType: 'application/json' }],
  ['responseSchema', { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT', properties: {} } }],
])('a response format (%s) is refused by name', async (member, generationConfig) => {
  const parts = [{ text: 'Answer in JSON.' }, { inlineData: { mimeType: 'audio/mpeg', data: sound } }];
  const { status, text } = await post('/v1beta/models/gpt-audio:generateContent', {
    ...{ contents: [{ role: 'user', parts }], generationConfig },
  });
  const { message } = asObject(asObject(parseJson(text)).error);
  expect({ status, refusals: refusals() }).toEqual({ status: 400, refusals: [] });
  expect(String(message)).toContain(member);
});

test.each([
  ['whole', 'generateContent'],
  ['streamed', 'streamGenerateContent?alt=sse'],
])('an audio response for a Gemini client, %s, has a voice', async (_, method) => {
  const { status } = await post(`/v1beta/models/gpt-audio:${method}`, {
    ...{ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: { responseModalities: ['AUDIO'] } },
  });
  expect({ status, refusals: refusals() }).toEqual({ status: 200, refusals: [] });
});
