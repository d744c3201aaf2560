import type { TranscriptSegment } from '../../../domain/audio/transcription.ts';

/* Writes subtitles. Both formats end a cue at a blank line, and know a line with times by its arrow. */

type Cue = Pick<TranscriptSegment, 'start' | 'end' | 'text'>;

/** SubRip, as OpenAI's Whisper writes it. */
export function srtOf(segments: readonly Cue[]): string {
  return timed(segments)
    .map(({ from, to, text }, index) => {
      const line = text.replaceAll('-->', '->');
      return `${index + 1}\n${timestamp(from, ',')} --> ${timestamp(to, ',')}\n${line}\n\n`;
    })
    .join('');
}

/** WebVTT (W3C). Its text may hold markup, so what would begin some is escaped. */
export function vttOf(segments: readonly Cue[]): string {
  const cues = timed(segments).map(
    ({ from, to, text }) => `${timestamp(from, '.')} --> ${timestamp(to, '.')}\n${escaped(text)}\n\n`,
  );
  return `WEBVTT\n\n${cues.join('')}`;
}

interface TimedCue {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** In milliseconds, in the order of time; players drop a cue that does not end after it begins. */
function timed(segments: readonly Cue[]): readonly TimedCue[] {
  return segments
    .map(({ start, end, text }) => ({ from: Math.round(start * 1000), to: Math.round(end * 1000), text: oneCue(text) }))
    .filter(({ text }) => text !== '')
    .toSorted((left, right) => left.from - right.from)
    .map(({ from, to, text }) => ({ from, to: Math.max(to, from + 1), text }));
}

/** Without control characters, and without blank lines, which would end the cue. */
function oneCue(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const visible = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '');
  return visible
    .replaceAll(/\s*[\r\n\u2028\u2029]\s*/g, '\n')
    .replaceAll('\t', ' ')
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Hours have as many digits as they need, and at least two. */
function timestamp(milliseconds: number, point: ',' | '.'): string {
  const [hours, minutes, seconds] = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor(milliseconds / 60_000) % 60,
    Math.floor(milliseconds / 1_000) % 60,
  ];
  const clock = [hours, minutes, seconds].map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}${point}${String(milliseconds % 1_000).padStart(3, '0')}`;
}
