import type { CacheMatch } from '../../domain/cache/cache.ts';
import type { Loss } from '../../domain/exchange/loss.ts';
import type { FailureSide } from '../../domain/failure/error-codes.ts';
import type { AppliedPrices } from '../../domain/money/applied-prices.ts';
import type { Billable } from '../../domain/money/quantity.ts';
import type { ModelStep } from '../../domain/routing/model-step.ts';
import type { GuardVerdict } from '../../domain/verdicts/guard-verdict.ts';

/** A failed attempt at a channel. */
export interface FailedAttempt {
  readonly channelId: string;
  /** The failure's kind. */
  readonly kind: string;
  readonly latencyMs: number;
  /** The number of upstream requests that succeeded, and may be billed, before another one of the attempt failed. */
  readonly answeredParts?: number;
  readonly provider?: string;
  /** The time from the request's arrival to the start of the attempt. Missing in lines of older versions. */
  readonly beganMs?: number;
  /** The time from there to the upstream's status and headers; missing if none arrived. */
  readonly heardMs?: number;
  /** The HTTP status of the upstream. */
  readonly status?: number;
  readonly upstreamRequestId?: string;
  /** The failure's message, mostly in the upstream's words; bounded and without secrets. Missing in lines of older versions. */
  readonly message?: string;
  /** The name of the channel's upstream key; missing if it has one key. */
  readonly upstreamKey?: string;
  /** Whether the channel is the account's own; missing if not, and in lines of older versions. */
  readonly isPrivate?: true;
}

/** A failure as the client was told it; bounded and without secrets. */
export interface ToldFailure {
  readonly message: string;
  /** The path of the field at fault. */
  readonly param?: string;
  readonly hint?: string;
  /** Missing if it is the usual side of the code. */
  readonly side?: FailureSide;
}

/** When a request reached each phase, in milliseconds since its arrival; `null` if it did not. */
export interface RequestTimes {
  /** The caller was authenticated and admitted by the limits. */
  readonly admittedMs: number | null;
  /** The cache lookup finished. */
  readonly lookedUpMs: number | null;
  /** How long it waited for channels at their limits; absent or `null` if it did not. */
  readonly queuedMs?: number | null;
  /** The last attempt began, and its status and headers arrived. */
  readonly askedMs: number | null;
  readonly heardMs: number | null;
  readonly upstreamStatus: number | null;
  /** The response was complete and its usage known. */
  readonly answeredMs: number | null;
  /** The charge was durable. */
  readonly chargedMs: number | null;
}

/**
 * One line of the request log: the caller, the model, the channel and the outcome. Never contains prompts or secrets; the texts of a failure
 * may quote a value of the request.
 */
export interface RequestRecord {
  readonly requestId: string;
  /** The client's own id of the request; missing if it sent none. Anybody may send any id, so it identifies nothing. */
  readonly clientRequestId?: string;
  /** The trace that the request belongs to, 32 hex digits; missing if there is none. */
  readonly traceId?: string;
  /** When the request arrived, in milliseconds since 1970. */
  readonly atMs: number;
  readonly accountId: string | null;
  readonly keyId: string | null;
  /** The client's format, such as `openai-chat`. */
  readonly format: string;
  readonly modelId: string | null;
  /** The model as the client wrote it; missing if it is `modelId`, or unknown. */
  readonly requestedModel?: string;
  /** The changes of the model, in their order; missing if the named model was kept. */
  readonly modelSteps?: readonly ModelStep[];
  readonly channelId: string | null;
  /** The name of the channel's upstream key; missing if it has one key. */
  readonly upstreamKey?: string;
  /** The batch whose line the request was; missing for all other requests. */
  readonly batchId?: string;
  readonly provider: string | null;
  readonly upstreamModel: string | null;
  /** The model named in the response if it differs from `upstreamModel`; otherwise `null`. */
  readonly answerModel: string | null;
  readonly stream: boolean;
  /** The HTTP status sent to the client; 499 if the client disconnected before one was sent. */
  readonly status: number;
  /** The failure's code and kind, including for a stream that failed after its 200. */
  readonly errorCode: string | null;
  readonly failureKind: string | null;
  /** Missing if the request did not fail, and in lines of older versions. */
  readonly told?: ToldFailure;
  readonly clientGone: boolean;
  /**
   * Whether no shared channel was involved: the channel that responded or was tried last is the account's own, or none was tried and no
   * shared channel serves the model. Missing in lines of older versions.
   */
  readonly isPrivate?: boolean;
  readonly retryCount: number;
  /** In order; empty if the first attempt succeeded. */
  readonly failedAttempts: readonly FailedAttempt[];
  readonly latencyMs: number;
  /** The time from arrival to the first byte sent to the client. */
  readonly firstByteMs: number | null;
  /** The usage; `null` if unknown or if there was no response. */
  readonly billable: Billable | null;
  /** The charge in nano-USD; `null` if the model has no price or the charge could not be written. */
  readonly costNanoUsd: bigint | null;
  /** The difference between the uncached and the cached price; missing if zero, and in lines of older versions. */
  readonly savedNanoUsd?: bigint;
  /**
   * The upstream cost in nano-USD at the channel's `costs`, zero if no shared channel was billed; missing if unknown, and in lines of older
   * versions. Only for operators.
   */
  readonly upstreamCostNanoUsd?: bigint;
  /** The upstream's request id, to quote to the provider. */
  readonly upstreamRequestId: string | null;
  /**
   * How the response was found in the cache; `null` if it was not. For a cached response, the channel and `billable` are those of the
   * original response.
   */
  readonly cacheMatch: CacheMatch | null;
  /** The cache entry; `null` if the response was not cached. */
  readonly cacheEntryId: string | null;
  /** Each is `key=value`; missing if there are none. */
  readonly tags?: readonly string[];
  /** The tags under which usage is summed (`RequestTags`); not stored in the log. */
  readonly summedTags?: readonly string[];
  /** The parts of the request that the channel's format cannot carry; missing if there are none. */
  readonly losses?: readonly Loss[];
  /** The verdicts of guards, at most 50, without the matched text; missing if they have found nothing. */
  readonly guards?: readonly GuardVerdict[];
  /** Missing if nothing was priced, and in lines of older versions. */
  readonly applied?: AppliedPrices;
  /** Missing in lines of older versions and in lines of tasks, which have their own times. */
  readonly times?: RequestTimes;
  /**
   * The line was lost in a crash and recreated from the charge: format, quantities and times are unknown, and `latencyMs` is the time until
   * the charge. Missing in all other lines.
   */
  readonly recovered?: true;
}

/** Conditions that must all hold; omitted ones are ignored. A list holds if it has the line's value. */
export interface RequestLogQuery {
  readonly accountId?: string;
  readonly clientRequestId?: string;
  readonly traceId?: string;
  readonly keyId?: string;
  readonly modelId?: string;
  readonly channelIds?: readonly string[];
  readonly upstreamKey?: string;
  readonly batchId?: string;
  readonly provider?: string;
  readonly format?: string;
  /** An inclusive range. */
  readonly status?: { readonly from: number; readonly to: number };
  readonly errorCodes?: readonly string[];
  readonly failureKind?: string;
  /** Whether the request has an error code, whoever was at fault. */
  readonly failed?: boolean;
  readonly stream?: boolean;
  readonly clientGone?: boolean;
  /** Whether the response came from the cache. */
  readonly cached?: boolean;
  /** One `key=value`. */
  readonly tag?: string;
  /** The range of arrival times in milliseconds since 1970; `toMs` is exclusive. */
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly minLatencyMs?: number;
  readonly maxLatencyMs?: number;
  readonly minCostNanoUsd?: bigint;
  readonly maxCostNanoUsd?: bigint;
}

/** A line with its number, which ascends in write order. Lines of several nodes may become visible in another order. */
export interface WrittenLine {
  readonly id: number;
  readonly record: RequestRecord;
}

/** The reader has seen all lines up to `topId` except the missing ones. */
export interface WrittenPlace {
  readonly topId: number;
  readonly missing: readonly number[];
}

/** The position of a line in the log. */
export interface LogPlace {
  readonly atMs: number;
  /** Orders lines of the same millisecond. */
  readonly id: number;
}

export interface RequestLogPage {
  readonly records: readonly RequestRecord[];
  /** The start of the next page; `null` on the last page. A page that is not the last may have fewer lines than requested, or none. */
  readonly next: LogPlace | null;
}

export interface RequestLog {
  /** Adds a line to the write-behind queue (delay and size are bounded). The request does not wait. */
  append(record: RequestRecord): void;
  /** Resolves when all lines appended so far are written. */
  flush(): Promise<void>;
  /** Resolves to lines from newest to oldest. */
  recent(limit: number): Promise<readonly RequestRecord[]>;
  /**
   * Resolves to a page of lines from newest to oldest; those of one id (`clientRequestId`, `traceId`) in the order in which they were
   * written. A page ends early rather than scan millions of lines for a few matches. Successive
   * pages return each line that existed at the first page exactly once.
   */
  page(query: RequestLogQuery, after: LogPlace | null, limit: number): Promise<RequestLogPage>;
  /** Resolves to written lines that the reader has not seen, in ascending order of their numbers. */
  written(after: WrittenPlace, limit: number): Promise<readonly WrittenLine[]>;
  /** Resolves to the highest numbers, in descending order. */
  lastWritten(limit: number): Promise<readonly number[]>;
  /** Finds the line of a request, using the time encoded in its id. */
  find(requestId: string): Promise<RequestRecord | null>;
}

/** Whether a line matches the query. The stores implement the same conditions in SQL. */
export function matchesQuery(record: RequestRecord, query: RequestLogQuery): boolean {
  const { accountId, clientRequestId, traceId, keyId, modelId, provider, format, failureKind, stream, clientGone } =
    query;
  const ids = { accountId, clientRequestId, traceId, keyId, modelId };
  const { upstreamKey, batchId } = query;
  const facts = { ...ids, provider, format, failureKind, stream, clientGone, upstreamKey, batchId };
  for (const name in facts) {
    const value = facts[name as keyof typeof facts]; // A name of `facts`.
    if (value !== undefined && record[name as keyof typeof facts] !== value) return false;
  }
  const { channelIds, errorCodes, failed, status, cached, tag, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = query;
  const { minLatencyMs = 0, maxLatencyMs = Number.POSITIVE_INFINITY } = query;
  return (
    isAmong(record.channelId, channelIds) &&
    isAmong(record.errorCode, errorCodes) &&
    (status === undefined || (record.status >= status.from && record.status <= status.to)) &&
    (failed === undefined || (record.errorCode !== null) === failed) &&
    (cached === undefined || (record.cacheMatch !== null) === cached) &&
    (tag === undefined || record.tags?.includes(tag) === true) &&
    record.atMs >= fromMs &&
    record.atMs < toMs &&
    record.latencyMs >= minLatencyMs &&
    record.latencyMs <= maxLatencyMs &&
    isWithinCost(record.costNanoUsd, query)
  );
}

function isAmong(value: string | null, wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || (value !== null && wanted.includes(value));
}

function isWithinCost(costNanoUsd: bigint | null, { minCostNanoUsd, maxCostNanoUsd }: RequestLogQuery): boolean {
  if (minCostNanoUsd === undefined && maxCostNanoUsd === undefined) return true;
  if (costNanoUsd === null || (minCostNanoUsd !== undefined && costNanoUsd < minCostNanoUsd)) return false;
  return maxCostNanoUsd === undefined || costNanoUsd <= maxCostNanoUsd;
}
