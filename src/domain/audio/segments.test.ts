import { expect, test } from 'bun:test';
import { segmentsOf } from './segments.ts';
import { EMPTY_TRANSCRIPT, type TranscriptSegment, type TranscriptWord } from './transcription.ts';

const segment = (start: number, end: number, text: string): TranscriptSegment => ({
  ...{ start, end, text, speaker: null, details: {} },
});
/** Returns words of half a second each, without pauses. */
const words = (text: string, from = 0): TranscriptWord[] =>
  text.split(' ').map((word, index) => ({
    ...{ word, start: from + index / 2, end: from + (index + 1) / 2, speaker: null },
  }));
const made = (text: string, of: readonly TranscriptWord[]) =>
  segmentsOf({ ...EMPTY_TRANSCRIPT, text, words: of }, null).map((one) => [one.start, one.end, one.text]);

test('reported segments are sorted by time, and empty ones are dropped', () => {
  const segments = [segment(2, 3, 'b'), segment(0, 1, 'a'), segment(1, 2, ' '), segment(2, 4, 'c')];
  const found = segmentsOf({ ...EMPTY_TRANSCRIPT, segments }, null);
  expect(found.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
});

test('words are split at sentence ends and take the punctuation of the text', () => {
  const text = 'Hello there, friend. “How are you?” Fine!';
  expect(made(text, words('hello there friend how are you fine'))).toEqual([
    [0, 1.5, 'Hello there, friend.'],
    [1.5, 3, '“How are you?”'],
    [3, 3.5, 'Fine!'],
  ]);
});

test('words are split at pauses, at speaker changes and before a segment gets too long', () => {
  expect(made('one two', [...words('one'), ...words('two', 1.3)])).toHaveLength(2);
  expect(made('one two', [...words('one'), ...words('two', 1.2)])).toHaveLength(1);
  const two = words('one two').map((word, index) => ({ ...word, speaker: index === 0 ? 'A' : 'B' }));
  expect(segmentsOf({ ...EMPTY_TRANSCRIPT, text: 'one two', words: two }, null).map(({ speaker }) => speaker)).toEqual([
    'A',
    'B',
  ]);
  const long = Array.from({ length: 60 }, () => 'word').join(' ');
  for (const [start = 0, end = 0, text = ''] of made(long, words(long)) as [number, number, string][]) {
    expect(end - start).toBeLessThanOrEqual(7);
    expect(text.length).toBeLessThanOrEqual(84);
  }
  expect(
    made(long, words(long))
      .map(([, , text]) => text)
      .join(' '),
  ).toBe(long);
});

test('words of languages without spaces are joined without spaces', () => {
  const of = ['今', '日', 'は'].map((word, index) => ({ word, start: index, end: index + 1, speaker: null }));
  expect(made('今日は。', of)).toEqual([[0, 3, '今日は。']]);
});

test('words missing from the text are joined by spaces', () => {
  expect(made('Twenty dollars.', words('$20 now'))).toEqual([[0, 1, '$20 now']]);
  expect(made('İstanbul ok', words('istanbul ok'))).toHaveLength(1);
});

test('a text without times is one segment for the whole file', () => {
  const whole = { ...EMPTY_TRANSCRIPT, text: ' Hi. ' };
  expect(segmentsOf(whole, 4_000)).toEqual([segment(0, 4, 'Hi.')]);
  expect(segmentsOf({ ...whole, duration: 5 }, 4_000)).toEqual([segment(0, 5, 'Hi.')]);
  expect(segmentsOf({ ...whole, segments: [], words: [] }, null)).toEqual([segment(0, 1, 'Hi.')]);
  expect(segmentsOf({ ...EMPTY_TRANSCRIPT, text: '\n' }, 4_000)).toEqual([]);
});
