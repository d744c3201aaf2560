import { ERROR_CODES, type ErrorCode, type FailureSide } from '../../../domain/failure/error-codes.ts';
import { type PricePart, pricedAmount, priceParts } from '../../../domain/money/applied-prices.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import { traceLinkOf } from '../../../domain/trace/trace-link.ts';
import { isTag } from '../../../domain/usage/request-tags.ts';
import type { Ledger, LedgerEntry } from '../../ports/ledger.ts';
import type { FailedAttempt, RequestLog, RequestLogQuery, RequestRecord } from '../../ports/request-log.ts';
import { AdminError } from '../admin-error.ts';
import { entryView } from '../ledger/read-ledger.ts';
import { type NameSource, Names } from '../names.ts';
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

/**
 * Who reads a request. Upstreams' messages may speak of the operators' contracts with providers, so members of an account see only those of
 * its own channels, besides what the client was told.
 */
export interface RequestReader {
  readonly isOperator: boolean;
  /** The template for links to the operators' trace viewer; `null` for none. */
  readonly traceUrl: string | null;
}

function messageFor({ isOperator }: RequestReader, { message, isPrivate }: FailedAttempt): string | null {
  return message !== undefined && (isOperator || isPrivate === true) ? message : null;
}

/** Returns the times of a request in milliseconds since it arrived; `null` for lines of older versions. */
export function timeLineView(record: RequestRecord, reader: RequestReader) {
  const { times, failedAttempts, firstByteMs, latencyMs } = record;
  if (times === undefined) return null;
  const last = lastAttempt(record);
  return {
    admitted_ms: times.admittedMs === null ? null : tenth(times.admittedMs),
    cache_looked_up_ms: times.lookedUpMs === null ? null : tenth(times.lookedUpMs),
    queue_ms: times.queuedMs == null ? null : tenth(times.queuedMs),
    attempts: [...failedAttempts.map((attempt) => failedAttempt(attempt, reader)), ...(last === null ? [] : [last])],
    first_byte_ms: firstByteMs === null ? null : tenth(firstByteMs),
    charged_ms: times.chargedMs === null ? null : tenth(times.chargedMs),
    ended_ms: tenth(latencyMs),
  };
}

function failedAttempt(attempt: FailedAttempt, reader: RequestReader) {
  const {
    channelId,
    upstreamKey,
    provider,
    kind,
    status,
    upstreamRequestId,
    beganMs = null,
    heardMs,
    latencyMs,
  } = attempt;
  return {
    ...{ channel: channelId, upstream_key: upstreamKey ?? null, provider: provider ?? null },
    ...{ outcome: 'failed' as const, kind, status: status ?? null },
    message: messageFor(reader, attempt),
    upstream_request_id: upstreamRequestId ?? null,
    began_ms: beganMs === null ? null : tenth(beganMs),
    headers_ms: beganMs === null || heardMs === undefined ? null : tenth(beganMs + heardMs),
    ended_ms: beganMs === null ? null : tenth(beganMs + latencyMs),
  };
}

/** Returns the attempt that is not among the failed ones: it answered, the client caused its failure, or the client left. */
function lastAttempt(record: RequestRecord) {
  const { times, failedAttempts, retryCount, failureKind, clientGone, told } = record;
  if (times === undefined || times.askedMs === null || failedAttempts.length > retryCount) return null;
  const answered = failureKind === null ? ('answered' as const) : ('failed' as const);
  const outcome = clientGone ? ('abandoned' as const) : answered;
  return {
    ...{ channel: record.channelId, upstream_key: record.upstreamKey ?? null, provider: record.provider, outcome },
    ...{ kind: failureKind, status: times.upstreamStatus, upstream_request_id: record.upstreamRequestId },
    // Such a failure is the client's, as the client was told it.
    message: outcome === 'failed' ? (told?.message ?? null) : null,
    began_ms: tenth(times.askedMs),
    headers_ms: times.heardMs === null ? null : tenth(times.heardMs),
    ended_ms: tenth(times.answeredMs ?? record.latencyMs),
  };
}

function tenth(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** Returns a line of the log as JSON, with what its client was told and without upstreams' messages. */
export function requestView(record: RequestRecord) {
  const { costNanoUsd, billable, told } = record;
  return {
    id: record.requestId,
    client_request_id: record.clientRequestId ?? null,
    trace_id: record.traceId ?? null,
    at: isoTime(record.atMs),
    account: record.accountId,
    key: record.keyId,
    format: record.format,
    model: record.modelId,
    requested_model: record.requestedModel ?? record.modelId,
    model_steps: record.modelSteps ?? [],
    channel: record.channelId,
    upstream_key: record.upstreamKey ?? null,
    batch: record.batchId ?? null,
    guards: (record.guards ?? []).map(({ guard, rule, stage, action, count }) => ({
      guard,
      rule,
      stage,
      action,
      count,
    })),
    provider: record.provider,
    upstream_model: record.upstreamModel,
    answer_model: record.answerModel,
    stream: record.stream,
    status: record.status,
    error_code: record.errorCode,
    failure_kind: record.failureKind,
    error_message: told?.message ?? null,
    error_param: told?.param ?? null,
    error_hint: told?.hint ?? null,
    error_side: sideOf(record),
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

/** Returns the side at fault; `null` if the request did not fail. */
function sideOf({ errorCode, told }: RequestRecord): FailureSide | null {
  if (told?.side !== undefined) return told.side;
  return errorCode !== null && Object.hasOwn(ERROR_CODES, errorCode) ? ERROR_CODES[errorCode as ErrorCode].side : null;
}

/**
 * Resolves to a line of the log as JSON with everything known of the request: attempts, losses, ledger entries, its price by part, its times,
 * and the names of its ids.
 */
export async function shownRequestView(source: NameSource, { record, entries }: ShownRequest, reader: RequestReader) {
  const view = requestView(record);
  const failed = record.failedAttempts.map((attempt) => failedSummary(attempt, reader));
  const timeLine = timeLineView(record, reader);
  const names = await Names.of(source, [view, ...failed, ...(timeLine?.attempts ?? [])], record.accountId);
  return {
    ...names.in(view),
    trace_url: traceLink(record, reader),
    private: record.isPrivate ?? null,
    upstream_request_id: record.upstreamRequestId,
    failed_attempts: failed.map((attempt) => names.in(attempt, record.accountId)),
    losses: (record.losses ?? []).map(({ field, verdict, why }) => ({ field, verdict, why })),
    ledger: entries.map(entryView),
    price: priceView(record),
    time_line: timeLine && {
      ...timeLine,
      attempts: timeLine.attempts.map((attempt) => names.in(attempt, record.accountId)),
    },
  };
}

/** Members of an account do not learn where the operators' tools are. */
function traceLink({ traceId }: RequestRecord, { isOperator, traceUrl }: RequestReader): string | null {
  return isOperator && traceUrl !== null && traceId !== undefined ? traceLinkOf(traceUrl, traceId) : null;
}

function failedSummary(attempt: FailedAttempt, reader: RequestReader) {
  const { channelId, kind, latencyMs, answeredParts } = attempt;
  return {
    ...{ channel: channelId, kind, message: messageFor(reader, attempt), latency_ms: Math.round(latencyMs) },
    ...(answeredParts !== undefined && { answered_parts: answeredParts }),
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
