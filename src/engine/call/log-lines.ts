import type { Failure } from '../../domain/failure/failure.ts';
import type { Logger } from '../ports/logger.ts';
import type { FailedAttempt, RequestRecord } from '../ports/request-log.ts';

/** Logs a failed attempt without the upstream's message, which may repeat the prompt. A message about its own key or account is safe. */
export function logFailedAttempt(
  logger: Logger,
  requestId: string,
  { channelId, upstreamRequestId, answeredParts }: FailedAttempt,
  { kind, side, message }: Failure,
): void {
  const aboutAccess = kind.startsWith('upstream_auth') || kind === 'upstream_quota';
  const reason = aboutAccess ? message : undefined;
  const parts = answeredParts === undefined ? {} : { answeredParts };
  logger.warn({ requestId, channelId, kind, side, reason, upstreamRequestId, ...parts }, 'attempt failed');
}

/** Logs the end of a request. One without a valid key is logged at the level `debug`, since anybody can send many. */
export function logRequest(logger: Logger, record: RequestRecord, failure: Failure | null): void {
  const { requestId, accountId, keyId, modelId, channelId, status, retryCount, failureKind: kind } = record;
  const fields = {
    requestId,
    clientRequestId: record.clientRequestId,
    traceId: record.traceId,
    accountId,
    keyId,
    modelId,
    channelId,
    status,
    latencyMs: Math.round(record.latencyMs),
    retryCount,
    upstreamRequestId: record.upstreamRequestId ?? undefined,
    cached: record.cacheMatch ?? undefined,
    cacheEntryId: record.cacheEntryId ?? undefined,
  };
  if (kind === null) {
    logger.info(fields, 'request');
    return;
  }
  const failed = { ...fields, code: record.errorCode, kind, side: failure?.side };
  logger[accountId === null ? 'debug' : 'warn'](failed, 'request failed');
}
