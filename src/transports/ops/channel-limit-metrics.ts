import type { LimiterFigures, WaitCounts } from '../../engine/channel-limits/channel-limiters.ts';
import type { StatedReading } from '../../engine/ports/health-store.ts';
import { ReadFamily } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { NameLabels } from './name-labels.ts';

/** The limits of channels in this process. */
export interface ChannelLimitSource {
  readonly counts: WaitCounts;
  figures(): Iterable<LimiterFigures>;
}

/** Registers the metrics of channels' limits and queues. PRIVATE channels are added up. */
export function channelLimitMetrics(
  registry: MetricRegistry,
  limits: ChannelLimitSource,
  stated: () => Iterable<StatedReading>,
  labels: NameLabels,
): void {
  new ReadFamily(registry, 'switchyard_channel_waiting', () => {
    const sums = new Map<string, number>();
    for (const { channelId, waiting } of limits.figures()) {
      const channel = labels.channel(channelId);
      sums.set(channel, (sums.get(channel) ?? 0) + waiting);
    }
    return [...sums].map(([channel, value]) => ({ labels: { channel }, value }));
  });
  new ReadFamily(registry, 'switchyard_channel_limit_refusals_total', () => {
    const sums = new Map<string, { labels: { channel: string; limit: string }; value: number }>();
    for (const { channelId, refusals } of limits.figures()) {
      const channel = labels.channel(channelId);
      for (const [limit, count] of Object.entries(refusals)) {
        const key = `${limit} ${channel}`;
        const sum = sums.get(key) ?? { labels: { channel, limit }, value: 0 };
        sum.value += count;
        sums.set(key, sum);
      }
    }
    return sums.values();
  });
  new ReadFamily(registry, 'switchyard_channel_waits_total', () =>
    Object.entries(limits.counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  const left = function* () {
    for (const { channelId, upstreamModel, unit, left: value } of stated()) {
      yield { labels: { channel: channelId, model: upstreamModel, unit }, value };
    }
  };
  new ReadFamily(registry, 'switchyard_channel_stated_limit_left', left, { keeps: 'lowest' });
}
