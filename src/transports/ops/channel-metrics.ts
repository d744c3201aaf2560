import type { Registry } from 'prom-client';
import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';
import type { HealthSource } from '../../engine/ports/health-store.ts';
import type { FinishedAttempt } from '../../engine/ports/metrics.ts';
import {
  CounterFamily,
  type FastCounter,
  type FastHistogram,
  GaugeFamily,
  HistogramFamily,
  SECONDS,
} from './fast-metrics.ts';
import { type NameLabels, PRIVATE } from './name-labels.ts';

/** Ordered by severity, so that an alert can say `> 0` and the maximum over channels is meaningful. */
const BREAKER_VALUES: Readonly<Record<BreakerState, number>> = { closed: 0, 'half-open': 1, open: 2 };

/** Reports the results of each channel's attempts, and its current state. */
export class ChannelMetrics {
  private readonly requests: CounterFamily;
  private readonly failures: CounterFamily;
  private readonly firstByte: HistogramFamily;
  private readonly children = new Map<string, ChannelChildren>();

  constructor(
    registry: Registry,
    private readonly labels: NameLabels,
    health?: HealthSource,
  ) {
    this.requests = new CounterFamily(
      registry,
      'switchyard_channel_requests_total',
      'Finished attempts at a channel by outcome: answered, failed, or abandoned by the gateway, for example because the client disconnected.',
    );
    this.failures = new CounterFamily(
      registry,
      'switchyard_attempt_failures_total',
      'Failed attempts at a channel by kind, whether or not another channel then succeeded.',
    );
    this.firstByte = new HistogramFamily(
      registry,
      'switchyard_channel_first_byte_seconds',
      'Time from sending a request to a channel to the first byte of its response content.',
      SECONDS,
    );
    if (health) registerHealth(registry, health);
  }

  attemptFinished({ channelId, outcome, kind, firstByteMs }: FinishedAttempt): void {
    const channel = this.labels.channel(channelId);
    const children = this.children.get(channel) ?? this.newChildren(channel);
    children[outcome].add(1);
    if (firstByteMs !== null) children.firstByte.observe(firstByteMs / 1000);
    // Failures without a kind count as well, so that the kinds add up to the failed attempts.
    if (outcome === 'failed') this.failureCounter(children, channel, kind ?? 'unknown').add(1);
  }

  /** Creates all outcomes at 0: a rate over a series that appears with its first failure would miss that failure. */
  private newChildren(channel: string): ChannelChildren {
    const children: ChannelChildren = {
      answered: this.requests.labels({ channel, outcome: 'answered' }),
      failed: this.requests.labels({ channel, outcome: 'failed' }),
      abandoned: this.requests.labels({ channel, outcome: 'abandoned' }),
      firstByte: this.firstByte.labels({ channel }),
      failures: new Map(),
    };
    this.children.set(channel, children);
    return children;
  }

  private failureCounter({ failures }: ChannelChildren, channel: string, kind: string): FastCounter {
    const known = failures.get(kind);
    if (known) return known;
    const counter = this.failures.labels({ channel, kind });
    failures.set(kind, counter);
    return counter;
  }
}

interface ChannelChildren extends Readonly<Record<FinishedAttempt['outcome'], FastCounter>> {
  readonly firstByte: FastHistogram;
  readonly failures: Map<string, FastCounter>;
}

function registerHealth(registry: Registry, health: HealthSource): void {
  new GaugeFamily(
    registry,
    'switchyard_channel_breaker_state',
    'State of a channel’s circuit breaker for one upstream model: 0 closed, 1 half-open, 2 open.',
    function* () {
      for (const { channelId, upstreamModel, state } of health.models())
        yield { labels: { channel: channelId, model: upstreamModel }, value: BREAKER_VALUES[state] };
    },
  );
  new GaugeFamily(
    registry,
    'switchyard_channel_in_flight',
    'Attempts at a channel in flight, including streams.',
    function* () {
      for (const { channelId, inFlight } of health.channels())
        yield { labels: { channel: channelId }, value: inFlight };
      const inFlight = health.privateInFlight();
      if (inFlight !== null) yield { labels: { channel: PRIVATE }, value: inFlight };
    },
  );
  new GaugeFamily(
    registry,
    'switchyard_channel_up',
    'Whether a channel is usable: 1 usable, 0 blocked because its provider refused its credentials.',
    function* () {
      for (const { channelId, isUsable } of health.channels())
        yield { labels: { channel: channelId }, value: isUsable ? 1 : 0 };
    },
  );
}
