import { languageName, primaryLanguage } from '../../../domain/audio/language-name.ts';
import { EMPTY_TRANSCRIPT, type Transcript, type TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { textOrNull } from '../../shared/json/json-values.ts';
import type { WireAnswer, WireRequest, WireTarget } from '../../wire.ts';
import { noText } from '../shared/transcript-answer.ts';
import { formWithFile, lossesOf, refused, TEXT_ALONE, withOptions } from '../shared/transcription-request.ts';
import type { TranscriptionWire } from '../wire.ts';

/** Supported files (docs.cohere.com, "Create a transcription"): flac, mp3, mpeg, mpga, ogg and wav. */
const FILES = new Set(['audio/flac', 'audio/mpeg', 'video/mpeg', 'audio/ogg', 'video/ogg', 'audio/wav']);

/** The languages of Cohere's only model (huggingface.co/CohereLabs/cohere-transcribe-03-2026). */
const LANGUAGES = ['ar', 'de', 'el', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pl', 'pt', 'vi', 'zh'];

/** Puts the file last, because parts after it are not read. */
function encodeRequest(request: TranscriptionRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const losses = lossesOf(request, { ...TEXT_ALONE, carries: { language: 'exact', temperature: 'exact' } });
  if (losses instanceof Failure) return losses;
  const { temperature, mediaType } = request;
  if (request.language === null)
    return refused('language', 'it is missing, but the provider of this model requires it');
  const language = primaryLanguage(request.language);
  if (!LANGUAGES.includes(language)) {
    return refused(
      'language',
      `the model does not support ${languageName(language)}; it supports ${LANGUAGES.join(', ')}`,
    );
  }
  if (!FILES.has(mediaType))
    return refused('file', 'the provider of this model accepts only FLAC, MP3, Ogg and WAV files');
  const members = withOptions({ model: upstreamModel, language, temperature }, request);
  if (members instanceof Failure) return members;
  return { ...formWithFile(members, request), losses };
}

function decodeAnswer({ bytes }: Pick<WireAnswer, 'bytes'>): Transcript | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const text = textOrNull(body.text);
  return text === null ? noText() : { ...EMPTY_TRANSCRIPT, text };
}

/** Cohere's `POST /v2/audio/transcriptions` (docs.cohere.com, "Create a transcription"), which returns only a text. */
export const cohereTranscriptions: TranscriptionWire = {
  name: 'cohere-transcriptions',
  operations: ['audio.transcriptions'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
