import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import { EMPTY_TRANSCRIPT } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { nonEmptyText, textOrNull } from '../../shared/json/json-values.ts';
import { noText, secondsOrNull, wordsIn } from '../shared/transcript-answer.ts';
import {
  formWithFile,
  lossesOf,
  TEXT_ALONE,
  type TermRules,
  type TranscriptionRules,
  termsFor,
  withOptions,
} from '../shared/transcription-request.ts';
import type { TranscriptionWire } from '../wire.ts';

/** xAI's `POST /v1/stt` (docs.x.ai, "Speech to Text"). It has one model, which a request does not name. */
export const xaiTranscriptions: TranscriptionWire = {
  name: 'xai-transcriptions',
  operations: ['audio.transcriptions'],
  harmlessOptions: ['format'],
  /** Puts the file last, because parts after it are not read. */
  encodeRequest(request) {
    const losses = lossesOf(request, RULES);
    if (losses instanceof Failure) return losses;
    const { language, keywords } = request;
    const { terms, lost } = termsFor(keywords, TERMS);
    const members = withOptions(
      {
        language: language === null ? null : primaryLanguage(language),
        diarize: request.format === 'diarized_json' ? true : null,
        keyterm: terms,
      },
      request,
    );
    if (members instanceof Failure) return members;
    return {
      ...formWithFile(members, request),
      losses: [...losses, ...lost],
    };
  },
  decodeAnswer({ bytes }) {
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
  },
  decodeFailure,
};

const RULES: TranscriptionRules = {
  ...TEXT_ALONE,
  hasWords: true,
  hasSegments: true,
  diarizes: true,
  carries: { language: 'exact', keywords: 'exact' },
};

/** docs.x.ai: at most 100 terms, of at most 50 characters each. */
const TERMS: TermRules = {
  isTaken: (term) => term.length <= 50,
  most: 100,
  why: 'the provider accepts 100 terms of at most 50 characters',
};

type Members = Readonly<Record<string, unknown>>;

function wordTold({ start, end, text, speaker }: Members) {
  return { start, end, text, speaker };
}
