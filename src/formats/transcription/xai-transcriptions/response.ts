import { EMPTY_TRANSCRIPT, type Transcript } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import type { WireAnswer } from '../../wire.ts';
import { answerObject, noText, secondsOrNull, wordsIn } from '../shared/transcript-answer.ts';

type Members = Readonly<Record<string, unknown>>;

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
    language: nonEmptyText(body.language),
    duration: secondsOrNull(body.duration),
  };
}

function wordTold({ start, end, text, speaker }: Members) {
  return { start, end, text, speaker };
}
