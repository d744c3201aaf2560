import { EMPTY_TRANSCRIPT, type Transcript } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import type { WireAnswer } from '../../wire.ts';
import { answerObject, noText, secondsOrNull, wordsIn } from '../shared/transcript-answer.ts';

type Members = Readonly<Record<string, unknown>>;

/** Decodes the answer. The list of words also has the spaces between them and sounds (`(laughs)`); both are part of the text. */
export function decodeAnswer({ bytes }: Pick<WireAnswer, 'bytes'>): Transcript | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const text = textOrNull(body.text);
  if (text === null) return noText();
  const words = wordsIn(body.words, wordTold);
  if (words instanceof Failure) return words;
  return {
    ...EMPTY_TRANSCRIPT,
    text,
    words,
    language: nonEmptyText(body.language_code),
    duration: secondsOrNull(body.audio_duration_secs),
  };
}

function wordTold({ start, end, text, type, speaker_id }: Members) {
  const hasTimes = start !== undefined && start !== null && end !== undefined && end !== null;
  return type === 'word' && hasTimes ? { start, end, text, speaker: speaker_id } : null;
}
