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

/** From the published document: two letters. */
const LANGUAGE = /^[a-z]{2}$/;

/** From the published document: no commas and spaces; from docs.mistral.ai, "Context biasing": at most 100 terms. */
const TERMS: TermRules = {
  isTaken: (term) => /^[^,\s]+$/.test(term),
  most: 100,
  why: 'the provider accepts at most 100 terms, each a single word',
};

/** docs.mistral.ai, "Audio & Transcription": the language cannot be combined with timestamps. */
const NOT_WITH_TIMES: Carriage = {
  verdict: 'dropped',
  why: 'the provider does not accept a language together with timestamps',
};

const RULES: TranscriptionRules = {
  ...TEXT_ALONE,
  hasWords: true,
  hasSegments: true,
  diarizes: true,
  carries: { language: 'exact', keywords: 'exact', temperature: 'exact' },
};

export function encodeRequest(request: TranscriptionRequest, { upstreamModel }: WireTarget): WireRequest | Failure {
  const diarizes = request.format === 'diarized_json';
  const granularity = wantsWords(request) ? 'word' : wantsSegments(request) ? 'segment' : null;
  const language = request.language === null ? null : primaryLanguage(request.language);
  const hasLanguage = granularity === null && language !== null && LANGUAGE.test(language);
  const carries = hasLanguage ? RULES.carries : { ...RULES.carries, language: NOT_WITH_TIMES };
  const losses = lossesOf(request, { ...RULES, carries });
  if (losses instanceof Failure) return losses;
  const { terms, lost } = termsFor(request.keywords, TERMS);
  const members = withOptions(
    {
      model: upstreamModel,
      language: hasLanguage ? language : null,
      temperature: request.temperature,
      stream: request.stream ? true : null,
      diarize: diarizes ? true : null,
      context_bias: terms,
      timestamp_granularities: granularity === null ? null : [granularity],
    },
    request,
  );
  if (members instanceof Failure) return members;
  const { body, headers } = formWithFile(members, request);
  return {
    body,
    headers: request.stream ? { ...headers, accept: 'text/event-stream' } : headers,
    losses: [...losses, ...lost],
  };
}
