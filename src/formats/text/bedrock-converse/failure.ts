import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { decodeFailure as decodeAnyFailure } from '../../shared/failure/upstream-failure.ts';
import { entryOf } from '../../shared/json/record.ts';

/**
 * Bedrock's messages with a 400 when the channel's model is wrong: the model does not exist, or it is only available through
 * an inference profile.
 */
const MODEL_TEXTS =
  /model identifier is invalid|on-demand throughput isn.t supported|isn't supported for this (?:account|region)|not have access to the model/i;

/** Decodes Bedrock's error answers, `{"message": …}`. The status and the header `x-amzn-errortype` identify the error. */
export function decodeFailure(status: number, headers: AnswerHeaders, bytes: Uint8Array): Failure {
  const failure = decodeAnyFailure(status, headers, bytes);
  if (status !== 400 || failure.side !== 'client' || !MODEL_TEXTS.test(failure.message)) return failure;
  return new Failure('upstream_error', {
    message: `The provider does not have the model that the channel names (HTTP 400): ${failure.message}`,
    kind: 'http_400',
    retry: 'other-target',
  });
}

/** The status of each exception when it is an HTTP answer (API reference, "ConverseStream", "Errors"). */
const STATUSES: Readonly<Record<string, number>> = {
  validationException: 400,
  accessDeniedException: 403,
  resourceNotFoundException: 404,
  modelTimeoutException: 408,
  modelStreamErrorException: 424,
  throttlingException: 429,
  modelNotReadyException: 429,
  internalServerException: 500,
  serviceUnavailableException: 503,
};

/** Converts an exception inside a stream to the same failure as that of the equivalent HTTP answer. */
export function failureOfException(type: string, message: string): Failure {
  if (type === 'damagedFrame') return garbage(message);
  const name = type.slice(0, 1).toLowerCase() + type.slice(1);
  const bytes = new TextEncoder().encode(JSON.stringify({ message }));
  return decodeFailure(entryOf(STATUSES, name) ?? 500, new Headers(), bytes);
}
