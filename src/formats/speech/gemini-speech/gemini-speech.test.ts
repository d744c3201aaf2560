import { expect, test } from 'bun:test';
import { eventsOf, PCM, readOver, sentOver, splits } from '../../shared/testing/speech-samples.ts';
import { geminiSpeech } from './index.ts';

const utf8 = new TextEncoder();
const answerOf = (bytes: Uint8Array, mimeType = 'audio/L16;codec=pcm;rate=24000') => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType, data: bytes.toBase64() } }] } }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 25, totalTokenCount: 28 },
});

test('the request is mapped to the API', () => {
  const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Puck' } }, languageCode: 'de-DE' };
  expect(sentOver(geminiSpeech, { voice: 'verse', language: 'de-DE', speed: 2 })).toEqual({
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { responseModalities: ['AUDIO'], speechConfig },
    },
    suffix: undefined,
    losses: ['voice approximated', 'speed dropped'],
  });
});

test.each([
  ['de', 'de-DE', []],
  ['zh', 'cmn-CN', []],
  ['en-ZA', 'en-US', ['language approximated']],
  ['sv-SE', undefined, ['language dropped']],
] as const)('the language %p is sent as %p', (language, languageCode, losses) => {
  const sent = sentOver(geminiSpeech, { language });
  if (typeof sent === 'string') throw new Error(sent);
  expect(sent.body).toMatchObject({
    generationConfig: { speechConfig: languageCode === undefined ? {} : { languageCode } },
  });
  expect(JSON.stringify(sent.body).includes('languageCode')).toBe(languageCode !== undefined);
  expect(sent.losses).toEqual([...losses]);
});

test('instructions are sent separately from the text if the model supports it', () => {
  const sent = (upstreamModel: string) =>
    sentOver(geminiSpeech, { voice: 'Kore', instructions: 'Say warmly' }, { upstreamModel });
  expect(sent('gemini-3.8-flash-tts')).toMatchObject({
    body: { contents: [{ parts: [{ text: 'Hello', speechMetadata: { style: 'Say warmly' } }] }] },
    losses: [],
  });
  expect(sent('gemini-2.5-flash-preview-tts')).toMatchObject({
    body: { contents: [{ parts: [{ text: 'Say warmly: Hello' }] }] },
    losses: ['instructions approximated'],
  });
});

test('samples pass unchanged, or get a header', () => {
  const read = (body: object, mimeType?: string) =>
    readOver(geminiSpeech, {
      ...{ body, type: 'application/json; charset=UTF-8' },
      pieces: [utf8.encode(JSON.stringify(answerOf(PCM, mimeType)))],
    });
  const usage = { inputTokens: 3, outputTokens: 25 };
  expect(read({ response_format: 'pcm' })).toMatchObject({ audio: PCM, mediaType: 'audio/pcm', usage });
  const wav = read({});
  if (typeof wav === 'string') throw new Error(wav);
  expect([wav.mediaType, wav.audio.length, wav.failure]).toEqual(['audio/wav', PCM.length + 44, null]);
  const slow = read({}, 'audio/L16;codec=pcm;rate=16000');
  if (typeof slow === 'string') throw new Error(slow);
  expect(Buffer.from(slow.audio).readUInt32LE(24)).toBe(16_000);
  expect(sentOver(geminiSpeech, { response_format: 'mp3' })).toBe('400 response_format other-target');
});

test('events are decoded to audio', () => {
  const last = answerOf(PCM.subarray(101));
  const ended = { ...last, candidates: last.candidates.map((one) => ({ ...one, finishReason: 'STOP' })) };
  const events = eventsOf(answerOf(PCM.subarray(0, 101)), ended);
  for (const pieces of splits(events, 11)) {
    const body = { response_format: 'pcm' };
    expect(readOver(geminiSpeech, { body, type: 'text/event-stream', pieces })).toMatchObject({ audio: PCM });
  }
});

test('a stream that breaks off, or ends without a good reason, is a failure', () => {
  const read = (finishReason?: string) => {
    const candidates = [{ ...(finishReason && { finishReason }), content: { parts: [] } }];
    const events = eventsOf(answerOf(PCM), { candidates });
    return readOver(geminiSpeech, {
      body: { response_format: 'pcm' },
      type: 'text/event-stream',
      pieces: [events],
    });
  };
  expect(read('STOP')).toMatchObject({ audio: PCM, failure: null });
  expect(read()).toMatchObject({ failure: 'truncated_stream' });
  expect(read('OTHER')).toMatchObject({ failure: 'failed_generation' });
  expect(read('SAFETY')).toMatchObject({ failure: 'content_refused' });
});

test('refusals and responses without audio are failures', () => {
  const read = (answer: unknown) =>
    readOver(geminiSpeech, { body: {}, type: 'application/json', pieces: [utf8.encode(JSON.stringify(answer))] });
  expect(read({ promptFeedback: { blockReason: 'SAFETY' } })).toMatchObject({ failure: 'content_refused' });
  expect(read({})).toMatchObject({ failure: 'garbage' });
  for (const candidates of [[], [null], [{}], [{ content: { parts: [{ text: 'no' }] } }]]) {
    expect(read({ candidates })).toMatchObject({ audio: new Uint8Array(0), failure: null });
  }
  const data = { candidates: [{ content: { parts: [{ inlineData: { data: 5 } }] } }] };
  expect(read(data)).toMatchObject({ failure: 'garbage' });
});
