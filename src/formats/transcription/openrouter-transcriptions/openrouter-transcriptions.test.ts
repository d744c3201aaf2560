import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  decodedOver,
  jsonOver,
  refusalOver,
  SAMPLE_BYTES,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { openrouterTranscriptions as wire } from './index.ts';

const whisper = { upstreamModel: 'openai/whisper-1' };
const input_audio = { data: SAMPLE_BYTES.toBase64(), format: 'mp3' };

test('a request has the recording in JSON', async () => {
  expect(await jsonOver(wire, transcriptionOf(), whisper)).toMatchObject({
    body: { model: 'openai/whisper-1', input_audio },
    lost: [],
  });
  const request = transcriptionOf({
    ...{ language: 'de', temperature: 0, prompt: 'p', format: 'verbose_json', granularities: ['word'], stream: true },
    options: { provider: { options: { groq: { a: 1 } } } },
  });
  expect((await jsonOver(wire, request, whisper)).body).toEqual({
    ...{ model: 'openai/whisper-1', language: 'de', temperature: 0, response_format: 'verbose_json' },
    ...{ timestamp_granularities: ['word'], input_audio, provider: { options: { groq: { a: 1 } } } },
  });
  expect((await jsonOver(wire, request, whisper)).lost).toEqual(['prompt']);
});

test('a language is sent without its region', async () => {
  expect(await jsonOver(wire, transcriptionOf({ language: 'pt-BR' }), whisper)).toMatchObject({
    body: { language: 'pt' },
  });
});

test('what cannot be carried is refused', () => {
  expect(refusalOver(wire, { kind: 'translation' }, whisper)?.param).toBe('model');
  expect(refusalOver(wire, { format: 'diarized_json' }, whisper)?.param).toBe('response_format');
  const words = { format: 'verbose_json', granularities: ['word'] } as const;
  expect(refusalOver(wire, words, { upstreamModel: 'openai/gpt-4o-transcribe' })?.param).toBe(
    'timestamp_granularities',
  );
  expect(refusalOver(wire, { options: { input_audio: {} } })?.param).toBe('provider_options.input_audio');
});

test('tokens and seconds are read', () => {
  const usage = { cost: 0.0005, input_tokens: 83, output_tokens: 30, seconds: 9.2, total_tokens: 113 };
  expect(decodedOver(wire, { text: 'a', usage })).toMatchObject({
    ...{ billedSeconds: 9.2, tokens: { textInput: 0, audioInput: 83, output: 30 } },
  });
  expect(decodedOver(wire, '{}')).toBeInstanceOf(Failure);
});
