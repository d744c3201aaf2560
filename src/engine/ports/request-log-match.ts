import type { RequestLogQuery, RequestRecord } from './request-log.ts';

/** Whether a line matches the query. The stores implement the same conditions in SQL. */
export function matchesQuery(record: RequestRecord, query: RequestLogQuery): boolean {
  const { accountId, keyId, modelId, channelId, provider, format, errorCode, failureKind, stream, clientGone } = query;
  const facts = { accountId, keyId, modelId, channelId, provider, format, errorCode, failureKind, stream, clientGone };
  for (const name in facts) {
    const value = facts[name as keyof typeof facts]; // A name of `facts`.
    if (value !== undefined && record[name as keyof typeof facts] !== value) return false;
  }
  const { status, cached, tag, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = query;
  const { minLatencyMs = 0, maxLatencyMs = Number.POSITIVE_INFINITY } = query;
  return (
    (status === undefined || (record.status >= status.from && record.status <= status.to)) &&
    (cached === undefined || (record.cacheMatch !== null) === cached) &&
    (tag === undefined || record.tags?.includes(tag) === true) &&
    record.atMs >= fromMs &&
    record.atMs < toMs &&
    record.latencyMs >= minLatencyMs &&
    record.latencyMs <= maxLatencyMs &&
    isWithinCost(record.costNanoUsd, query)
  );
}

function isWithinCost(costNanoUsd: bigint | null, { minCostNanoUsd, maxCostNanoUsd }: RequestLogQuery): boolean {
  if (minCostNanoUsd === undefined && maxCostNanoUsd === undefined) return true;
  if (costNanoUsd === null || (minCostNanoUsd !== undefined && costNanoUsd < minCostNanoUsd)) return false;
  return maxCostNanoUsd === undefined || costNanoUsd <= maxCostNanoUsd;
}
