import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import type { Transcript, TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { answerObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { WireAnswer, WireRequest, WireTarget } from '../../wire.ts';
import { jsonWithFile } from '../shared/json-with-file.ts';
import { askedFormat, rulesOf } from '../shared/openai-transcription-models.ts';
import { openaiTranscript } from '../shared/transcript-answer.ts';
import { extensionOf, lossesOf, withOptions } from '../shared/transcription-request.ts';
import type { TranscriptionWire } from '../wire.ts';

/** Members that the published document does not have. */
const LACKED = {
  prompt: null,
  languages: null,
  keywords: null,
  chunking_strategy: null,
  known_speaker_names: null,
  include: null,
  stream: null,
};

function rulesAt({ upstreamModel }: WireTarget) {
  return { ...rulesOf({ upstreamModel, members: LACKED }), translates: false };
}

function encodeRequest(request: TranscriptionRequest, target: WireTarget): WireRequest | Failure {
  const rules = rulesAt(target);
  const losses = lossesOf(request, rules);
  if (losses instanceof Failure) return losses;
  const { language, temperature, granularities, file, mediaType } = request;
  const format = askedFormat(request, rules);
  const members = withOptions(
    {
      model: target.upstreamModel,
      language: language === null ? null : primaryLanguage(language),
      temperature,
      response_format: format === 'json' ? null : format,
      timestamp_granularities: format === 'json' || granularities.length === 0 ? null : granularities,
      input_audio: null,
    },
    request,
  );
  if (members instanceof Failure) return members;
  const body = jsonWithFile(file, (data) => ({ ...members, input_audio: { data, format: extensionOf(mediaType) } }));
  return { body, losses };
}

function decodeAnswer(
  { bytes }: Pick<WireAnswer, 'bytes'>,
  request: Pick<TranscriptionRequest, 'format'>,
  target: WireTarget,
): Transcript | Failure {
  const body = answerObject(bytes);
  if (body instanceof Failure) return body;
  return openaiTranscript(body, askedFormat(request, rulesAt(target)) === request.format);
}

/** OpenRouter's `POST /audio/transcriptions` (its published document, `createAudioTranscriptions`), with the file in JSON. */
export const openrouterTranscriptions: TranscriptionWire = {
  name: 'openrouter-transcriptions',
  operations: ['audio.transcriptions'],
  isClients: true,
  encodeRequest,
  decodeAnswer,
  decodeFailure,
};
