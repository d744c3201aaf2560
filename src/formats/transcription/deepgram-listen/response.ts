import { EMPTY_TRANSCRIPT, type Transcript, type TranscriptWord } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { listOf, nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { WireAnswer } from '../../wire.ts';
import { noText, secondsOrNull, segmentsIn, wordsIn } from '../shared/transcript-answer.ts';

type Members = Readonly<Record<string, unknown>>;

/** Joins the best alternative of each channel: several channels are separate recordings, whose texts follow each other. */
export function decodeAnswer({ bytes }: Pick<WireAnswer, 'bytes'>): Transcript | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const { metadata, results } = body;
  const channels = isRecord(results) ? listOf(results.channels) : [];
  const texts: string[] = [];
  const words: TranscriptWord[] = [];
  let language: string | null = null;
  for (const channel of channels) {
    const [best] = isRecord(channel) ? listOf(channel.alternatives) : [];
    const text = isRecord(best) ? textOrNull(best.transcript) : null;
    if (!isRecord(channel) || !isRecord(best) || text === null) return noText();
    const read = wordsIn(best.words, wordTold);
    if (read instanceof Failure) return read;
    if (text !== '') texts.push(text);
    words.push(...(read ?? []));
    language ??= nonEmptyText(channel.detected_language) ?? nonEmptyText(listOf(best.languages)[0]);
  }
  if (channels.length === 0) return noText();
  const segments = isRecord(results) ? segmentsIn(results.utterances, utteranceTold) : null;
  if (segments instanceof Failure) return segments;
  return {
    ...EMPTY_TRANSCRIPT,
    text: texts.join('\n'),
    words,
    segments,
    language,
    duration: isRecord(metadata) ? secondsOrNull(metadata.duration) : null,
  };
}

function wordTold({ start, end, word, punctuated_word, speaker }: Members) {
  return { start, end, text: punctuated_word ?? word, speaker };
}

function utteranceTold({ start, end, transcript, speaker }: Members) {
  return { start, end, text: transcript, speaker };
}
