import { primaryLanguage } from '../../domain/audio/language-name.ts';
import { type TranscriptionRequest, wantsSegments, wantsWords } from '../../domain/audio/transcription.ts';
import { Failure } from '../../domain/failure/failure.ts';
import {
  formWithFile,
  lossesOf,
  TEXT_ALONE,
  type TranscriptionRules,
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
  const { language, temperature, keywords } = request;
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
  return {
    ...formWithFile(members, request),
    losses,
  };
}
