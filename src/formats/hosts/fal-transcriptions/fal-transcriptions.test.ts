import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  decodedOver,
  jsonOver,
  refusalOver,
  SAMPLE_BYTES,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { falTranscriptions as wire } from './index.ts';

const wizper = { upstreamModel: 'fal-ai/wizper' };
const whisper = { upstreamModel: 'fal-ai/whisper' };
const audio_url = `data:audio/mpeg;base64,${SAMPLE_BYTES.toBase64()}`;

test('a recording is sent as a data URI', async () => {
  expect(await jsonOver(wire, transcriptionOf({ prompt: 'p' }), wizper)).toEqual({
    body: { audio_url, task: 'transcribe', chunk_level: 'segment', language: null },
    suffix: '/fal-ai/wizper',
    lost: ['prompt'],
  });
  const request = transcriptionOf({
    ...{ prompt: 'p', language: 'pt-BR', format: 'verbose_json', granularities: ['word'], options: { batch_size: 8 } },
  });
  expect(await jsonOver(wire, request, whisper)).toEqual({
    body: { audio_url, task: 'transcribe', language: 'pt', chunk_level: 'word', prompt: 'p', batch_size: 8 },
    suffix: '/fal-ai/whisper',
    lost: [],
  });
});

test('wizper and whisper translate, and whisper separates speakers', async () => {
  const translation = await jsonOver(wire, transcriptionOf({ kind: 'translation' }), whisper);
  expect(translation.body).toMatchObject({ task: 'translate' });
  expect((await jsonOver(wire, transcriptionOf({ format: 'diarized_json' }), whisper)).body).toMatchObject({
    ...{ diarize: true, chunk_level: 'segment' },
  });
  expect(refusalOver(wire, { format: 'diarized_json' }, wizper)?.param).toBe('response_format');
  const words = { format: 'verbose_json', granularities: ['word'] } as const;
  expect(refusalOver(wire, words, wizper)?.param).toBe('timestamp_granularities');
});

test('words are read, even from a last chunk without an end', () => {
  const chunks = [
    { timestamp: [0, 1], text: ' Hi' },
    { timestamp: [1, null], text: ' you', speaker: 'SPEAKER_00' },
  ];
  const body = { text: ' Hi you', chunks, inferred_languages: ['de'] };
  expect(decodedOver(wire, body, { granularities: ['word'] })).toMatchObject({
    ...{
      text: 'Hi you',
      language: 'de',
      segments: null,
      words: [{ word: ' Hi' }, { start: 1, end: 1, speaker: 'SPEAKER_00' }],
    },
  });
  for (const wrong of ['{}', '{"text":"a","chunks":[{}]}', '{"text":"a","chunks":[{"timestamp":"x","text":"a"}]}']) {
    expect(decodedOver(wire, wrong)).toBeInstanceOf(Failure);
  }
});
