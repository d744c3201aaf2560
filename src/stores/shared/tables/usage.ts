import type { Charge } from '../../../engine/ports/ledger.ts';
import type { UsageDelta, UsageMeasures } from '../../../engine/ports/usage-store.ts';

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
] as const;

/** Of `usage_deltas`, in the order of `toUsageValues`. */
export const USAGE_COLUMNS = ['at_ms', ...DIMENSION_COLUMNS, ...MEASURE_COLUMNS] as const;

export const NOTHING_USED: UsageMeasures = {
  requests: 0,
  errors: 0,
  cacheHits: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  latencyMsSum: 0,
  firstByteMsSum: 0,
  firstByteCount: 0,
  costNanoUsd: 0n,
};

/**
 * The rows that a charge adds to `usage_deltas`, in its own transaction and only where it is new: its money, once for the charge and
 * once more for each of its tags. The request log counts the request itself.
 */
export function usageOfCharge(charge: Charge): UsageDelta[] {
  const { accountId, keyId, costNanoUsd, atMs, usage } = charge;
  if (costNanoUsd === 0n) return [];
  const { modelId, channelId, status, tags } = usage;
  const row = (tag: string): UsageDelta => ({
    ...NOTHING_USED,
    ...{ atMs: Math.floor(atMs), accountId, keyId: keyId ?? '', modelId, channelId, status, tag, costNanoUsd },
  });
  return ['', ...tags].map(row);
}

/** Integers all of them: as `bigint` for money, which either database takes. */
export function toUsageValues(delta: UsageDelta): (string | number | bigint)[] {
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
  ];
}
