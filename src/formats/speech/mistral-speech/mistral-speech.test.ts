import { expect, test } from 'bun:test';
import { eventsOf, MP3, PCM, readOver, sentOver, splits, WAV } from '../../shared/testing/speech-samples.ts';
import { mistralSpeech } from './index.ts';

const utf8 = new TextEncoder();

test('the request is mapped to the API', () => {
  expect(sentOver(mistralSpeech, { voice: 'nova', speed: 1.5, language: 'fr', user: 'u' })).toEqual({
    body: { model: 'up', input: 'Hello', voice_id: 'gb_jane_neutral', response_format: 'mp3', stream: true },
    suffix: undefined,
    losses: ['language dropped', 'voice approximated', 'speed dropped', 'user dropped'],
  });
  expect(sentOver(mistralSpeech, { voice: 'voice_478', response_format: 'pcm', speed: 1 })).toEqual({
    body: { model: 'up', input: 'Hello', voice_id: 'voice_478', response_format: 'wav', stream: false },
    ...{ suffix: undefined, losses: [] },
  });
  expect(sentOver(mistralSpeech, { response_format: 'aac' })).toBe('400 response_format other-target');
});

test('a cloned voice needs no name', () => {
  expect(sentOver(mistralSpeech, { provider_options: { ref_audio: 'AAAA' } })).toMatchObject({
    body: { model: 'up', input: 'Hello', ref_audio: 'AAAA', response_format: 'mp3', stream: true },
  });
});

test('audio in one object is decoded as wav or samples', () => {
  const bytes = utf8.encode(JSON.stringify({ audio_data: WAV.toBase64() }));
  const read = (format: string) =>
    readOver(mistralSpeech, { body: { response_format: format }, type: 'application/json', pieces: [bytes] });
  expect(read('wav')).toMatchObject({ audio: WAV, mediaType: 'audio/wav', failure: null });
  expect(read('pcm')).toMatchObject({ audio: PCM, mediaType: 'audio/pcm', failure: null });
  expect(read('mp3')).toMatchObject({ failure: 'unsupported_parameter' });
});

test('audio in events is decoded, with usage', () => {
  const events = eventsOf(
    { type: 'speech.audio.delta', audio_data: MP3.toBase64() },
    { type: 'speech.audio.done', usage: { prompt_tokens: 4, completion_tokens: 8, total_tokens: 12 } },
  );
  for (const pieces of splits(events, 5)) {
    expect(readOver(mistralSpeech, { body: {}, type: 'text/event-stream', pieces })).toMatchObject({
      ...{ audio: MP3, mediaType: 'audio/mpeg', usage: { inputTokens: 4, outputTokens: 8 }, failure: null },
    });
  }
});

test('an object without audio is not a response', () => {
  for (const json of ['{}', '{"audio_data":null}', '{"audio_data":"<no>"}', '{"audio_data":5}', '[]', 'no']) {
    const answered = readOver(mistralSpeech, { body: {}, type: 'application/json', pieces: [utf8.encode(json)] });
    expect(answered).toMatchObject({ failure: 'garbage' });
  }
});
