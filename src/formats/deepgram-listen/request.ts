import { type TranscriptionRequest, wantsSegments } from '../../domain/audio/transcription.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { PiecedBody } from '../../domain/media/pieced-body.ts';
import {
  lossesOf,
  refused,
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
  carries: { language: 'exact', languages: 'exact', keywords: 'exact' },
};

/** From its third generation on a model takes terms, and those of before words. */
const TAKES_KEYTERMS = /^(?:nova-[3-9]|flux)/;

/** Servers and what stands before them refuse longer addresses. */
const LONGEST_QUERY = 6_000;

export function encodeRequest(request: TranscriptionRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const losses = lossesOf(request, RULES);
  if (losses instanceof Failure) return losses;
  const { language, languages, keywords, file, mediaType } = request;
  const terms = keywords.length === 0 ? null : keywords;
  const takesKeyterms = TAKES_KEYTERMS.test(upstreamModel);
  const diarizes = request.format === 'diarized_json';
  const members = withOptions(
    {
      model: upstreamModel,
      language,
      detect_language: language === null ? (languages.length === 0 ? true : languages) : null,
      keyterm: takesKeyterms ? terms : null,
      keywords: takesKeyterms ? null : terms,
      utterances: wantsSegments(request) ? true : null,
      diarize: diarizes ? true : null,
      // With punctuation and capital letters, as all other providers write.
      ...(Object.hasOwn(request.options, 'smart_format') ? {} : { smart_format: true }),
    },
    request,
  );
  if (members instanceof Failure) return members;
  const query = new URLSearchParams(
    textParts(members).map(([name, value]): [string, string] => [name, value]),
  ).toString();
  if (query.length > LONGEST_QUERY) {
    return refused('keywords', 'the provider takes them in an address, which would become too long');
  }
  return {
    body: new PiecedBody([{ file, as: 'bytes' }]),
    headers: { 'content-type': mediaType },
    suffix: `?${query}`,
    losses,
  };
}
