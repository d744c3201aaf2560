import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import {
  decodedOver,
  formOver,
  refusalOver,
  SAMPLE_FILE,
  transcriptionOf,
} from '../../shared/testing/transcription-samples.ts';
import { xaiTranscriptions as wire } from './index.ts';

test('a request names no model, and has the file last', async () => {
  const request = transcriptionOf({
    ...{ language: 'pt-BR', keywords: ['a', 'b c'], format: 'diarized_json', temperature: 1 },
    options: { filler_words: true },
  });
  expect(await formOver(wire, request)).toEqual({
    parts: [
      ...[
        ['language', 'pt'],
        ['diarize', 'true'],
        ['keyterm', 'a'],
        ['keyterm', 'b c'],
        ['filler_words', 'true'],
      ],
      SAMPLE_FILE,
    ] as [string, unknown][],
    lost: ['temperature'],
  });
  expect(await formOver(wire, transcriptionOf())).toEqual({ parts: [SAMPLE_FILE], lost: [] });
});

test.each([
  [100, 50, 100, false],
  [101, 50, 100, true],
  [1, 51, 0, true],
])('with %p terms of %p characters it gets %p', async (count, length, sent, isLost) => {
  const keywords = Array.from({ length: count }, () => 'k'.repeat(length));
  const { parts, lost } = await formOver(wire, transcriptionOf({ keywords }));
  expect([parts.filter(([name]) => name === 'keyterm').length, lost]).toEqual([sent, isLost ? ['keywords'] : []]);
});

test('a response matches the documentation', () => {
  const words = [{ text: 'Hi.', start: 0, end: 0.5, confidence: 1, speaker: 0 }];
  expect(decodedOver(wire, { text: 'Hi.', language: '', duration: 1.25, words })).toMatchObject({
    ...{ text: 'Hi.', language: null, duration: 1.25, words: [{ word: 'Hi.', start: 0, end: 0.5, speaker: '0' }] },
  });
  for (const wrong of [{}, { text: 1 }, { text: 'a', words: [{ text: 'a' }] }]) {
    expect(decodedOver(wire, wrong)).toBeInstanceOf(Failure);
  }
  expect(refusalOver(wire, { kind: 'translation' })?.param).toBe('model');
});
