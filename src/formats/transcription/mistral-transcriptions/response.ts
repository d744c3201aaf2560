import {
  EMPTY_TRANSCRIPT,
  type Transcript,
  type TranscriptionRequest,
  wantsWords,
} from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { WireAnswer } from '../../wire.ts';
import { noText, secondsOrNull, segmentsIn, tokensIn, wordsIn } from '../shared/transcript-answer.ts';

type Members = Readonly<Record<string, unknown>>;

export function decodeAnswer(
  { bytes }: Pick<WireAnswer, 'bytes'>,
  request: Pick<TranscriptionRequest, 'granularities'>,
): Transcript | Failure {
  const body = answerObject(bytes);
  return body instanceof Failure ? body : transcriptOf(body, request);
}

/** Decodes the answer; words arrive in `segments`, one in each. */
export function transcriptOf(
  body: Members,
  request: Pick<TranscriptionRequest, 'granularities'>,
): Transcript | Failure {
  const text = textOrNull(body.text);
  if (text === null) return noText();
  const words = wantsWords(request) ? wordsIn(body.segments, segmentTold) : null;
  if (words instanceof Failure) return words;
  const segments = words === null ? segmentsIn(body.segments, segmentTold) : null;
  if (segments instanceof Failure) return segments;
  const { usage } = body;
  return {
    ...EMPTY_TRANSCRIPT,
    text,
    words,
    segments: segments !== null && segments.length === 0 ? null : segments,
    language: nonEmptyText(body.language),
    billedSeconds: isRecord(usage) ? secondsOrNull(usage.prompt_audio_seconds) : null,
    tokens: tokensIn(usage),
    model: nonEmptyText(body.model),
  };
}

export function segmentTold({ start, end, text, speaker_id }: Members) {
  return { start, end, text, speaker: speaker_id };
}
