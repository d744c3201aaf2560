import type {
  Transcript,
  TranscriptionTokens,
  TranscriptSegment,
  TranscriptWord,
} from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { largestCount, nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { addMembers, isRecord, objectOf } from '../../shared/json/record.ts';

type Members = Readonly<Record<string, unknown>>;

/* Read upstreams' transcripts, which are not trusted. */

/** The longest recording: a month. */
const MOST_SECONDS = 31 * 24 * 3_600;

export function noText(): Failure {
  return garbage("The upstream's response has no transcript text.");
}

function wrongTimes(): Failure {
  return garbage("The upstream's response has invalid times or words.");
}

/** Returns a number of seconds, given as a number or as text (as in Groq's document); `null` for anything else. */
export function secondsOrNull(value: unknown): number | null {
  const seconds = typeof value === 'string' && /^\d+(?:\.\d+)?s?$/.test(value) ? Number.parseFloat(value) : value;
  return typeof seconds === 'number' && seconds >= 0 && seconds <= Number.MAX_SAFE_INTEGER ? seconds : null;
}

/** Returns a position in the recording, in seconds. */
function timeOrNull(value: unknown): number | null {
  const seconds = secondsOrNull(value);
  return seconds !== null && seconds <= MOST_SECONDS ? seconds : null;
}

/** The facts in one item of an answer's list, unchecked. */
export interface ToldSpan {
  readonly start: unknown;
  readonly end: unknown;
  readonly text: unknown;
  readonly speaker?: unknown;
}

interface ReadSpan {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker: string | null;
}

/**
 * Returns `null` unless there are both times and a text. An end before the start, which some models report, is set to the start.
 */
function readSpan({ start, end, text, speaker }: ToldSpan): ReadSpan | null {
  const from = timeOrNull(start);
  const to = timeOrNull(end);
  if (from === null || to === null || typeof text !== 'string') return null;
  return { start: from, end: Math.max(from, to), text, speaker: speakerName(speaker) };
}

/** Returns a speaker's name or number as text. */
function speakerName(speaker: unknown): string | null {
  return typeof speaker === 'number' && Number.isInteger(speaker) ? String(speaker) : nonEmptyText(speaker);
}

/** Reads one item of a list; `null` to leave it out. */
export type SpanTeller = (item: Members) => ToldSpan | null;

/** Returns the segments of a list; `null` if none exists, a failure if one of them is invalid. */
export function segmentsIn(
  list: unknown,
  told: SpanTeller,
  detailsOf: (item: Members) => Readonly<Record<string, unknown>> = () => ({}),
): readonly TranscriptSegment[] | null | Failure {
  return spansIn(list, told, (span, item) => ({ ...span, details: detailsOf(item) }));
}

/** Returns the words of a list; `null` if none exists, a failure if one of them is invalid. */
export function wordsIn(list: unknown, told: SpanTeller): readonly TranscriptWord[] | null | Failure {
  return spansIn(list, told, ({ start, end, text, speaker }) => ({ start, end, word: text, speaker }));
}

function spansIn<Span>(
  list: unknown,
  told: SpanTeller,
  make: (span: ReadSpan, item: Members) => Span,
): readonly Span[] | null | Failure {
  if (list === undefined || list === null) return null;
  if (!Array.isArray(list)) return wrongTimes();
  const spans: Span[] = [];
  for (const item of list) {
    if (!isRecord(item)) return wrongTimes();
    const said = told(item);
    if (said === null) continue;
    const span = readSpan(said);
    if (span === null) return wrongTimes();
    spans.push(make(span, item));
  }
  return spans;
}

/** Joins segments by spaces, for an upstream that sends no whole text. */
export function textOfSegments(segments: readonly Pick<TranscriptSegment, 'text'>[]): string {
  return segments
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join(' ');
}

/** Reads tokens as OpenAI and its imitators count them; `null` if none are reported. Input of no stated kind is audio. */
export function tokensIn(usage: unknown): TranscriptionTokens | null {
  if (!isRecord(usage)) return null;
  const input = largestCount(usage.input_tokens, usage.prompt_tokens);
  const output = largestCount(usage.output_tokens, usage.completion_tokens);
  if (input === null && output === null) return null;
  const { text_tokens } = objectOf(usage.input_token_details);
  const textInput = Math.min(input ?? 0, largestCount(text_tokens) ?? 0);
  return { textInput, audioInput: (input ?? 0) - textInput, output: output ?? 0 };
}

/** Reads a transcript in OpenAI's members. `isOwn`: the client gets all members of the object. */
export function openaiTranscript(body: Members, isOwn: boolean): Transcript | Failure {
  const text = textOrNull(body.text);
  if (text === null) return noText();
  const segments = segmentsIn(body.segments, segmentTold, segmentDetails);
  if (segments instanceof Failure) return segments;
  const words = wordsIn(body.words, wordTold);
  if (words instanceof Failure) return words;
  return {
    text,
    segments,
    words,
    language: nonEmptyText(body.language),
    duration: secondsOrNull(body.duration),
    billedSeconds: isRecord(body.usage) ? secondsOrNull(body.usage.seconds) : null,
    tokens: tokensIn(body.usage),
    model: nonEmptyText(body.model),
    own: isOwn ? body : null,
  };
}

export function segmentTold({ start, end, text, speaker }: Members) {
  return { start, end, text, speaker };
}

function wordTold({ start, end, word, speaker }: Members) {
  return { start, end, text: word, speaker };
}

const READ_MEMBERS = new Set(['id', 'start', 'end', 'text', 'speaker', 'type', 'words']);

function segmentDetails(segment: Members): Members {
  const names = Object.keys(segment).filter((name) => !READ_MEMBERS.has(name));
  return addMembers({}, Object.fromEntries(names.map((name) => [name, segment[name]])));
}
