import { primaryLanguage } from '../../domain/audio/language-name.ts';
import type { TranscriptionRequest } from '../../domain/audio/transcription.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import { Failure } from '../../domain/failure/failure.ts';
import {
  formWithFile,
  lossesOf,
  TEXT_ALONE,
  type TranscriptionRules,
  withOptions,
} from '../shared/transcription-request.ts';
import type { WireRequest } from '../wire.ts';

const RULES: TranscriptionRules = {
  ...TEXT_ALONE,
  hasWords: true,
  hasSegments: true,
  diarizes: true,
  carries: { language: 'exact', keywords: 'exact' },
};

/** docs.x.ai: at most 100 terms, of at most 50 characters each. */
const MOST_TERMS = 100;
const LONGEST_TERM = 50;

/** The file comes last, because what stands behind it is not read. */
export function encodeRequest(request: TranscriptionRequest): WireRequest | Failure {
  const losses = lossesOf(request, RULES);
  if (losses instanceof Failure) return losses;
  const { language, keywords } = request;
  const terms = keywords.filter((term) => term.length <= LONGEST_TERM).slice(0, MOST_TERMS);
  const members = withOptions(
    {
      language: language === null ? null : primaryLanguage(language),
      diarize: request.format === 'diarized_json' ? true : null,
      keyterm: terms.length === 0 ? null : terms,
    },
    request,
  );
  if (members instanceof Failure) return members;
  return {
    ...formWithFile(members, request),
    losses: terms.length === keywords.length ? losses : [...losses, TOO_MANY_TERMS],
  };
}

const TOO_MANY_TERMS: Loss = {
  field: 'keywords',
  verdict: 'approximated',
  why: `the provider takes ${MOST_TERMS} terms of at most ${LONGEST_TERM} characters`,
};
