import type { Candidate, ExchangeResponse, TokenLogprob } from '../../../domain/exchange/response.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { bodyNoAnswer, bodyNotJson } from '../../shared/failure/answer-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { candidateIndexes, textOrEmpty } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import {
  createdOf,
  errorIn,
  failureOfCandidates,
  finishOf,
  idOf,
  type Json,
  rawFinish,
  saysSomethingAtAll,
  tierOf,
} from '../shared/choice-answer.ts';
import { decodeUsage } from '../shared/openai-usage.ts';
import { modelOf } from '../shared/served-as.ts';

type Alternative = Pick<TokenLogprob, 'token' | 'logprob' | 'bytes'>;

/** Decodes a whole text completion of any server of the endpoint. */
export function decodeAnswer(bytes: Uint8Array): ExchangeResponse | Failure {
  const answer = parseJsonBytes(bytes);
  if (!isRecord(answer)) return bodyNotJson();
  const choices = Array.isArray(answer.choices) ? answer.choices.filter(isRecord) : [];
  const error = errorIn(answer, choices);
  if (error !== null) return error;
  if (!choices.some(saysSomethingAtAll)) return bodyNoAnswer();
  const indexes = candidateIndexes(choices.map(({ index }) => index));
  const candidates = choices.map((choice, place) => candidateOf(choice, indexes[place] ?? place));
  const unanswered = failureOfCandidates(candidates);
  if (unanswered !== null) return unanswered;
  return {
    id: idOf(answer),
    created: createdOf(answer),
    candidates,
    usage: decodeUsage(answer.usage),
    ...tierOf(answer),
    ...modelOf(answer.model),
  };
}

function candidateOf(choice: Json, index: number): Candidate {
  const text = textOrEmpty(choice.text);
  const logprobs = tokenLogprobs(choice.logprobs);
  return {
    index,
    parts: text === '' ? [] : [{ type: 'text', text }],
    finish: finishOf(rawFinish(choice), false),
    ...(logprobs === null ? {} : { logprobs }),
  };
}

/** Returns `null` if there are none. */
export function tokenLogprobs(value: unknown): readonly TokenLogprob[] | null {
  if (!isRecord(value) || !Array.isArray(value.tokens)) return null;
  const { token_logprobs: own, top_logprobs: alternatives } = value;
  return value.tokens.map((token, index) => ({
    token: textOrEmpty(token),
    logprob: numberAt(own, index) ?? 0,
    bytes: null,
    top: alternativesAt(alternatives, index),
  }));
}

function numberAt(list: unknown, index: number): number | null {
  const value: unknown = Array.isArray(list) ? list[index] : null;
  return typeof value === 'number' ? value : null;
}

function alternativesAt(list: unknown, index: number): Alternative[] {
  const named: unknown = Array.isArray(list) ? list[index] : null;
  if (!isRecord(named)) return [];
  return Object.entries(named).flatMap(([token, logprob]) =>
    typeof logprob === 'number' ? [{ token, logprob, bytes: null }] : [],
  );
}
