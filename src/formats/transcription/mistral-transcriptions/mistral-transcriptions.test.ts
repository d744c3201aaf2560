import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  decodedOver,
  formOver,
  refusalOver,
  SAMPLE_FILE,
  streamedOver,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { mistralTranscriptions as wire } from './index.ts';

test("a request has the provider's own names", async () => {
  const request = transcriptionOf({
    ...{ language: 'de-AT', temperature: 0.5, keywords: ['one', 'two words', 'a,b'], prompt: 'p', stream: true },
    options: { target: 1 },
  });
  expect(await formOver(wire, request)).toEqual({
    parts: [
      ...[
        ['model', 'theirs'],
        ['language', 'de'],
        ['temperature', '0.5'],
        ['stream', 'true'],
        ['context_bias', 'one'],
      ],
      ...[['target', '1'], SAMPLE_FILE],
    ] as [string, unknown][],
    lost: ['prompt', 'keywords'],
  });
});

test('terms are limited to a hundred', async () => {
  const keywords = Array.from({ length: 101 }, (_, index) => `w${index}`);
  const { parts, lost } = await formOver(wire, transcriptionOf({ keywords }));
  expect(parts.filter(([name]) => name === 'context_bias')).toHaveLength(100);
  expect(lost).toEqual(['keywords']);
});

test('a language is dropped with timestamps, and if it has three letters', async () => {
  const timed = await formOver(wire, transcriptionOf({ language: 'de', format: 'srt' }));
  expect(timed).toEqual({
    parts: [['model', 'theirs'], ['timestamp_granularities', 'segment'], SAMPLE_FILE],
    lost: ['language'],
  });
  expect((await formOver(wire, transcriptionOf({ language: 'yue' }))).lost).toEqual(['language']);
});

test('words or speakers are requested', async () => {
  const words = transcriptionOf({ format: 'verbose_json', granularities: ['word', 'segment'] });
  expect((await formOver(wire, words)).parts).toContainEqual(['timestamp_granularities', 'word']);
  const { parts } = await formOver(wire, transcriptionOf({ format: 'diarized_json' }));
  expect(parts).toContainEqual(['diarize', 'true']);
  expect(parts).toContainEqual(['timestamp_granularities', 'segment']);
  expect(refusalOver(wire, { logprobs: true })?.param).toBe('include');
  expect(refusalOver(wire, { kind: 'translation' })?.param).toBe('model');
});

test('words are returned as segments', () => {
  const answer = {
    text: 'Hi you',
    segments: [
      { text: 'Hi', start: 0, end: 1 },
      { text: ' you', start: 1, end: 2 },
    ],
  };
  expect(decodedOver(wire, answer, { granularities: ['word'] })).toMatchObject({
    words: [{ word: 'Hi', start: 0, end: 1 }, { word: ' you' }],
    segments: null,
  });
});

test.each(['{}', '{"text":1}', '{"text":"a","segments":[{}]}', 'x', '{"message":"no","object":"error"}'])(
  '%p is a failure',
  (body) => expect(decodedOver(wire, body)).toBeInstanceOf(Failure),
);

const event = (type: string, members: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const STREAM = [
  event('transcription.language', { audio_language: 'en' }),
  event('transcription.text.delta', { text: 'Hi' }),
  event('transcription.text.delta', { text: '' }),
  event('transcription.segment', { text: 'Hi', start: 0, end: 1, speaker_id: 's' }),
  event('transcription.done', { text: 'Hi', model: 'm', segments: [], usage: { prompt_audio_seconds: 7 } }),
].join('');

test.each([1, 5, 1_000])('a stream is read in pieces of %p bytes', (pieceBytes) => {
  const { events, failure } = streamedOver(wire, STREAM, {}, pieceBytes);
  expect(failure).toBeNull();
  expect(events).toMatchObject([
    { type: 'delta', text: 'Hi' },
    { type: 'done', transcript: { text: 'Hi', language: 'en', billedSeconds: 7 } },
  ]);
  const diarized = streamedOver(wire, STREAM, { format: 'diarized_json' }, pieceBytes).events;
  expect(diarized[1]).toMatchObject({ type: 'segment', segment: { speaker: 's' } });
});

test('a stream that breaks off is a failure', () => {
  const cut = STREAM.slice(0, STREAM.indexOf('event: transcription.done'));
  expect(streamedOver(wire, cut).failure?.kind).toBe('truncated_stream');
  expect(streamedOver(wire, event('transcription.text.delta', { text: 1 })).failure?.kind).toBe('garbage');
});
