import {
  EMPTY_TRANSCRIPT,
  type Transcript,
  type TranscriptionRequest,
  wantsWords,
} from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { listOf, nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { answerObject, noText, segmentsIn, wordsIn } from '../../transcription/shared/transcript-answer.ts';
import type { WireAnswer } from '../../wire.ts';

type Members = Readonly<Record<string, unknown>>;

/** Decodes the answer; `chunks` are words if words were requested. */
export function decodeAnswer(
  { bytes }: Pick<WireAnswer, 'bytes'>,
  request: Pick<TranscriptionRequest, 'granularities'>,
): Transcript | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const text = textOrNull(body.text);
  if (text === null) return noText();
  const words = wantsWords(request) ? wordsIn(body.chunks, chunkTold) : null;
  if (words instanceof Failure) return words;
  const segments = words === null ? segmentsIn(body.chunks, chunkTold) : null;
  if (segments instanceof Failure) return segments;
  const [language] = [...listOf(body.languages), ...listOf(body.inferred_languages)].filter(
    (code) => nonEmptyText(code) !== null,
  );
  return { ...EMPTY_TRANSCRIPT, text: text.trim(), words, segments, language: nonEmptyText(language) };
}

/** Reads a chunk; the last one may have no end. */
function chunkTold({ timestamp, text, speaker }: Members) {
  const [start, end] = listOf(timestamp);
  return { start, end: end ?? start, text, speaker };
}
