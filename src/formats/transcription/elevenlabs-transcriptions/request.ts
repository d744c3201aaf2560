import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import { type TranscriptionRequest, wantsSegments, wantsWords } from '../../../domain/audio/transcription.ts';
import type { Carriage } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';
import {
  formWithFile,
  lossesOf,
  TEXT_ALONE,
  type TermRules,
  type TranscriptionRules,
  termsFor,
  withOptions,
} from '../shared/transcription-request.ts';

const RULES: TranscriptionRules = {
  ...TEXT_ALONE,
  hasWords: true,
  hasSegments: true,
  diarizes: true,
  carries: { language: 'exact', keywords: 'exact', temperature: 'exact' },
};

/** From the published document of `keyterms`. */
const TERMS: TermRules = {
  isTaken: (term) => term.length < 50 && term.trim().split(/\s+/).length <= 5 && !/[<>{}[\]\\]/.test(term),
  most: 1_000,
  why: 'the provider accepts terms of at most 5 words and 49 characters, without angle brackets, braces, brackets and backslashes',
};

/** elevenlabs.io, "Keyterm prompting": available only from the second generation on. */
const WITHOUT_TERMS = /^scribe_v1/;
const NO_TERMS: Carriage = { verdict: 'dropped', why: 'only the provider’s later models accept them' };

export function encodeRequest(request: TranscriptionRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const hasTerms = !WITHOUT_TERMS.test(upstreamModel);
  const carries = hasTerms ? RULES.carries : { ...RULES.carries, keywords: NO_TERMS };
  const losses = lossesOf(request, { ...RULES, carries });
  if (losses instanceof Failure) return losses;
  const { language, temperature } = request;
  const { terms, lost } = termsFor(hasTerms ? request.keywords : [], TERMS);
  const hasTimes = wantsWords(request) || wantsSegments(request);
  const members = withOptions(
    {
      model_id: upstreamModel,
      language_code: language === null ? null : primaryLanguage(language),
      timestamps_granularity: hasTimes ? 'word' : 'none',
      diarize: request.format === 'diarized_json' ? true : null,
      temperature,
      keyterms: terms,
    },
    request,
  );
  if (members instanceof Failure) return members;
  return {
    ...formWithFile(members, request),
    losses: [...losses, ...lost],
  };
}
