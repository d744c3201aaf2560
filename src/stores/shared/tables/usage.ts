import { LATENCY_BOUNDS_MS, latencyStepOf, NO_LATENCIES } from '../../../domain/usage/latency-steps.ts';
import type { Writable } from '../../../domain/writable.ts';
import type { Charge } from '../../../engine/ports/ledger.ts';
import type { RequestRecord } from '../../../engine/ports/request-log.ts';
import {
  NO_MEASURES,
  type UsageDelta,
  type UsageDimension,
  type UsageMeasures,
} from '../../../engine/ports/usage-store.ts';
import { toStorable } from '../../sql/texts.ts';

const MINUTE_MS = 60_000;

export const DIMENSION_COLUMNS = ['account_id', 'key_id', 'model_id', 'channel_id', 'status', 'tag'] as const;

export const MEASURE_COLUMNS = [
  'requests',
  'errors',
  'cache_hits',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'reasoning_tokens',
  'latency_ms_sum',
  'first_byte_ms_sum',
  'first_byte_count',
  'cost_nano',
  'saved_nano',
  'upstream_cost_nano',
  'costed_requests',
  'unpriced_requests',
] as const;

/** The columns of the latency steps. They are NULL for zero, which takes no space. */
export const LATENCY_COLUMNS = [
  ...LATENCY_BOUNDS_MS.map((bound) => `latency_le_${bound}` as const),
  'latency_above',
] as const;

/** The columns of `usage_deltas`, in the order of `toUsageValues`. */
export const USAGE_COLUMNS = [
  'at_ms',
  ...DIMENSION_COLUMNS,
  ...MEASURE_COLUMNS,
  'latency_ms_max',
  ...LATENCY_COLUMNS,
] as const;

export const NOTHING_USED: UsageMeasures & Pick<UsageDelta, 'latencyMsMax' | 'latencies'> = {
  ...NO_MEASURES,
  latencyMsMax: 0,
  latencies: NO_LATENCIES,
};

/** The part of a charge that is stored in `usage_deltas`. */
export type ChargedUsage = Pick<UsageDelta, UsageDimension | 'atMs' | 'costNanoUsd'>;

/**
 * Returns the rows that a batch of new charges adds to `usage_deltas` in its own transaction: the amount of each charge, once in total and
 * once for each tag. Equal rows of the same minute are merged. The request itself is counted with its request log line.
 */
export function usageOfCharges(charges: readonly Charge[]): readonly ChargedUsage[] {
  const rows: Writable<ChargedUsage>[] = [];
  const places = new Map<string, Writable<ChargedUsage>>();
  for (const { accountId, keyId, costNanoUsd, atMs: chargedAtMs, usage } of charges) {
    if (costNanoUsd === 0n) continue;
    const { modelId, channelId, status, tags } = usage;
    const atMs = Math.floor(chargedAtMs / MINUTE_MS) * MINUTE_MS;
    const place = `${atMs} ${status} ${accountId} ${keyId ?? ''} ${channelId} ${modelId}`;
    for (let index = -1; index < tags.length; index++) {
      const tag = tags[index] ?? '';
      const row = places.get(`${place}\0${tag}`);
      if (row === undefined) {
        const made = {
          atMs,
          accountId,
          keyId: keyId ?? '',
          modelId: storable(modelId),
          channelId,
          status,
          tag,
          costNanoUsd,
        };
        places.set(`${place}\0${tag}`, made);
        rows.push(made);
      } else row.costNanoUsd += costNanoUsd;
    }
  }
  return rows;
}

/**
 * Returns the rows that a batch of request log lines adds to `usage_deltas` in its own transaction; equal rows of the same minute are
 * merged. A line counts in the minute in which its request ended, like its charge.
 */
export function usageOfLines(records: readonly RequestRecord[]): UsageDelta[] {
  const rows = new Map<string, CountedDelta>();
  for (const record of records) {
    const { accountId } = record;
    if (accountId === null) continue;
    const minuteMs = Math.floor((whole(record.atMs) + whole(record.latencyMs)) / MINUTE_MS) * MINUTE_MS;
    const keyId = record.keyId ?? '';
    const modelId = storable(record.modelId ?? '');
    const channelId = record.channelId ?? '';
    const status = whole(record.status);
    const place = `${minuteMs} ${accountId} ${keyId} ${channelId} ${status} ${modelId}`;
    for (const tag of ['', ...(record.summedTags ?? [])]) {
      let row = rows.get(`${place}\0${tag}`);
      if (row === undefined) {
        const ids = { atMs: minuteMs, accountId, keyId, modelId, channelId, status, tag };
        row = { ...NOTHING_USED, ...ids, latencies: [...NO_LATENCIES] };
        rows.set(`${place}\0${tag}`, row);
      }
      count(row, record);
    }
  }
  return [...rows.values()];
}

/** A row that lines are added to. */
type CountedDelta = Writable<Omit<UsageDelta, 'latencies'>> & { readonly latencies: number[] };

function count(row: CountedDelta, record: RequestRecord): void {
  row.requests += 1;
  if (record.errorCode !== null) row.errors += 1;
  if (record.cacheMatch !== null) row.cacheHits += 1;
  row.savedNanoUsd += record.savedNanoUsd ?? 0n;
  if (record.upstreamCostNanoUsd !== undefined) {
    row.upstreamCostNanoUsd += record.upstreamCostNanoUsd;
    row.costedRequests += 1;
  }
  if (record.costNanoUsd === null) row.unpricedRequests += 1;
  row.latencyMsSum += whole(record.latencyMs);
  row.latencyMsMax = Math.max(row.latencyMsMax, whole(record.latencyMs));
  const step = latencyStepOf(whole(record.latencyMs));
  row.latencies[step] = (row.latencies[step] ?? 0) + 1;
  if (record.firstByteMs !== null) {
    row.firstByteMsSum += whole(record.firstByteMs);
    row.firstByteCount += 1;
  }
  for (const { unit, amount, variant } of record.billable?.quantities ?? []) {
    if (variant !== undefined) continue;
    if (unit === 'input_token') row.inputTokens += whole(amount);
    else if (unit === 'cached_input_token') row.cachedInputTokens += whole(amount);
    else if (unit === 'cache_write_token') row.cacheWriteTokens += whole(amount);
    else if (unit === 'output_token') row.outputTokens += whole(amount);
    else if (unit === 'reasoning_token') row.reasoningTokens += whole(amount);
  }
}

/** The tables hold only integers, and a row that they reject would block all that follow. */
function whole(amount: number): number {
  return Number.isFinite(amount) ? Math.max(0, Math.round(amount)) : 0;
}

/** A model name sent by a client may contain characters that PostgreSQL cannot store. */
function storable(text: string): string {
  return toStorable(text) ?? '';
}

/** All numbers are integers; money is a `bigint`, which either database accepts. */
export function toUsageValues(delta: UsageDelta): (string | number | bigint | null)[] {
  return [
    delta.atMs,
    delta.accountId,
    delta.keyId,
    delta.modelId,
    delta.channelId,
    delta.status,
    delta.tag,
    delta.requests,
    delta.errors,
    delta.cacheHits,
    delta.inputTokens,
    delta.cachedInputTokens,
    delta.cacheWriteTokens,
    delta.outputTokens,
    delta.reasoningTokens,
    delta.latencyMsSum,
    delta.firstByteMsSum,
    delta.firstByteCount,
    delta.costNanoUsd,
    delta.savedNanoUsd,
    delta.upstreamCostNanoUsd,
    delta.costedRequests,
    delta.unpricedRequests,
    delta.latencyMsMax,
    ...delta.latencies.map((count) => count || null),
  ];
}
