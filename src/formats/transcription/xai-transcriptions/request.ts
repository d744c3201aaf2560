import { primaryLanguage } from '../../../domain/audio/language-name.ts';
import type { TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { WireRequest } from '../../wire.ts';
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
  carries: { language: 'exact', keywords: 'exact' },
};

/** docs.x.ai: at most 100 terms, of at most 50 characters each. */
const TERMS: TermRules = {
  isTaken: (term) => term.length <= 50,
  most: 100,
  why: 'the provider accepts 100 terms of at most 50 characters',
};

/** Puts the file last, because parts after it are not read. */
export function encodeRequest(request: TranscriptionRequest): WireRequest | Failure {
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
}
