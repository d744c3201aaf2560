import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  decodedOver,
  formOver,
  refusalOver,
  SAMPLE_FILE,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { cohereTranscriptions as wire } from './index.ts';

test('a request matches the documentation', async () => {
  const request = transcriptionOf({ language: 'de-AT', temperature: 0.2, prompt: 'p', format: 'vtt' });
  expect(await formOver(wire, request)).toEqual({
    parts: [['model', 'theirs'], ['language', 'de'], ['temperature', '0.2'], SAMPLE_FILE],
    lost: ['prompt', 'response_format'],
  });
});

test('unsupported languages and files are refused, and another channel may be tried', () => {
  expect(refusalOver(wire, { language: 'sv' })).toMatchObject({ param: 'language', retry: 'other-target' });
  expect(refusalOver(wire, { language: 'deu' })).toBeNull();
  for (const mediaType of ['audio/mp4', 'video/mp4', 'video/webm'])
    expect(refusalOver(wire, { language: 'de', mediaType })).toMatchObject({ param: 'file', retry: 'other-target' });
});

test('the language is required, and there are no timestamps', () => {
  expect(refusalOver(wire, {})?.param).toBe('language');
  const words = { language: 'de', format: 'verbose_json', granularities: ['word'] } as const;
  expect(refusalOver(wire, words)?.param).toBe('timestamp_granularities');
  expect(refusalOver(wire, { ...words, granularities: ['segment'] })?.param).toBe('timestamp_granularities');
  expect(refusalOver(wire, { ...words, granularities: [] })).toBeNull();
});

test('a response is plain text', () => {
  expect(decodedOver(wire, { text: 'Hi.' })).toMatchObject({
    text: 'Hi.',
    segments: null,
    words: null,
    duration: null,
  });
  for (const wrong of ['', '{}', '{"text":null}', '{"message":"no"}'])
    expect(decodedOver(wire, wrong)).toBeInstanceOf(Failure);
});
