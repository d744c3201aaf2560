import { primaryLanguage } from '../../domain/audio/language-name.ts';
import { type TranscriptionRequest, wantsSegments, wantsWords } from '../../domain/audio/transcription.ts';
import type { Carriage, Loss } from '../../domain/exchange/loss.ts';
import { Failure } from '../../domain/failure/failure.ts';
import {
  formWithFile,
  lossesOf,
  TEXT_ALONE,
  type TranscriptionRules,
  withOptions,
} from '../shared/transcription-request.ts';
import type { WireRequest, WireTarget } from '../wire.ts';

/** Of the published document: two letters, and terms without commas and spaces. */
const LANGUAGE = /^[a-z]{2}$/;
const TERM = /^[^,\s]+$/;

/** docs.mistral.ai, "Audio & Transcription": the language and timestamps cannot be asked for together. */
const NOT_WITH_TIMES: Carriage = {
  verdict: 'dropped',
  why: 'the provider does not take a language together with timestamps',
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
  const terms = request.keywords.filter((term) => TERM.test(term));
  const members = withOptions(
    {
      model: upstreamModel,
      language: hasLanguage ? language : null,
      temperature: request.temperature,
      stream: request.stream ? true : null,
      diarize: diarizes ? true : null,
      context_bias: terms.length === 0 ? null : terms,
      timestamp_granularities: granularity === null ? null : [granularity],
    },
    request,
  );
  if (members instanceof Failure) return members;
  const { body, headers } = formWithFile(members, request);
  return {
    body,
    headers: request.stream ? { ...headers, accept: 'text/event-stream' } : headers,
    losses: terms.length === request.keywords.length ? losses : [...losses, LONG_TERMS],
  };
}

const LONG_TERMS: Loss = {
  field: 'keywords',
  verdict: 'approximated',
  why: 'the provider takes single words alone',
};
