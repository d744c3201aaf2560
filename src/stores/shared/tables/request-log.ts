import type { CacheMatch } from '../../../domain/cache/cache.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import type { AppliedPrices } from '../../../domain/money/applied-prices.ts';
import { type Billable, ONE_REQUEST, type Quantity, type Unit } from '../../../domain/money/quantity.ts';
import type { ModelStep } from '../../../domain/routing/model-step.ts';
import { traceIdOf } from '../../../domain/trace/span-ids.ts';
import type { GuardVerdict } from '../../../domain/verdicts/guard-verdict.ts';
import type { FailedAttempt, RequestRecord, RequestTimes } from '../../../engine/ports/request-log.ts';
import { type Flag, fromJson, toFlag } from './encoding.ts';
import type { SealedLine } from './sealed-failure.ts';

export interface RequestLogRow {
  readonly request_id: string;
  readonly at_ms: number;
  readonly account_id: string | null;
  readonly key_id: string | null;
  readonly format: string;
  readonly model_id: string | null;
  readonly channel_id: string | null;
  readonly provider: string | null;
  readonly upstream_model: string | null;
  readonly stream: Flag;
  readonly status: number;
  readonly error_code: string | null;
  readonly failure_kind: string | null;
  readonly client_gone: Flag;
  readonly retry_count: number;
  readonly latency_ms: number;
  readonly first_byte_ms: number | null;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  /** NULL, like the five counts, if the usage is unknown. */
  readonly usage_source: Billable['source'] | null;
  readonly upstream_request_id: string | null;
  /** NULL for none, as in most lines. */
  readonly failed_attempts: string | null;
  /** Decimal digits of a database integer, since a JavaScript number loses precision beyond 2^53. */
  readonly cost_nano: string | null;
  /** NULL in lines from before the column existed. */
  readonly is_private: Flag | null;
  readonly answer_model: string | null;
  /** Quantities without their own column, as JSON; NULL for a single request and nothing else, as in most lines. */
  readonly other_quantities: string | null;
  /** NULL if the response did not come from the cache. */
  readonly cache_match: CacheMatch | null;
  readonly cache_entry_id: string | null;
  /** JSON arrays; NULL for none, as in most lines. */
  readonly tags: string | null;
  readonly losses: string | null;
  /** The prices and times as JSON; NULL in lines from before the column existed. */
  readonly story: string | null;
  /** The texts of a failure (`sealed-failure.ts`); NULL for none, as in most lines, and in lines from before the column existed. */
  readonly sealed_failure: string | null;
  /** NULL for none, as in lines from before the columns existed. */
  readonly client_request_id: string | null;
  /** NULL also for a trace that is named after the request, as most are: the story says so in fewer bytes. */
  readonly trace_id: string | null;
  /** A JSON array; NULL for none, as in most lines, and in lines from before the column existed. */
  readonly model_steps: string | null;
  /** NULL for a channel with one key, and in lines from before the column existed. */
  readonly upstream_key: string | null;
  /** NULL for a request of no batch, and in lines from before the column existed. */
  readonly batch_id: string | null;
  /** A JSON array; NULL for none, as in most lines, and in lines from before the column existed. */
  readonly guards: string | null;
}

/** In column order. */
const COUNTED_UNITS = [
  'input_token',
  'cached_input_token',
  'cache_write_token',
  'output_token',
  'reasoning_token',
] as const satisfies readonly Unit[];

/** The most losses stored per line. More would add no information. */
const MOST_LOSSES = 50;

/** In the order of `toRequestLogValues`. */
export const REQUEST_LOG_COLUMNS = [
  'request_id',
  'at_ms',
  'account_id',
  'key_id',
  'format',
  'model_id',
  'channel_id',
  'provider',
  'upstream_model',
  'stream',
  'status',
  'error_code',
  'failure_kind',
  'client_gone',
  'retry_count',
  'latency_ms',
  'first_byte_ms',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'usage_source',
  'upstream_request_id',
  'failed_attempts',
  'cost_nano',
  'is_private',
  'answer_model',
  'other_quantities',
  'cache_match',
  'cache_entry_id',
  'tags',
  'losses',
  'story',
  'sealed_failure',
  'client_request_id',
  'trace_id',
  'model_steps',
  'upstream_key',
  'batch_id',
  'guards',
] as const satisfies readonly (keyof RequestLogRow)[];

/** Returns an array, since binding by position costs half as much as by name and this runs for every request. */
export function toRequestLogValues(record: SealedLine): (string | number | null)[] {
  const { billable } = record;
  const counts = billable === null ? NOT_KNOWN : countsOf(billable);
  return [
    record.requestId,
    record.atMs,
    record.accountId,
    record.keyId,
    record.format,
    record.modelId,
    record.channelId,
    record.provider,
    record.upstreamModel,
    toFlag(record.stream),
    record.status,
    record.errorCode,
    record.failureKind,
    toFlag(record.clientGone),
    record.retryCount,
    record.latencyMs,
    record.firstByteMs,
    counts[0],
    counts[1],
    counts[2],
    counts[3],
    counts[4],
    billable === null ? null : billable.source,
    record.upstreamRequestId,
    record.failedAttempts.length === 0 ? null : JSON.stringify(record.failedAttempts, withoutMessages),
    record.costNanoUsd === null ? null : String(record.costNanoUsd),
    record.isPrivate === undefined ? null : toFlag(record.isPrivate),
    record.answerModel,
    billable === null ? null : othersOf(billable),
    record.cacheMatch,
    record.cacheEntryId,
    record.tags === undefined ? null : JSON.stringify(record.tags),
    record.losses === undefined ? null : JSON.stringify(record.losses.slice(0, MOST_LOSSES)),
    storyOf(record),
    record.sealedFailure ?? null,
    record.clientRequestId ?? null,
    hasOwnTrace(record) ? null : (record.traceId ?? null),
    record.modelSteps === undefined ? null : JSON.stringify(record.modelSteps),
    record.upstreamKey ?? null,
    record.batchId ?? null,
    record.guards === undefined ? null : JSON.stringify(record.guards),
  ];
}

export function fromRequestLogRow(row: RequestLogRow): SealedLine {
  return {
    requestId: row.request_id,
    atMs: row.at_ms,
    accountId: row.account_id,
    keyId: row.key_id,
    format: row.format,
    modelId: row.model_id,
    channelId: row.channel_id,
    provider: row.provider,
    upstreamModel: row.upstream_model,
    answerModel: row.answer_model,
    stream: row.stream === 1,
    status: row.status,
    errorCode: row.error_code,
    failureKind: row.failure_kind,
    clientGone: row.client_gone === 1,
    ...(row.is_private === null ? {} : { isPrivate: row.is_private === 1 }),
    retryCount: row.retry_count,
    failedAttempts: row.failed_attempts === null ? [] : fromJson<FailedAttempt[]>(row.failed_attempts),
    latencyMs: row.latency_ms,
    firstByteMs: row.first_byte_ms,
    billable: billableFrom(row),
    costNanoUsd: row.cost_nano === null ? null : BigInt(row.cost_nano),
    upstreamRequestId: row.upstream_request_id,
    cacheMatch: row.cache_match,
    cacheEntryId: row.cache_entry_id,
    ...(row.tags !== null && { tags: fromJson<string[]>(row.tags) }),
    ...(row.losses !== null && { losses: fromJson<Loss[]>(row.losses) }),
    ...(row.story !== null && storyFrom(row.story, row.request_id)),
    ...(row.sealed_failure !== null && { sealedFailure: row.sealed_failure }),
    ...(row.client_request_id !== null && { clientRequestId: row.client_request_id }),
    ...(row.trace_id !== null && { traceId: row.trace_id }),
    ...(row.model_steps !== null && { modelSteps: fromJson<ModelStep[]>(row.model_steps) }),
    ...(row.upstream_key !== null && { upstreamKey: row.upstream_key }),
    ...(row.batch_id !== null && { batchId: row.batch_id }),
    ...(row.guards !== null && { guards: fromJson<GuardVerdict[]>(row.guards) }),
  };
}

/** Leaves out the messages of attempts, which are sealed. */
function withoutMessages(name: string, value: unknown): unknown {
  return name === 'message' ? undefined : value;
}

/** Stored for every request, so its keys are as short as possible. */
interface Story {
  readonly p?: AppliedPrices;
  readonly t?: readonly (number | null)[];
  /** The trace is named after the request. */
  readonly o?: 1;
  /** The saved amount and the upstream cost in nano-USD: digits, since a number loses precision beyond 2^53. */
  readonly s?: string;
  readonly u?: string;
}

/** The story of a line recovered from its charge. */
export const RECOVERED_STORY = '{"r":1}';

function storyOf(record: RequestRecord): string | null {
  const { applied, times } = record;
  if (record.recovered === true) return RECOVERED_STORY;
  let members = applied === undefined ? '' : `"p":${JSON.stringify(applied)}`;
  if (times !== undefined) members += `${members === '' ? '' : ','}"t":${timesText(times)}`;
  if (hasOwnTrace(record)) members += `${members === '' ? '' : ','}"o":1`;
  members += moneyText(members === '', record);
  return members === '' ? null : `{${members}}`;
}

/** Returns the amounts as further members. Most lines have none. */
function moneyText(isFirst: boolean, { savedNanoUsd: saved, upstreamCostNanoUsd: cost }: RequestRecord): string {
  const texts = [...(saved === undefined ? [] : [`"s":"${saved}"`]), ...(cost === undefined ? [] : [`"u":"${cost}"`])];
  return texts.length === 0 ? '' : `${isFirst ? '' : ','}${texts.join(',')}`;
}

function timesText(times: RequestTimes): string {
  const { admittedMs, lookedUpMs, askedMs, heardMs, upstreamStatus, answeredMs, chargedMs } = times;
  const at = `${short(admittedMs)},${short(lookedUpMs)},${short(askedMs)},${short(heardMs)}`;
  const rest = `${upstreamStatus},${short(answeredMs)},${short(chargedMs)}`;
  const queued = times.queuedMs == null ? '' : `,${short(times.queuedMs)}`;
  return `[${at},${rest}${queued}]`;
}

function storyFrom(
  text: string,
  requestId: string,
): Pick<RequestRecord, 'applied' | 'times' | 'recovered' | 'traceId' | 'savedNanoUsd' | 'upstreamCostNanoUsd'> {
  if (text === RECOVERED_STORY) return { recovered: true };
  const { p: applied, t, o: isOwn, s: saved, u: cost } = fromJson<Story>(text);
  const money = {
    ...(saved !== undefined && { savedNanoUsd: BigInt(saved) }),
    ...(cost !== undefined && { upstreamCostNanoUsd: BigInt(cost) }),
  };
  const facts = {
    ...money,
    ...(applied !== undefined && { applied }),
    ...(isOwn === 1 && { traceId: traceIdOf(requestId) }),
  };
  if (t === undefined) return facts;
  const [admittedMs, lookedUpMs, askedMs, heardMs, upstreamStatus, answeredMs, chargedMs] = t.concat(NO_TIMES);
  const known = { admittedMs, lookedUpMs, askedMs, heardMs, upstreamStatus, answeredMs, chargedMs } as RequestTimes;
  const queuedMs = t[TIMES_WITHOUT_QUEUE] ?? null;
  const times = queuedMs === null ? known : { ...known, queuedMs };
  return { ...facts, times };
}

function hasOwnTrace({ requestId, traceId }: Pick<RequestRecord, 'requestId' | 'traceId'>): boolean {
  return traceId !== undefined && traceId === traceIdOf(requestId);
}

const TIMES_WITHOUT_QUEUE = 7;
const NO_TIMES: readonly null[] = Array(TIMES_WITHOUT_QUEUE).fill(null);

/** Rounds to a tenth of a millisecond. */
function short(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10;
}

type Counts = readonly [input: Count, cached: Count, written: Count, output: Count, reasoning: Count];
type Count = number | null;

const NOT_KNOWN: Counts = [null, null, null, null, null];

function countsOf({ quantities }: Billable): Counts {
  const counts: [number, number, number, number, number] = [0, 0, 0, 0, 0];
  for (const { unit, amount, variant } of quantities) {
    const index = variant === undefined ? columnOf(unit) : -1;
    if (index >= 0) counts[index] = (counts[index] ?? 0) + amount;
  }
  return counts;
}

function othersOf({ quantities }: Billable): string | null {
  const others = quantities.filter(({ unit, variant }) => variant !== undefined || columnOf(unit) < 0);
  const isOneRequest = others.length === 1 && others[0]?.unit === 'request' && others[0].amount === 1;
  return isOneRequest ? null : JSON.stringify(others);
}

function columnOf(unit: Unit): number {
  return (COUNTED_UNITS as readonly Unit[]).indexOf(unit);
}

function billableFrom(row: RequestLogRow): Billable | null {
  if (row.usage_source === null) return null;
  const { input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens } = row;
  const counts = [input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens];
  const tokens: Quantity[] = COUNTED_UNITS.map((unit, index) => ({ unit, amount: counts[index] ?? 0 }));
  const others = row.other_quantities === null ? [ONE_REQUEST] : fromJson<Quantity[]>(row.other_quantities);
  return { quantities: [...tokens.filter(({ amount }) => amount > 0), ...others], source: row.usage_source };
}
