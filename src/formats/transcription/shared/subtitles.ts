import type { TranscriptSegment } from '../../../domain/audio/transcription.ts';

/* Writes subtitles. In both formats a blank line ends a cue, and an arrow identifies a line with times. */

type Cue = Pick<TranscriptSegment, 'start' | 'end' | 'text'>;

/** Writes SubRip, as OpenAI's Whisper does. */
export function srtOf(segments: readonly Cue[]): string {
  return timed(segments)
    .map(({ from, to, text }, index) => {
      const line = text.replaceAll('-->', '->');
      return `${index + 1}\n${timestamp(from, ',')} --> ${timestamp(to, ',')}\n${line}\n\n`;
    })
    .join('');
}

/** Writes WebVTT (W3C). Its text may contain markup, so characters that would begin some are escaped. */
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

/** Returns cues in milliseconds, in order of time; players drop a cue that does not end after it begins. */
function timed(segments: readonly Cue[]): readonly TimedCue[] {
  return segments
    .map(({ start, end, text }) => ({ from: Math.round(start * 1000), to: Math.round(end * 1000), text: oneCue(text) }))
    .filter(({ text }) => text !== '')
    .toSorted((left, right) => left.from - right.from)
    .map(({ from, to, text }) => ({ from, to: Math.max(to, from + 1), text }));
}

/** Removes control characters, and blank lines, which would end the cue. */
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

/** Formats a time; hours have at least two digits and as many as they need. */
function timestamp(milliseconds: number, point: ',' | '.'): string {
  const [hours, minutes, seconds] = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor(milliseconds / 60_000) % 60,
    Math.floor(milliseconds / 1_000) % 60,
  ];
  const clock = [hours, minutes, seconds].map((part) => String(part).padStart(2, '0')).join(':');
  return `${clock}${point}${String(milliseconds % 1_000).padStart(3, '0')}`;
}
