import { primaryLanguage } from '../../domain/audio/language-name.ts';
import { type TranscriptionRequest, wantsSegments, wantsWords } from '../../domain/audio/transcription.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { encodeForm } from '../shared/form-body.ts';
import {
  fileNameOf,
  lossesOf,
  TEXT_ALONE,
  type TranscriptionRules,
  textParts,
  withOptions,
} from '../shared/transcription-request.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

const RULES: TranscriptionRules = {
  ...TEXT_ALONE,
  hasWords: true,
  hasSegments: true,
  diarizes: true,
  carries: { language: 'exact', keywords: 'exact', temperature: 'exact' },
};

export function encodeRequest(request: TranscriptionRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const losses = lossesOf(request, RULES);
  if (losses instanceof Failure) return losses;
  const { language, temperature, keywords, file, mediaType } = request;
  const hasTimes = wantsWords(request) || wantsSegments(request);
  const members = withOptions(
    {
      model_id: upstreamModel,
      language_code: language === null ? null : primaryLanguage(language),
      timestamps_granularity: hasTimes ? 'word' : 'none',
      diarize: request.format === 'diarized_json' ? true : null,
      temperature,
      keyterms: keywords.length === 0 ? null : keywords,
    },
    request,
  );
  if (members instanceof Failure) return members;
  const parts = textParts(members).map(([name, value]) => ({ name, value }));
  return {
    ...encodeForm([...parts, { name: 'file', file, mediaType, fileName: fileNameOf(request) }]),
    losses,
  };
}
