import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  decodedOver,
  refusalOver,
  SAMPLE_BYTES,
  sentOver,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { deepgramListen as wire } from './index.ts';

const sent = async (...args: Parameters<typeof transcriptionOf>) => {
  const request = await sentOver(wire, transcriptionOf(...args), { upstreamModel: 'nova-3' });
  if (request instanceof Failure) throw new Error(request.message);
  return request;
};
const query = async (...args: Parameters<typeof transcriptionOf>) =>
  [...new URLSearchParams((await sent(...args)).suffix?.slice(1))].map((pair) => pair.join('='));

test('the recording is the body, and the query has all else', async () => {
  const { bytes, headers, suffix, lost } = await sent({ prompt: 'p', temperature: 1 });
  expect([bytes, headers, lost]).toEqual([SAMPLE_BYTES, { 'content-type': 'audio/mpeg' }, ['prompt', 'temperature']]);
  expect(suffix).toBe('?model=nova-3&detect_language=true&smart_format=true');
});

test('languages, words, speakers and options are query parameters', async () => {
  expect(await query({ language: 'pt-BR', format: 'srt' })).toEqual([
    ...['model=nova-3', 'language=pt-BR', 'utterances=true', 'smart_format=true'],
  ]);
  expect(await query({ languages: ['de', 'en'], keywords: ['a b', 'c&d'] })).toEqual([
    ...['model=nova-3', 'detect_language=de', 'detect_language=en', 'keyterm=a b', 'keyterm=c&d', 'smart_format=true'],
  ]);
  expect(await query({ format: 'diarized_json', options: { smart_format: false, numerals: true } })).toEqual([
    ...[
      'model=nova-3',
      'detect_language=true',
      'utterances=true',
      'diarize=true',
      'smart_format=false',
      'numerals=true',
    ],
  ]);
  const older = await sentOver(wire, transcriptionOf({ keywords: ['a'] }), { upstreamModel: 'nova-2' });
  expect(older instanceof Failure ? older : older.suffix).toContain('keywords=a');
});

test('a region is kept for a model that lists it, else dropped', async () => {
  const written = async (language: string) => (await query({ language }))[1];
  expect(await written('en_gb')).toBe('language=en-GB');
  expect(await written('es-ES')).toBe('language=es');
  expect(await written('deu')).toBe('language=de');
  expect((await query({ languages: ['pt-BR', 'pt-PT', 'de-AT'] })).slice(1, 3)).toEqual([
    ...['detect_language=pt', 'detect_language=de'],
  ]);
});

test('terms are cut at the limit', async () => {
  const keywords = Array.from({ length: 150 }, (_, index) => `Antidisestablishment${index}`);
  const terms = await sent({ keywords });
  const tokens = new URLSearchParams(terms.suffix).getAll('keyterm').join('').length / 2;
  expect(tokens).toBeWithin(450, 501);
  expect(terms.lost).toEqual(['keywords']);
  const older = await sentOver(wire, transcriptionOf({ keywords: keywords.map((_, index) => `w${index}`) }), {
    upstreamModel: 'nova-2',
  });
  if (older instanceof Failure) throw new Error(older.message);
  expect(new URLSearchParams(older.suffix).getAll('keywords')).toHaveLength(100);
  expect(older.lost).toEqual(['keywords']);
  const long = Array.from(
    { length: 100 },
    () => 'a keyword of very many letters, which together make too long an address',
  );
  const refusal = await sentOver(wire, transcriptionOf({ keywords: long }), { upstreamModel: 'nova-2' });
  expect(refusal instanceof Failure ? refusal.details.param : null).toBe('keywords');
});

test('what cannot be carried is refused or reported', () => {
  expect(refusalOver(wire, { logprobs: true })?.param).toBe('include');
  expect(refusalOver(wire, { options: { model: 'x' } })?.param).toBe('provider_options.model');
});

test('channels are concatenated, and utterances are segments', () => {
  const channel = (transcript: string) => ({ alternatives: [{ transcript, words: [] }] });
  const utterances = [{ start: 0, end: 1, transcript: 'Hi.', speaker: 1 }];
  const results = { channels: [channel('One.'), channel(''), channel('Two.')], utterances };
  expect(decodedOver(wire, { metadata: { duration: 2 }, results })).toMatchObject({
    ...{ text: 'One.\nTwo.', duration: 2, segments: [{ text: 'Hi.', speaker: '1' }] },
  });
});

test.each([
  '{}',
  '{"request_id":"x"}',
  '{"results":{"channels":[]}}',
  '{"results":{"channels":[{}]}}',
  '{"results":{"channels":[{"alternatives":[{"transcript":1}]}]}}',
  '{"results":{"channels":[{"alternatives":[{"transcript":"a","words":[{}]}]}]}}',
  '{"results":{"channels":[{"alternatives":[{"transcript":"a"}]}],"utterances":[{}]}}',
])('%p is not a transcript', (body) => expect(decodedOver(wire, body)).toBeInstanceOf(Failure));
