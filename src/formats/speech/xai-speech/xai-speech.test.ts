import { expect, test } from 'bun:test';
import { PCM, readOver, sentOver } from '../../shared/testing/speech-samples.ts';
import { xaiSpeech } from './index.ts';

test('the request is mapped to the API', () => {
  expect(sentOver(xaiSpeech, { voice: 'alloy', speed: 0.25, instructions: 'slowly' })).toEqual({
    body: {
      ...{ text: 'Hello', voice_id: 'sal', language: 'auto', speed: 0.7 },
      output_format: { codec: 'mp3', sample_rate: 24_000, bit_rate: 128_000 },
    },
    suffix: undefined,
    losses: ['instructions dropped', 'voice approximated', 'speed approximated'],
  });
  for (const codec of ['wav', 'pcm']) {
    expect(sentOver(xaiSpeech, { response_format: codec, language: 'de' })).toMatchObject({
      body: { voice_id: 'eve', language: 'de', output_format: { codec, sample_rate: 24_000 } },
    });
  }
  expect(sentOver(xaiSpeech, { response_format: 'opus' })).toBe('400 response_format other-target');
});

test.each([
  ['es', 'es-ES', []],
  ['en-GB', 'en', ['language approximated']],
  ['pt-br', 'pt-BR', []],
  ['sv', 'auto', ['language dropped']],
] as const)('the language %p is sent as %p', (language, sent, losses) => {
  expect(sentOver(xaiSpeech, { language })).toMatchObject({ body: { language: sent }, losses: [...losses] });
});

test('the response is audio', () => {
  const body = { response_format: 'pcm' };
  expect(readOver(xaiSpeech, { body, type: 'audio/pcm', pieces: [PCM] })).toMatchObject({ audio: PCM, failure: null });
  const object = new TextEncoder().encode('{"error":{"message":"no"}}');
  const answered = readOver(xaiSpeech, { body, type: 'application/json', pieces: [object] });
  expect(typeof answered === 'string' ? answered : answered.failure).not.toBeNull();
});
