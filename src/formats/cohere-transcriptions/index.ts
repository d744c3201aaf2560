import { primaryLanguage } from '../../domain/audio/language-name.ts';
import { EMPTY_TRANSCRIPT, type Transcript, type TranscriptionRequest } from '../../domain/audio/transcription.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { textOrNull } from '../shared/json-values.ts';
import { answerObject, noText } from '../shared/transcript-answer.ts';
import { formWithFile, lossesOf, refused, TEXT_ALONE, withOptions } from '../shared/transcription-request.ts';
import { decodeFailure } from '../shared/upstream-failure.ts';
import type { TranscriptionWire, WireAnswer, WireRequest, WireTarget } from '../wire.ts';

/** The file comes last, because what stands behind it is not read. */
function encodeRequest(request: TranscriptionRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const losses = lossesOf(request, { ...TEXT_ALONE, carries: { language: 'exact', temperature: 'exact' } });
  if (losses instanceof Failure) return losses;
  const { language, temperature } = request;
  if (language === null) return refused('language', 'it is missing, and the provider of this model requires it');
  const members = withOptions({ model: upstreamModel, language: primaryLanguage(language), temperature }, request);
  if (members instanceof Failure) return members;
  return { ...formWithFile(members, request), losses };
}

function decodeAnswer({ bytes }: Pick<WireAnswer, 'bytes'>): Transcript | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  const text = textOrNull(body.text);
  return text === null ? noText() : { ...EMPTY_TRANSCRIPT, text };
}

/** Cohere's `POST /v2/audio/transcriptions` (docs.cohere.com, "Create a transcription"): a text and nothing else. */
export const cohereTranscriptions: TranscriptionWire = {
  name: 'cohere-transcriptions',
  operations: ['audio.transcriptions'],
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
