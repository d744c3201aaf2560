import { languageName } from '../../../domain/audio/language-name.ts';
import { segmentsOf } from '../../../domain/audio/segments.ts';
import {
  EMPTY_TRANSCRIPT,
  type Transcript,
  type TranscriptFormat,
  type TranscriptionRequest,
  type TranscriptionTokens,
  type TranscriptSegment,
  type TranscriptWord,
  wantsSegments,
  wantsWords,
} from '../../../domain/audio/transcription.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { addMembers, isRecord } from '../../shared/json/record.ts';
import type { WireAnswer, WireTarget } from '../../wire.ts';
import { askedFormat, rulesOf } from '../shared/openai-transcription-models.ts';
import { srtOf, vttOf } from '../shared/subtitles.ts';
import { openaiTranscript } from '../shared/transcript-answer.ts';

/** Reads an answer in OpenAI's `json`, `verbose_json` or `diarized_json`, and those of its imitators. */
export function decodeAnswer(
  { bytes, headers }: WireAnswer,
  request: Pick<TranscriptionRequest, 'format'>,
  target: WireTarget,
): Transcript | Failure {
  const written = writtenTranscript(bytes, headers, request.format);
  if (written !== null) return written;
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const isOwn = askedFormat(request, rulesOf(target)) === request.format;
  return openaiTranscript(body, isOwn);
}

const LINE_OF_A_CUE = /^(?:WEBVTT.*|\d+|.*-->.*|)$/;

/** Decodes the answer of a server that writes the client's format although it was asked for JSON, which says more. */
function writtenTranscript(bytes: Uint8Array, headers: AnswerHeaders, format: TranscriptFormat): Transcript | null {
  const type = headers.get('content-type')?.toLowerCase() ?? '';
  if (!/^(?:text\/(?!html)|application\/x-subrip)/.test(type) || !['text', 'srt', 'vtt'].includes(format)) return null;
  const written = new TextDecoder().decode(bytes);
  // Some servers label their JSON with the wrong type.
  if (/^\s*[{<]/.test(written) || (format !== 'text' && !written.includes('-->'))) return null;
  const lines =
    format === 'text' ? [written.trim()] : written.split(/\r?\n/).filter((line) => !LINE_OF_A_CUE.test(line));
  return { ...EMPTY_TRANSCRIPT, text: lines.join(' '), written };
}

/** The media type of an answer in each format. OpenAI sends subtitles as plain text, too. */
const CONTENT_TYPES: Readonly<Record<TranscriptFormat, string>> = {
  json: 'application/json',
  verbose_json: 'application/json',
  diarized_json: 'application/json',
  text: 'text/plain; charset=utf-8',
  srt: 'text/plain; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
};

export interface WrittenAnswer {
  readonly body: string;
  readonly contentType: string;
}

type Asked = Pick<TranscriptionRequest, 'kind' | 'format' | 'language' | 'granularities' | 'durationMs'>;

/** Returns the answer for a client in its requested format (OpenAI's published document; contract, Audio translation result). */
export function encodeAnswer(
  transcript: Transcript,
  request: Asked,
  routing: Pick<RoutingFacts, 'json'>,
): WrittenAnswer {
  const { format, durationMs } = request;
  const contentType = CONTENT_TYPES[format];
  if (transcript.written !== undefined) return { body: transcript.written, contentType };
  switch (format) {
    case 'text':
      return { body: `${transcript.text}\n`, contentType };
    case 'srt':
      return { body: srtOf(segmentsOf(transcript, durationMs)), contentType };
    case 'vtt':
      return { body: vttOf(segmentsOf(transcript, durationMs)), contentType };
    default: {
      const { own } = transcript;
      const members = membersOf(transcript, request);
      const written = own === null ? { ...members, ...usageOf(transcript) } : completed(own, members);
      return { body: withRouting(written, routing), contentType };
    }
  }
}

/** Returns the JSON text of an object with `_routing`; the upstream's own `_routing` is replaced. */
export function withRouting(members: Readonly<Record<string, unknown>>, routing: Pick<RoutingFacts, 'json'>): string {
  const { _routing, ...others } = members;
  const written = JSON.stringify(addMembers({}, others));
  return `${written.slice(0, -1)}${written === '{}' ? '' : ','}"_routing":${routing.json}}`;
}

function membersOf(transcript: Transcript, request: Asked): Record<string, unknown> {
  const { text, language } = transcript;
  if (request.format === 'json') return { text };
  const task = request.kind === 'translation' ? 'translate' : 'transcribe';
  const duration = transcript.duration ?? (request.durationMs === null ? 0 : request.durationMs / 1000);
  const segments = segmentsOf(transcript, request.durationMs);
  if (request.format === 'diarized_json') return { task, duration, text, segments: segments.map(diarizedSegment) };
  return {
    task,
    language: languageName(language ?? request.language ?? ''),
    duration,
    text,
    ...(wantsSegments(request) && { segments: segments.map(verboseSegment) }),
    ...(wantsWords(request) && { words: (transcript.words ?? []).map(writtenWord) }),
  };
}

/** Members that OpenAI's document requires of a segment besides its text and times; unknown ones are zero. */
const REQUIRED = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 };

function verboseSegment({ start, end, text, details }: TranscriptSegment, id: number): Record<string, unknown> {
  return { id, ...REQUIRED, ...details, start, end, text };
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns an imitator's answer completed with the `members` of its format: some answer with only the text, and segments often
 * lack members without which SDKs refuse to read them.
 */
function completed(own: Members, members: Members): Members {
  const missing = Object.entries(members).filter(([name]) => (own[name] ?? null) === null);
  const whole: Members = addMembers({}, own, Object.fromEntries(missing));
  const { segments } = whole;
  if (!Array.isArray(segments)) return whole;
  return {
    ...whole,
    // Segments with speakers have a type, and different members.
    segments: segments.map((segment: unknown, id) =>
      isRecord(segment) && segment.type === undefined ? addMembers({ id, ...REQUIRED }, segment) : segment,
    ),
  };
}

export function diarizedSegment(
  { start, end, text, speaker }: TranscriptSegment,
  index: number,
): Record<string, unknown> {
  return { type: 'transcript.text.segment', id: `seg_${index}`, start, end, text, speaker: speaker ?? '' };
}

function writtenWord({ word, start, end }: TranscriptWord): Record<string, unknown> {
  return { word, start, end };
}

/** Returns the upstream's usage report in OpenAI's shape. */
export function usageOf(transcript: Transcript): { readonly usage?: Record<string, unknown> } {
  const { tokens, billedSeconds, duration } = transcript;
  if (tokens !== null) return { usage: tokenUsage(tokens) };
  const seconds = billedSeconds ?? duration;
  return seconds === null ? {} : { usage: { type: 'duration', seconds } };
}

export function tokenUsage({ textInput, audioInput, output }: TranscriptionTokens): Record<string, unknown> {
  const input = textInput + audioInput;
  return {
    type: 'tokens',
    input_tokens: input,
    input_token_details: { text_tokens: textInput, audio_tokens: audioInput },
    output_tokens: output,
    total_tokens: input + output,
  };
}
