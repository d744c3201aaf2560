import { type PricePart, pricedAmount, priceParts } from '../../../domain/money/applied-prices.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import { isTag } from '../../../domain/usage/request-tags.ts';
import type { Ledger, LedgerEntry } from '../../ports/ledger.ts';
import type { FailedAttempt, RequestLog, RequestLogQuery, RequestRecord } from '../../ports/request-log.ts';
import { AdminError } from '../admin-error.ts';
import { entryView } from '../ledger/read-ledger.ts';
import { cursorOf, limitOf, numbersAfter, type Page, type PageRequest } from '../page.ts';
import { isoTime } from '../view-fields.ts';

interface WantedRequests extends PageRequest, RequestLogQuery {}

/** Resolves to a page of the request log, newest first. A page may be short or empty although another follows. Throws `AdminError`. */
export async function listRequests(
  log: Pick<RequestLog, 'page'>,
  wanted: WantedRequests,
): Promise<Page<RequestRecord>> {
  const { limit: _limit, after: _after, ...query } = wanted;
  const limit = limitOf(wanted);
  const [atMs, id] = numbersAfter(wanted, 2) ?? [];
  if (query.tag !== undefined && !isTag(query.tag)) {
    throw new AdminError('invalid_value', 'tag', 'must be the key and the value of a tag, such as team=search');
  }
  const place = atMs === undefined || id === undefined ? null : { atMs, id };
  const { records, next } = await log.page(query, place, limit);
  return { items: records, next: next === null ? null : cursorOf([String(next.atMs), String(next.id)]) };
}

interface ShownRequest {
  readonly record: RequestRecord;
  /** The charge for the request, and then what an operator has charged later, as far as they exist. */
  readonly entries: readonly LedgerEntry[];
}

/** Resolves to everything known of one request. Throws `AdminError` if it does not exist or belongs to another account. */
export async function showRequest(
  { requestLog, ledger }: { readonly requestLog: Pick<RequestLog, 'find'>; readonly ledger: Pick<Ledger, 'find'> },
  requestId: string,
  accountId: string | null,
): Promise<ShownRequest> {
  const record = await requestLog.find(requestId);
  if (record === null || (accountId !== null && record.accountId !== accountId)) {
    const message = `there is no request "${requestId.slice(0, 100)}" in the log, or its line has expired`;
    throw new AdminError('not_found', 'id', message);
  }
  const found = await Promise.all([ledger.find(`charge:${requestId}`), ledger.find(`charge:${requestId}:held`)]);
  return { record, entries: found.filter((entry) => entry !== null) };
}

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
