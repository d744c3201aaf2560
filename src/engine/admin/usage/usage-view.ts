import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { UsageMeasures } from '../../ports/usage-store.ts';
import { isoTime } from '../schema/iso-time.ts';
import type { SummedUsage, UsageRow } from './read-usage.ts';
import type { Ranked, UsageOverview } from './usage-overview.ts';

/** Returns sums as JSON. Amounts are exact decimals in USD as text. */
export function usageView({ rows, total }: Pick<SummedUsage, 'rows' | 'total'>) {
  return { data: rows.map(usageRowView), total: measuresView(total) };
}

/** Returns a row as JSON. Ids that a request did not have are `null`, such as the channel of a request that was sent to none. */
export function usageRowView({ fromMs, toMs, account, key, model, channel, status, tagValue, ...measures }: UsageRow) {
  return {
    ...{ from: isoTime(fromMs), to: isoTime(toMs) },
    ...(account !== undefined && { account }),
    ...(key !== undefined && { key: key || null }),
    ...(model !== undefined && { model: model || null }),
    ...(channel !== undefined && { channel: channel || null }),
    ...(status !== undefined && { status: status || null }),
    ...(tagValue !== undefined && { tag: tagValue }),
    ...measuresView(measures),
  };
}

/** Returns the groups of one span, each with its id. The caller states the span. */
export function rankedView<Id>({ rows, others }: Ranked, idView: (row: UsageRow) => Id) {
  return {
    data: rows.map((row) => ({ ...idView(row), ...measuresView(row) })),
    others: others && measuresView(others),
  };
}

export const modelIdView = ({ model }: UsageRow) => ({ model: model || null });
export const keyIdView = ({ key }: UsageRow) => ({ key: key || null });

export function overviewView(overview: UsageOverview) {
  const { span, previousSpan, keys, accounts, errors } = overview;
  return {
    from: isoTime(span.fromMs),
    to: isoTime(span.toMs),
    total: measuresView(overview.total),
    previous: {
      ...{ from: isoTime(previousSpan.fromMs), to: isoTime(previousSpan.toMs) },
      ...measuresView(overview.previous),
    },
    series: overview.series.map(usageRowView),
    models: rankedView(overview.models, modelIdView),
    keys: keys && rankedView(keys, keyIdView),
    accounts: accounts && rankedView(accounts, ({ account = '' }) => ({ account })),
    channels: rankedView(overview.channels, ({ channel }) => ({ channel: channel || null })),
    errors: errors.map(({ status = 0, errors: count }) => ({ status: status || null, errors: count })),
  };
}

export function measuresView(of: UsageMeasures) {
  return {
    requests: of.requests,
    errors: of.errors,
    cache_hits: of.cacheHits,
    input_tokens: of.inputTokens,
    cached_input_tokens: of.cachedInputTokens,
    cache_write_tokens: of.cacheWriteTokens,
    output_tokens: of.outputTokens,
    reasoning_tokens: of.reasoningTokens,
    latency_ms: average(of.latencyMsSum, of.requests),
    first_byte_ms: average(of.firstByteMsSum, of.firstByteCount),
    cost_usd: formatNanoUsd(of.costNanoUsd),
    saved_usd: formatNanoUsd(of.savedNanoUsd),
  };
}

function average(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count);
}
