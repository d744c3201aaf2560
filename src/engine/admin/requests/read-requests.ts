import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import type { RequestRecord } from '../../ports/request-log.ts';
import { entryView } from '../ledger/list-entries.ts';
import { isoTime } from '../schema/iso-time.ts';
import type { ShownRequest } from './list-requests.ts';
import { priceView, timeLineView } from './request-story.ts';

/** Returns a line of the log as JSON. The caller has to hide what an account may not know of the platform's channels. */
export function requestView(record: RequestRecord) {
  const { costNanoUsd, billable } = record;
  return {
    id: record.requestId,
    at: isoTime(record.atMs),
    account: record.accountId,
    key: record.keyId,
    format: record.format,
    model: record.modelId,
    channel: record.channelId,
    provider: record.provider,
    upstream_model: record.upstreamModel,
    answer_model: record.answerModel,
    stream: record.stream,
    status: record.status,
    error_code: record.errorCode,
    failure_kind: record.failureKind,
    client_gone: record.clientGone,
    recovered: record.recovered === true,
    retry_count: record.retryCount,
    latency_ms: Math.round(record.latencyMs),
    first_byte_ms: record.firstByteMs === null ? null : Math.round(record.firstByteMs),
    usage: billable === null ? null : billableView(billable),
    cost_usd: costNanoUsd === null ? null : formatNanoUsd(costNanoUsd),
    cache: record.cacheMatch === null ? null : { match: record.cacheMatch, entry: record.cacheEntryId },
    tags: Object.fromEntries(
      (record.tags ?? []).map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
    ),
  };
}

/**
 * Returns a line of the log as JSON with everything known of the request: attempts, losses, ledger entries, its price by part, and its
 * times.
 */
export function shownRequestView({ record, entries }: ShownRequest) {
  return {
    ...requestView(record),
    private: record.isPrivate ?? null,
    upstream_request_id: record.upstreamRequestId,
    failed_attempts: record.failedAttempts.map(({ channelId, kind, latencyMs, answeredParts }) => ({
      ...{ channel: channelId, kind, latency_ms: Math.round(latencyMs) },
      ...(answeredParts !== undefined && { answered_parts: answeredParts }),
    })),
    losses: (record.losses ?? []).map(({ field, verdict, why }) => ({ field, verdict, why })),
    ledger: entries.map(entryView),
    price: priceView(record),
    time_line: timeLineView(record),
  };
}

function billableView({ quantities, source }: Billable) {
  return {
    source,
    quantities: quantities.map(({ unit, amount, variant }) => ({
      unit,
      amount,
      ...(variant !== undefined && { variant }),
    })),
  };
}
