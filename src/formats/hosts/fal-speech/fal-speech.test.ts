import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { MP3, PCM, readOver, sentOver, splits, WAV } from '../../shared/testing/speech-samples.ts';
import { falSpeech } from './index.ts';

const utf8 = new TextEncoder();
const sent = (upstreamModel: string, body: object) => sentOver(falSpeech, body, { upstreamModel });

test('each maker has its own names for the text, the voice, the speed and the language', () => {
  const asked = { voice: 'onyx', speed: 4, language: 'pt-BR', instructions: 'Softly', user: 'u' };
  expect(sent('fal-ai/kokoro/american-english', asked)).toEqual({
    body: { prompt: 'Hello', voice: 'am_onyx', speed: 4 },
    suffix: '/fal-ai/kokoro/american-english',
    losses: ['instructions dropped', 'language dropped', 'voice approximated', 'user dropped'],
  });
  expect(sent('fal-ai/minimax/speech-02-hd', asked)).toMatchObject({
    body: {
      ...{ text: 'Hello', voice_setting: { voice_id: 'Deep_Voice_Man', speed: 2 }, language_boost: 'Portuguese' },
      ...{ output_format: 'url', audio_setting: { format: 'mp3' } },
    },
    losses: ['instructions dropped', 'voice approximated', 'speed approximated', 'user dropped'],
  });
  expect(sent('fal-ai/elevenlabs/tts/turbo-v2.5', asked)).toMatchObject({
    body: { text: 'Hello', voice: 'Brian', speed: 1.2, language_code: 'pt' },
  });
  expect(sent('fal-ai/elevenlabs/tts/turbo-v2.5', { language: 'is' })).toMatchObject({ losses: ['language dropped'] });
  expect(sent('fal-ai/playai/tts/v3', asked)).toMatchObject({
    body: { input: 'Hello', voice: 'Dexter (English (US)/American)' },
    losses: ['instructions dropped', 'language dropped', 'voice approximated', 'speed dropped', 'user dropped'],
  });
});

test('newer MiniMax models call the text a prompt, and Eleven Multilingual takes no language', () => {
  for (const model of ['speech-2.6-turbo', 'speech-2.8-hd']) {
    expect(sent(`fal-ai/minimax/${model}`, {})).toMatchObject({ body: { prompt: 'Hello' } });
  }
  expect(sent('fal-ai/minimax/preview/speech-2.5-hd', {})).toMatchObject({ body: { text: 'Hello' } });
  expect(sent('fal-ai/elevenlabs/tts/multilingual-v2', { language: 'de' })).toMatchObject({
    ...{ body: { text: 'Hello' }, losses: ['language dropped'] },
  });
  expect(sent('fal-ai/minimax/speech-02-hd', { language: 'gsw' })).toMatchObject({ losses: ['language dropped'] });
});

test('each language of Kokoro has its own voices, and a default', () => {
  const voices: readonly (readonly [string, object, string])[] = [
    ['british-english', {}, 'bf_alice'],
    ['spanish', { voice: 'ash' }, 'em_alex'],
    ['japanese', { voice: 'jf_nezumi' }, 'jf_nezumi'],
    ['mandarin-chinese', { voice: 'nova' }, 'zf_xiaobei'],
  ];
  for (const [language, asked, voice] of voices) {
    expect(sent(`fal-ai/kokoro/${language}`, asked)).toMatchObject({ body: { prompt: 'Hello', voice } });
  }
});

test("an unknown model gets the text, and a voice that is not OpenAI's", () => {
  expect(sent('fal-ai/dia-tts', { voice: 'alloy', speed: 2 })).toEqual({
    ...{ body: { text: 'Hello' }, suffix: '/fal-ai/dia-tts', losses: ['voice dropped', 'speed dropped'] },
  });
  expect(sent('fal-ai/x', { voice: 'Aurora' })).toMatchObject({ body: { text: 'Hello', voice: 'Aurora' }, losses: [] });
  expect(sent('fal-ai/x', { voice: { id: 'alloy' } })).toMatchObject({ body: { voice: 'alloy' } });
});

test('options are merged without replacing fields', () => {
  const options = { voice_setting: { emotion: 'happy' }, audio_setting: { bitrate: 64_000 } };
  expect(sent('fal-ai/minimax/speech-02-hd', { provider_options: options })).toMatchObject({
    body: {
      voice_setting: { voice_id: 'Wise_Woman', emotion: 'happy' },
      audio_setting: { format: 'mp3', bitrate: 64_000 },
    },
  });
  expect(sent('fal-ai/kokoro', { provider_options: { prompt: 'x' } })).toBe('400 provider_options.prompt never');
});

test('response formats are mapped or refused', () => {
  expect(sent('fal-ai/kokoro', { response_format: 'mp3' })).toBe('400 response_format other-target');
  expect(sent('fal-ai/minimax/speech-02-hd', { response_format: 'wav' })).toMatchObject({
    body: { audio_setting: { format: 'pcm', sample_rate: 24_000, channel: 1 } },
  });
});

test('the URL of the audio is read from the response', () => {
  const of = (body: unknown) =>
    falSpeech.fileOf?.({ bytes: utf8.encode(JSON.stringify(body)), headers: new Headers() });
  const url = 'https://v3.fal.media/files/a.wav';
  expect(of({ audio: { url, content_type: 'audio/wav' } })).toEqual({ url, mediaType: 'audio/wav' });
  expect(of({ audio: { url }, duration_ms: 5 })).toEqual({ url, mediaType: null });
  expect(of({ audio_url: { url, content_type: 7 } })).toEqual({ url, mediaType: null });
  const wrongs = [{}, [], null, 5, { audio: null }, { audio: {} }, { audio: { url: 5 } }, { audio: { url: '' } }];
  for (const wrong of [...wrongs, { audio: [] }, { audio: true }, { error: { message: 'no' } }]) {
    expect([wrong, of(wrong) instanceof Failure]).toEqual([wrong, true]);
  }
});

test('the audio file is read in pieces', () => {
  const target = { upstreamModel: 'fal-ai/kokoro' };
  for (const pieces of splits(WAV, 7)) {
    expect(readOver(falSpeech, { body: {}, type: 'audio/wav', pieces, target })).toMatchObject({
      ...{ audio: WAV, mediaType: 'audio/wav', failure: null },
    });
    expect(readOver(falSpeech, { body: { response_format: 'pcm' }, type: null, pieces, target })).toMatchObject({
      ...{ audio: PCM, mediaType: 'audio/pcm', failure: null },
    });
  }
  // A model may produce a different format than its siblings.
  expect(readOver(falSpeech, { body: {}, type: 'audio/mpeg', pieces: [MP3], target })).toMatchObject({
    ...{ audio: MP3, mediaType: 'audio/mpeg', failure: null },
  });
  for (const type of ['text/html', 'application/json', 'image/png']) {
    const read = readOver(falSpeech, { body: {}, type, pieces: [utf8.encode('{"detail":"gone"}')], target });
    expect(typeof read === 'string' ? read : read.failure).toBe('garbage');
  }
});

test("an error names the client's field", () => {
  const failure = (member: string) => {
    const body = { detail: [{ loc: ['body', member], msg: 'Input should be valid', type: 'value_error' }] };
    return falSpeech.decodeFailure(422, new Headers(), utf8.encode(JSON.stringify(body))).details.param;
  };
  expect([failure('prompt'), failure('voice'), failure('language_boost')]).toEqual(['input', 'voice', 'language']);
});
