import type { Histogram } from '../../domain/metrics/histogram.ts';
import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';
import type { HealthSource } from '../../engine/ports/health-store.ts';
import type { FinishedAttempt } from '../../engine/ports/metrics.ts';
import { type Counter, CounterFamily, HistogramFamily, ReadFamily } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';
import { type NameLabels, PRIVATE } from './name-labels.ts';

/** Ordered by severity, so that an alert can say `> 0` and the maximum over channels is meaningful. */
const BREAKER_VALUES: Readonly<Record<BreakerState, number>> = { closed: 0, 'half-open': 1, open: 2 };

/** Reports the results of each channel's attempts, and its current state. */
export class ChannelMetrics {
  private readonly attempts: CounterFamily<'switchyard_attempts_total'>;
  private readonly failures: CounterFamily<'switchyard_attempt_failures_total'>;
  private readonly firstByte: HistogramFamily<'switchyard_attempt_first_byte_seconds'>;
  private readonly children = new Map<string, ChannelChildren>();

  constructor(
    registry: MetricRegistry,
    private readonly labels: NameLabels,
    health?: HealthSource,
  ) {
    this.attempts = new CounterFamily(registry, 'switchyard_attempts_total');
    this.failures = new CounterFamily(registry, 'switchyard_attempt_failures_total');
    this.firstByte = new HistogramFamily(registry, 'switchyard_attempt_first_byte_seconds');
    if (health) registerHealth(registry, health, labels);
  }

  attemptFinished({ channelId, outcome, kind, firstByteMs }: FinishedAttempt): void {
    const channel = this.labels.channel(channelId);
    const children = this.children.get(channel) ?? this.newChildren(channel);
    children[outcome].add(1);
    if (firstByteMs !== null) children.firstByte.observe(firstByteMs / 1000);
    // Failures without a kind count as well, so that the kinds add up to the failed attempts.
    if (outcome === 'failed') {
      this.failureCounter(children, channel, this.labels.kind(channelId, kind ?? 'unknown')).add(1);
    }
  }

  /** Creates all outcomes at 0: a rate over a series that appears with its first failure would miss that failure. */
  private newChildren(channel: string): ChannelChildren {
    const children: ChannelChildren = {
      answered: this.attempts.labels({ channel, outcome: 'answered' }),
      failed: this.attempts.labels({ channel, outcome: 'failed' }),
      abandoned: this.attempts.labels({ channel, outcome: 'abandoned' }),
      firstByte: this.firstByte.labels({ channel }),
      failures: new Map(),
    };
    this.children.set(channel, children);
    return children;
  }

  private failureCounter({ failures }: ChannelChildren, channel: string, kind: string): Counter {
    const known = failures.get(kind);
    if (known) return known;
    const counter = this.failures.labels({ channel, kind });
    failures.set(kind, counter);
    return counter;
  }
}

interface ChannelChildren extends Readonly<Record<FinishedAttempt['outcome'], Counter>> {
  readonly firstByte: Histogram;
  readonly failures: Map<string, Counter>;
}

/** Adds up the changes of all PRIVATE channels. */
function transitionsOf(health: HealthSource, names: NameLabels) {
  const sums = new Map<string, { labels: { channel: string; state: string }; value: number }>();
  for (const { channelId, state, count } of health.transitions()) {
    const labels = { channel: names.channel(channelId), state: state.replace('-', '_') };
    const key = JSON.stringify(labels);
    const sum = sums.get(key) ?? { labels, value: 0 };
    sum.value += count;
    sums.set(key, sum);
  }
  return sums.values();
}

function registerHealth(registry: MetricRegistry, health: HealthSource, labels: NameLabels): void {
  const breakers = function* () {
    for (const { channelId, upstreamModel, state } of health.models())
      yield { labels: { channel: channelId, model: upstreamModel }, value: BREAKER_VALUES[state] };
  };
  new ReadFamily(registry, 'switchyard_channel_breaker_state', breakers, { keeps: 'highest' });
  new ReadFamily(registry, 'switchyard_channel_in_flight', function* () {
    for (const { channelId, inFlight } of health.channels()) yield { labels: { channel: channelId }, value: inFlight };
    const inFlight = health.privateInFlight();
    if (inFlight !== null) yield { labels: { channel: PRIVATE }, value: inFlight };
  });
  const usable = function* () {
    for (const { modelId, channels } of health.usableChannels()) yield { labels: { model: modelId }, value: channels };
  };
  new ReadFamily(registry, 'switchyard_model_channels_usable', usable, { keeps: 'lowest' });
  new ReadFamily(registry, 'switchyard_channel_breaker_transitions_total', () => transitionsOf(health, labels));
  const up = function* () {
    for (const { channelId, isUsable } of health.channels())
      yield { labels: { channel: channelId }, value: isUsable ? 1 : 0 };
  };
  new ReadFamily(registry, 'switchyard_channel_up', up, { keeps: 'lowest' });
  const keysUp = function* () {
    for (const { channelId: channel, name: key, isUsable } of health.keys())
      yield { labels: { channel, key }, value: isUsable ? 1 : 0 };
  };
  new ReadFamily(registry, 'switchyard_upstream_key_up', keysUp, { keeps: 'lowest' });
  const spent = function* () {
    for (const { channelId: channel, name: key, spentRatio } of health.keys())
      if (spentRatio !== null) yield { labels: { channel, key }, value: spentRatio };
  };
  new ReadFamily(registry, 'switchyard_upstream_key_spent_ratio', spent, { keeps: 'highest' });
}
