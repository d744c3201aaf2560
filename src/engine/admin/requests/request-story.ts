import { type PricePart, pricedAmount, priceParts } from '../../../domain/money/applied-prices.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { FailedAttempt, RequestRecord } from '../../ports/request-log.ts';

/** Returns what was charged, part by part; `null` if nothing was priced or the parts are unknown. */
export function priceView({ applied, costNanoUsd, billable }: RequestRecord) {
  if (applied === undefined || costNanoUsd === null) return null;
  return { total_usd: formatNanoUsd(costNanoUsd), parts: priceParts(billable, applied, costNanoUsd).map(partView) };
}

function partView(part: PricePart) {
  const amount_usd = formatNanoUsd(part.nanoUsd);
  if (part.kind !== 'usage') return { kind: part.kind, amount_usd };
  const { unit, amount, variant } = part.quantity;
  return {
    ...{ kind: part.kind, amount_usd, unit, amount },
    ...(variant !== undefined && { variant }),
    ...{ unit_price_usd: part.priceUsd, per: pricedAmount(unit) },
    ...(part.factor !== null && { factor: part.factor }),
  };
}

/** Returns the times of a request in milliseconds since it arrived; `null` for lines of older versions. */
export function timeLineView(record: RequestRecord) {
  const { times, failedAttempts, firstByteMs, latencyMs } = record;
  if (times === undefined) return null;
  const last = lastAttempt(record);
  return {
    admitted_ms: times.admittedMs === null ? null : tenth(times.admittedMs),
    cache_looked_up_ms: times.lookedUpMs === null ? null : tenth(times.lookedUpMs),
    attempts: [...failedAttempts.map(failedAttempt), ...(last === null ? [] : [last])],
    first_byte_ms: firstByteMs === null ? null : tenth(firstByteMs),
    charged_ms: times.chargedMs === null ? null : tenth(times.chargedMs),
    ended_ms: tenth(latencyMs),
  };
}

function failedAttempt({ channelId, provider, kind, status, upstreamRequestId, ...of }: FailedAttempt) {
  const { beganMs = null, heardMs, latencyMs } = of;
  return {
    ...{ channel: channelId, provider: provider ?? null, outcome: 'failed' as const, kind, status: status ?? null },
    upstream_request_id: upstreamRequestId ?? null,
    began_ms: beganMs === null ? null : tenth(beganMs),
    headers_ms: beganMs === null || heardMs === undefined ? null : tenth(beganMs + heardMs),
    ended_ms: beganMs === null ? null : tenth(beganMs + latencyMs),
  };
}

/** Returns the attempt that is not among the failed ones: it answered, the client caused its failure, or the client left. */
function lastAttempt(record: RequestRecord) {
  const { times, failedAttempts, retryCount, failureKind, clientGone } = record;
  if (times === undefined || times.askedMs === null || failedAttempts.length > retryCount) return null;
  const answered = failureKind === null ? ('answered' as const) : ('failed' as const);
  const outcome = clientGone ? ('abandoned' as const) : answered;
  return {
    ...{ channel: record.channelId, provider: record.provider, outcome },
    ...{ kind: failureKind, status: times.upstreamStatus, upstream_request_id: record.upstreamRequestId },
    began_ms: tenth(times.askedMs),
    headers_ms: times.heardMs === null ? null : tenth(times.heardMs),
    ended_ms: tenth(times.answeredMs ?? record.latencyMs),
  };
}

function tenth(ms: number): number {
  return Math.round(ms * 10) / 10;
}
