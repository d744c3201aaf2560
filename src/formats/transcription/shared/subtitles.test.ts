import { expect, test } from 'bun:test';
import { srtOf, vttOf } from './subtitles.ts';

const cue = (start: number, end: number, text: string) => ({ start, end, text });

test('subtitles match those of Whisper', () => {
  const cues = [cue(0, 4.800000190734863, ' The sun was setting.'), cue(4.8, 3_661.0004, 'Then: night.')];
  expect(srtOf(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:04,800\nThe sun was setting.\n\n2\n00:00:04,800 --> 01:01:01,000\nThen: night.\n\n',
  );
  expect(vttOf(cues)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:04.800\nThe sun was setting.\n\n00:00:04.800 --> 01:01:01.000\nThen: night.\n\n',
  );
  expect([srtOf([]), vttOf([])]).toEqual(['', 'WEBVTT\n\n']);
});

test.each([
  [0.9994, '00:00:00,999'],
  [0.9996, '00:00:01,000'],
  [59.9999, '00:01:00,000'],
  [3_599.9999, '01:00:00,000'],
  [360_000, '100:00:00,000'],
])('%p seconds are %p', (seconds, time) => expect(srtOf([cue(0, seconds, 'a')])).toContain(`--> ${time}\n`));

test('cues are sorted by time, end after they start, and have text', () => {
  const told = srtOf([cue(3, 2, 'late'), cue(1, 1, 'early'), cue(0, 9, ' \n'), cue(1, 5, 'both')]);
  expect(told).toBe(
    [
      '1\n00:00:01,000 --> 00:00:01,001\nearly\n\n',
      '2\n00:00:01,000 --> 00:00:05,000\nboth\n\n',
      '3\n00:00:03,000 --> 00:00:03,001\nlate\n\n',
    ].join(''),
  );
});

test('no text can end its cue, or start another', () => {
  const text = 'a\r\n\r\n2\n00:00:09,000 --> 00:00:10,000\n\u2028\u0000b\u0007';
  expect(srtOf([cue(0, 1, text)])).toBe('1\n00:00:00,000 --> 00:00:01,000\na\n2\n00:00:09,000 -> 00:00:10,000\nb\n\n');
  expect(vttOf([cue(0, 1, '1 < 2 && <b>3</b> --> NOTE')])).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n1 &lt; 2 &amp;&amp; &lt;b&gt;3&lt;/b&gt; --&gt; NOTE\n\n',
  );
});
