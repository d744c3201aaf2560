import type { Transcript, TranscriptSegment, TranscriptWord } from './transcription.ts';

/* Builds segments for transcripts whose upstream reports none; subtitles and `verbose_json` consist of them. */

/** A segment made of words ends at its first pause of at least this many seconds. */
const PAUSE_SECONDS = 0.8;
/** Two subtitle lines, and the longest time that they should be shown. */
const MOST_CHARACTERS = 84;
const MOST_SECONDS = 7;

/** The end of a sentence, including closing quotes and brackets. */
const SENTENCE_END = /[.!?…。！？｡؟।]["'”’»）)\]]*$/u;

/** How many characters after the previous word a word is searched for in the text. */
const SEARCHED_CHARACTERS = 64;

/** Slower than anyone speaks, so that a subtitle of unknown length is shown long enough. */
const CHARACTERS_PER_SECOND = 12;

/**
 * Returns the segments of a transcript in order of time, none without text: the upstream's own, otherwise built from its words,
 * otherwise one for the whole file. `durationMs` is the file's length if known.
 */
export function segmentsOf(
  transcript: Pick<Transcript, 'text' | 'segments' | 'words' | 'duration'>,
  durationMs: number | null,
): readonly TranscriptSegment[] {
  const { text, segments, words, duration } = transcript;
  const own = (segments ?? []).filter((segment) => segment.text.trim() !== '');
  if (own.length > 0) return inOrder(own);
  const spoken = (words ?? []).filter(({ word }) => word.trim() !== '');
  if (spoken.length > 0) return segmentsOfWords(inOrder(spoken), text);
  if (text.trim() === '') return [];
  const seconds = duration ?? (durationMs === null ? null : durationMs / 1000);
  const end = seconds ?? Math.max(1, text.length / CHARACTERS_PER_SECOND);
  return [{ start: 0, end, text: text.trim(), speaker: null, details: {} }];
}

/** Sorts by start time; items with the same start keep their order. */
function inOrder<Timed extends { readonly start: number }>(items: readonly Timed[]): readonly Timed[] {
  return items.toSorted((left, right) => left.start - right.start);
}

/**
 * Builds segments that end at the end of a sentence, at a pause, at a change of speaker, and before they become too long. Their
 * text is cut from the whole text, which has the punctuation that words often lack.
 */
function segmentsOfWords(words: readonly TranscriptWord[], text: string): readonly TranscriptSegment[] {
  const placed = placeWords(words, text);
  const segments: TranscriptSegment[] = [];
  let open: PlacedWord[] = [];
  for (const word of placed) {
    if (open.length > 0 && endsBefore(open, word)) {
      segments.push(joined(open));
      open = [];
    }
    open.push(word);
  }
  if (open.length > 0) segments.push(joined(open));
  return segments;
}

/** A word with the text from its beginning up to the next one. */
interface PlacedWord extends TranscriptWord {
  readonly written: string;
}

function endsBefore(open: readonly PlacedWord[], next: PlacedWord): boolean {
  const [first] = open;
  const last = open.at(-1);
  if (first === undefined || last === undefined) return false;
  if (next.speaker !== last.speaker || next.start - last.end >= PAUSE_SECONDS) return true;
  if (SENTENCE_END.test(last.written.trimEnd())) return true;
  const length = open.reduce((sum, { written }) => sum + written.length, 0) + next.written.trimEnd().length;
  return length > MOST_CHARACTERS || next.end - first.start > MOST_SECONDS;
}

function joined(words: readonly PlacedWord[]): TranscriptSegment {
  const [first] = words;
  return {
    start: first?.start ?? 0,
    end: words.reduce((latest, { end }) => Math.max(latest, end), 0),
    text: words
      .map(({ written }) => written)
      .join('')
      .trim(),
    speaker: first?.speaker ?? null,
    details: {},
  };
}

/** Locates the words in the text. If they do not occur in it in order, joins them with spaces instead. */
function placeWords(words: readonly TranscriptWord[], text: string): readonly PlacedWord[] {
  const starts: number[] = [];
  const folded = text.toLowerCase();
  // A different length would shift all offsets (`İ` has two characters in lower case).
  const searched = folded.length === text.length ? folded : text;
  let at = 0;
  for (const { word } of words) {
    const wanted = searched === folded ? word.trim().toLowerCase() : word.trim();
    const found = searched.slice(at, at + SEARCHED_CHARACTERS + wanted.length).indexOf(wanted);
    if (found < 0) return words.map((one) => ({ ...one, written: `${one.word.trim()} ` }));
    starts.push(startOfToken(text, at, at + found));
    at += found + wanted.length;
  }
  return words.map((one, index) => {
    const from = index === 0 ? 0 : starts[index];
    return { ...one, written: text.slice(from, starts[index + 1] ?? text.length) };
  });
}

/**
 * Returns where the characters that belong to a word begin, such as a quote before it; `from` is the end of the previous word.
 */
function startOfToken(text: string, from: number, word: number): number {
  let start = word;
  while (start > from && !/\s/.test(text.charAt(start - 1))) start--;
  return start > from ? start : word;
}
