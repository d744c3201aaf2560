import { expect, test } from 'bun:test';
import { MP3, PCM, readOver, sentOver } from '../../shared/testing/speech-samples.ts';
import { elevenlabsSpeech } from './index.ts';

const GEORGE = 'JBFqnCBsd6RMkjVDRZzb';

test('the voice is in the path, and the format in the query', () => {
  expect(sentOver(elevenlabsSpeech, { speed: 2, language: 'pt-BR' }, { upstreamModel: 'eleven_v4' })).toEqual({
    body: { text: 'Hello', model_id: 'eleven_v4', language_code: 'pt', voice_settings: { speed: 1.2 } },
    suffix: `/${GEORGE}/stream?output_format=mp3_44100_128`,
    losses: ['speed approximated'],
  });
  const formats = { mp3: 'mp3_44100_128', opus: 'opus_48000_128', pcm: 'pcm_24000', wav: 'pcm_24000' };
  for (const [format, output] of Object.entries(formats)) {
    expect(sentOver(elevenlabsSpeech, { response_format: format, voice: 'abc_1' })).toMatchObject({
      suffix: `/abc_1/stream?output_format=${output}`,
    });
  }
  expect(sentOver(elevenlabsSpeech, { response_format: 'flac' })).toBe('400 response_format other-target');
});

test('a voice cannot leave the path', () => {
  for (const voice of ['..', 'a/b', '%2e', 'a?b', 'a b', 'é', 'x'.repeat(129)]) {
    expect(sentOver(elevenlabsSpeech, { voice })).toBe('400 voice other-target');
  }
});

test('a model without languages gets none', () => {
  expect(sentOver(elevenlabsSpeech, { language: 'de' }, { upstreamModel: 'eleven_multilingual_v2' })).toMatchObject({
    body: { text: 'Hello', model_id: 'eleven_multilingual_v2' },
    losses: ['language dropped'],
  });
});

test('options are merged without replacing fields', () => {
  const provider_options = { seed: 7, voice_settings: { stability: 0.4 } };
  expect(sentOver(elevenlabsSpeech, { speed: 1.1, provider_options })).toMatchObject({
    body: { seed: 7, voice_settings: { speed: 1.1, stability: 0.4 } },
  });
  expect(sentOver(elevenlabsSpeech, { provider_options: { text: 'x' } })).toContain('provider_options.text');
});

test('audio passes unchanged, and samples get a header', () => {
  expect(readOver(elevenlabsSpeech, { body: {}, type: 'audio/mpeg', pieces: [MP3] })).toMatchObject({ audio: MP3 });
  const wav = readOver(elevenlabsSpeech, { body: { response_format: 'wav' }, type: 'audio/pcm', pieces: [PCM] });
  expect(wav).toMatchObject({ mediaType: 'audio/wav', failure: null, characters: null });
  expect(readOver(elevenlabsSpeech, { body: {}, type: 'text/event-stream', pieces: [] })).toBe('garbage');
});
