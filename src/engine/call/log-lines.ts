import type { Failure } from '../../domain/failure/failure.ts';
import type { RequestLine } from '../../domain/http/request-line.ts';
import type { LogFields } from '../../domain/logs/fields.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import { type Billable, completionTokensOf, promptTokensOf } from '../../domain/money/quantity.ts';
import type { Logger } from '../ports/logger.ts';
import type { FailedAttempt, RequestRecord } from '../ports/request-log.ts';

/** The kinds of failures whose messages are safe: about the upstream's own key or account, or in the gateway's own words. */
const SAFE_KINDS = /^(?:upstream_auth|upstream_quota$|tls|dns$|connect_|unreachable$|proxy$)/;

/** Logs a failed attempt without the upstream's message, which may repeat the prompt, except one of a safe kind. */
export function logFailedAttempt(
  logger: Logger,
  requestId: string,
  { channelId, provider, status, upstreamRequestId, answeredParts, latencyMs }: FailedAttempt,
  { kind, side, message }: Failure,
): void {
  const reason = SAFE_KINDS.test(kind) ? message : undefined;
  const told = { failureKind: kind, errorSide: side, reason, upstreamStatus: status, upstreamRequestId };
  logger.warn(
    { requestId, channelId, provider, ...told, latencyMs: Math.round(latencyMs), answeredParts },
    'attempt failed',
  );
}

/** The facts of a call that are only logged. */
interface CallFacts {
  readonly line: RequestLine | null;
  readonly clientAddress: string | null;
  readonly trace: { readonly context: { readonly spanId: string } } | null;
}

/** Logs the end of a request. One without a valid key is logged at the level `debug`, since anybody can send many. */
export function logRequest(
  logger: Logger,
  record: RequestRecord,
  failure: Failure | null,
  { line, clientAddress, trace }: CallFacts,
): void {
  const { billable, costNanoUsd, times } = record;
  const fields: LogFields = {
    requestId: record.requestId,
    clientRequestId: record.clientRequestId,
    traceId: record.traceId,
    spanId: trace === null || record.traceId === undefined ? null : trace.context.spanId,
    clientAddress,
    method: line?.method,
    path: line?.route,
    format: record.format,
    stream: record.stream,
    accountId: record.accountId,
    keyId: record.keyId,
    modelId: record.modelId,
    channelId: record.channelId,
    provider: record.provider,
    upstreamModel: record.upstreamModel === record.modelId ? null : record.upstreamModel,
    status: record.status,
    latencyMs: Math.round(record.latencyMs),
    firstByteMs: record.firstByteMs === null ? null : Math.round(record.firstByteMs),
    upstreamMs: times === undefined ? null : upstreamMs(times),
    modelSteps: record.modelSteps === undefined ? null : stepsText(record.modelSteps),
    retryCount: record.retryCount,
    inputTokens: billable === null ? null : promptTokensOf(billable),
    cachedInputTokens: billable === null ? null : cachedTokens(billable),
    outputTokens: billable === null ? null : completionTokensOf(billable),
    costUsd: costNanoUsd === null ? null : formatNanoUsd(costNanoUsd),
    upstreamRequestId: record.upstreamRequestId,
    cached: record.cacheMatch,
    cacheEntryId: record.cacheEntryId,
    clientGone: record.clientGone ? true : null,
  };
  const { failureKind } = record;
  if (failureKind === null) {
    logger.info(fields, 'request');
    return;
  }
  const failed: LogFields = { ...fields, errorCode: record.errorCode, failureKind, errorSide: failure?.side };
  if (record.accountId === null) logger.debug(failed, 'request without a valid API key');
  else logger.warn(failed, 'request failed');
}

/** Returns the changes of the model in one text, such as `fallback: a → b`. */
function stepsText(steps: NonNullable<RequestRecord['modelSteps']>): string {
  return steps
    .map(({ kind, from, to, skipped }) => `${kind}: ${from} → ${to}${skipped ? ' (skipped)' : ''}`)
    .join(', ');
}

function upstreamMs({ askedMs, heardMs }: NonNullable<RequestRecord['times']>): number | null {
  return askedMs === null || heardMs === null ? null : Math.round(heardMs - askedMs);
}

/** Returns `null` if no token was cached. */
function cachedTokens({ quantities }: Billable): number | null {
  const cached = quantities.find(({ unit }) => unit === 'cached_input_token');
  return cached?.amount ?? null;
}
