import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  decodedOver,
  formOver,
  refusalOver,
  SAMPLE_FILE,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { elevenlabsTranscriptions as wire } from './index.ts';

test("a request has the provider's own names", async () => {
  const request = transcriptionOf({
    ...{ language: 'en-US', temperature: 0, keywords: ['a', 'b c'], format: 'diarized_json', prompt: 'p' },
    options: { tag_audio_events: false, num_speakers: 2 },
  });
  expect(await formOver(wire, request, { upstreamModel: 'scribe_v2' })).toEqual({
    parts: [
      ...[
        ['model_id', 'scribe_v2'],
        ['language_code', 'en'],
        ['timestamps_granularity', 'word'],
        ['diarize', 'true'],
      ],
      ...[
        ['temperature', '0'],
        ['keyterms', 'a'],
        ['keyterms', 'b c'],
        ['tag_audio_events', 'false'],
      ],
      ...[['num_speakers', '2'], SAMPLE_FILE],
    ] as [string, unknown][],
    lost: ['prompt'],
  });
  expect((await formOver(wire, transcriptionOf())).parts).toContainEqual(['timestamps_granularity', 'none']);
});

test('terms are limited to those it accepts', async () => {
  const keywords = ['Switchyard', 'x'.repeat(50), 'one two three four five six', 'list[0]', '<b>', 'one two three'];
  const { parts, lost } = await formOver(wire, transcriptionOf({ keywords }), { upstreamModel: 'scribe_v2' });
  expect(parts.filter(([name]) => name === 'keyterms').map(([, term]) => term)).toEqual([
    'Switchyard',
    'one two three',
  ]);
  expect(lost).toEqual(['keywords']);
  const first = await formOver(wire, transcriptionOf({ keywords }), { upstreamModel: 'scribe_v1' });
  expect(first.parts.map(([name]) => name)).not.toContain('keyterms');
  expect(first.lost).toEqual(['keywords']);
});

test('what cannot be carried is refused', () => {
  expect(refusalOver(wire, { kind: 'translation' })?.param).toBe('model');
  const speakers = { speakerNames: ['a'], speakerReferences: ['data:audio/wav;base64,AA=='] };
  expect(refusalOver(wire, speakers)?.param).toBe('known_speaker_names');
});

test('a duration is read, and words without times', () => {
  const words = [
    { type: 'word', text: 'Hi', logprob: 0 },
    { type: 'word', text: 'you', start: 1, end: 2, logprob: 0 },
  ];
  expect(decodedOver(wire, { text: 'Hi you', language_code: 'en', words, audio_duration_secs: 2.5 })).toMatchObject({
    ...{ duration: 2.5, words: [{ word: 'you', start: 1, end: 2 }] },
  });
});

test.each([
  '{}',
  '{"message":"accepted"}',
  '{"text":"a","words":[{"type":"word","text":1,"start":0,"end":1}]}',
  '{"text":"a","words":1}',
])('%p is not a transcript', (body) => expect(decodedOver(wire, body)).toBeInstanceOf(Failure));
