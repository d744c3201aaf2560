import type { LineOutcome } from '../../domain/batches/batch.ts';
import type { Histogram } from '../../domain/metrics/histogram.ts';
import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import { isTokenUnit, type Quantity, type Unit } from '../../domain/money/quantity.ts';
import type { HealthSource } from '../../engine/ports/health-store.ts';
import { MEDIA_REFUSALS, type MediaStore } from '../../engine/ports/media-store.ts';
import type { FinishedAttempt, Metrics } from '../../engine/ports/metrics.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { EndedTask, FinishedPoll, TaskMetrics } from '../../engine/tasks/task-ports.ts';
import { AccountMetrics } from './account-metrics.ts';
import { CacheCounters } from './cache-metrics.ts';
import { ChannelMetrics } from './channel-metrics.ts';
import { type Counter, CounterFamily, HistogramFamily, ReadFamily } from './families.ts';
import { GenAiMetrics, type GenAiSeries } from './gen-ai-metrics.ts';
import { MetricRegistry } from './metric-registry.ts';
import { NameLabels } from './name-labels.ts';
import { processMetrics } from './process-metrics.ts';
import { RefusalMetrics } from './refusal-metrics.ts';
import { ResourceMetrics } from './resource-metrics.ts';
import { TaskCounters } from './task-metrics.ts';

/** Counters in USD count whole nano-USD. */
export const IN_NANO_USD = { per: 1e9 };
const MILLISECONDS = { per: 1_000 };
const NO_STEPS: NonNullable<RequestRecord['modelSteps']> = [];
/** The most sets of labels whose series are remembered here; with more, all are looked up again. */
const MOST_REMEMBERED = 10_000;

/** Label values come from the configuration and the error catalog, never from a client's text, so their number is bounded. */
export class PrometheusMetrics implements Metrics, TaskMetrics {
  readonly registry = new MetricRegistry();
  /** Metrics that the cache reports itself; hits are taken from request records. */
  readonly cache: CacheCounters;
  readonly resources: ResourceMetrics;
  private inFlight = 0;
  /** The names of channels and models in labels. */
  readonly labels: NameLabels;
  private readonly requests: CounterFamily<'switchyard_requests_total'>;
  private readonly verdicts: CounterFamily<'switchyard_guard_verdicts_total'>;
  private readonly modelSteps: CounterFamily<'switchyard_model_steps_total'>;
  private readonly tokens: CounterFamily<'switchyard_tokens_total'>;
  private readonly mediaSeconds: CounterFamily<'switchyard_billed_media_seconds_total'>;
  private readonly units: CounterFamily<'switchyard_billed_units_total'>;
  private readonly charged: CounterFamily<'switchyard_charged_usd_total'>;
  private readonly upstreamCost: CounterFamily<'switchyard_upstream_cost_usd_total'>;
  private readonly held: CounterFamily<'switchyard_held_charges_total'>;
  private readonly duration: HistogramFamily<'switchyard_request_duration_seconds'>;
  private readonly firstByte: HistogramFamily<'switchyard_request_first_byte_seconds'>;
  private readonly channels: ChannelMetrics;
  private readonly tasks: TaskCounters;
  private readonly genAi: GenAiMetrics;
  private readonly refusals: RefusalMetrics;
  /** `null` unless the operator wants series by account. */
  private readonly accounts: AccountMetrics | null;
  /** Keyed by model, then by the other labels: the lookup builds no long string per request. */
  private readonly children = new Map<string, Map<string, RequestChildren>>();
  private remembered = 0;
  /** A one-entry cache: the next request nearly always has the same labels. */
  private latest: { readonly of: LabelledRecord; readonly children: RequestChildren } | null = null;

  /** Without a source, its gauges are omitted. */
  constructor(health?: HealthSource, media?: Pick<MediaStore, 'figures'>, hasAccounts = false) {
    const { registry } = this;
    this.labels = new NameLabels(health);
    new ReadFamily(registry, 'switchyard_requests_in_flight', () => [{ labels: {}, value: this.inFlight }]);
    this.requests = new CounterFamily(registry, 'switchyard_requests_total');
    this.modelSteps = new CounterFamily(registry, 'switchyard_model_steps_total');
    this.verdicts = new CounterFamily(registry, 'switchyard_guard_verdicts_total');
    this.tokens = new CounterFamily(registry, 'switchyard_tokens_total');
    this.mediaSeconds = new CounterFamily(registry, 'switchyard_billed_media_seconds_total', MILLISECONDS);
    this.units = new CounterFamily(registry, 'switchyard_billed_units_total');
    this.charged = new CounterFamily(registry, 'switchyard_charged_usd_total', IN_NANO_USD);
    this.upstreamCost = new CounterFamily(registry, 'switchyard_upstream_cost_usd_total', IN_NANO_USD);
    this.held = new CounterFamily(registry, 'switchyard_held_charges_total');
    this.duration = new HistogramFamily(registry, 'switchyard_request_duration_seconds');
    this.firstByte = new HistogramFamily(registry, 'switchyard_request_first_byte_seconds');
    this.channels = new ChannelMetrics(registry, this.labels, health);
    this.genAi = new GenAiMetrics(registry, this.labels);
    if (media !== undefined) mediaMetrics(registry, media);
    this.tasks = new TaskCounters(registry, this.labels);
    this.cache = new CacheCounters(registry, this.labels);
    this.refusals = new RefusalMetrics(registry);
    this.accounts = hasAccounts ? new AccountMetrics(registry) : null;
    this.resources = new ResourceMetrics(registry);
    new ReadFamily(registry, 'switchyard_metric_overflows_total', () =>
      [...registry.overflows].map(([metric, value]) => ({ labels: { metric }, value })),
    );
    processMetrics(registry);
  }

  /** Resolves to the state of all metrics of this process. */
  snapshot(): Promise<readonly FamilySnapshot[]> {
    return this.registry.snapshot();
  }

  requestStarted(): void {
    this.inFlight++;
  }

  keyRefused(how: 'refused' | 'throttled'): void {
    this.refusals.keyRefused(how);
  }

  attemptFinished(attempt: FinishedAttempt): void {
    this.channels.attemptFinished(attempt);
  }

  chargeHeld({ modelId, channelId }: { readonly modelId: string; readonly channelId: string }): void {
    this.held.labels({ model: this.labels.model(modelId), channel: this.labels.channel(channelId) }).add(1);
  }

  taskPolled(poll: FinishedPoll): void {
    this.tasks.polled(poll);
  }

  /** Counts a line of a batch that has been run. */
  batchLineEnded(outcome: LineOutcome): void {
    this.tasks.batchLineEnded(outcome);
  }

  taskEnded(task: EndedTask, record: RequestRecord): void {
    this.tasks.ended(task, record);
    this.cost(record, this.childrenFor(record));
  }

  private judged(verdicts: NonNullable<RequestRecord['guards']>): void {
    for (const { action, stage, count } of verdicts) this.verdicts.labels({ action, stage }).add(count);
  }

  requestHandedOver(): void {
    this.inFlight--;
  }

  requestFinished(record: RequestRecord): void {
    this.inFlight--;
    const children = this.childrenFor(record);
    const { traceId = null, latencyMs, firstByteMs } = record;
    const endedAtMs = record.atMs + latencyMs;
    children.requests.addTraced(traceId, endedAtMs);
    children.duration.observeTraced(latencyMs / 1_000, traceId, endedAtMs);
    if (firstByteMs !== null) children.firstByte?.observeTraced(firstByteMs / 1_000, traceId, endedAtMs);
    children.hits?.add(1);
    if (children.genAi !== null) this.genAi.observe(record, children.genAi, endedAtMs);
    if (record.guards !== undefined) this.judged(record.guards);
    if (record.errorCode !== null) this.refusals.requestFailed(record);
    this.accounts?.requestFinished(record);
    for (const { kind, from, skipped } of record.modelSteps ?? NO_STEPS) {
      if (skipped === undefined) this.modelSteps.labels({ kind, model: this.labels.model(from) }).add(1);
    }
    this.cost(record, children);
  }

  private cost(record: RequestRecord, children: RequestChildren): void {
    const { billable, costNanoUsd: charged, upstreamCostNanoUsd, savedNanoUsd } = record;
    this.accounts?.cost(record);
    if (charged !== null) {
      children.charged ??= this.charged.labels(this.namesOf(record));
      children.charged.addWhole(charged);
    }
    if (upstreamCostNanoUsd !== undefined && record.cacheMatch === null) {
      children.upstreamCost ??= this.upstreamCost.labels(this.namesOf(record));
      children.upstreamCost.addWhole(upstreamCostNanoUsd);
    }
    if (savedNanoUsd !== undefined && record.cacheMatch !== null) this.cache.saved(record.modelId, savedNanoUsd);
    if (billable === null) return;
    children.quantities ??= this.usualCounters(record);
    for (const quantity of billable.quantities) this.count(quantity, children.quantities, record);
  }

  private count({ unit, amount }: Quantity, counters: QuantityCounters, record: RequestRecord): void {
    // Requests have a counter of their own, billed or not.
    if (unit === 'request' || amount === 0) return;
    const counter = counters[unit] ?? this.counterOf(unit, record);
    counters[unit] = counter;
    counter.add(amount);
  }

  private childrenFor(record: RequestRecord): RequestChildren {
    if (this.latest !== null && hasLabelsOf(record, this.latest.of)) return this.latest.children;
    const { format, modelId, channelId, provider, status, errorCode, stream, cacheMatch } = record;
    const children = this.foundChildren(record);
    this.latest = { of: { format, modelId, channelId, provider, status, errorCode, stream, cacheMatch }, children };
    return children;
  }

  private foundChildren(record: RequestRecord): RequestChildren {
    if (this.remembered >= MOST_REMEMBERED) {
      this.children.clear();
      this.remembered = 0;
    }
    const { model, channel } = this.namesOf(record);
    let ofModel = this.children.get(model);
    if (!ofModel) {
      ofModel = new Map();
      this.children.set(model, ofModel);
    }
    const { format, provider, status, errorCode, stream, cacheMatch } = record;
    const key = `${format} ${channel} ${provider} ${status} ${errorCode} ${stream} ${cacheMatch}`;
    let children = ofModel.get(key);
    if (!children) {
      children = this.newChildren(record, { model, channel });
      ofModel.set(key, children);
      this.remembered++;
    }
    return children;
  }

  private newChildren(record: RequestRecord, names: Names): RequestChildren {
    const { format, stream, status, errorCode, cacheMatch } = record;
    const labels = { format, ...names, status: String(status), code: errorCode ?? '' };
    const requests = this.requests.labels(labels);
    const unused = { quantities: null, charged: null, upstreamCost: null };
    if (cacheMatch !== null) {
      const duration = this.cache.durationOf(cacheMatch, stream);
      const hits = this.cache.hitsOf(names.model, cacheMatch);
      return { requests, duration, firstByte: null, hits, genAi: null, ...unused };
    }
    const timed = { format, stream: String(stream) };
    return {
      requests,
      duration: this.duration.labels(timed),
      firstByte: this.firstByte.labels(timed),
      hits: null,
      genAi: this.genAi.seriesOf(record, names.model),
      ...unused,
    };
  }

  private counterOf(unit: Unit, record: RequestRecord): Counter {
    const labels = this.namesOf(record);
    if (record.cacheMatch !== null) return this.cache.savedOf(labels.model, unit);
    if (isTokenUnit(unit)) return this.tokens.labels({ ...labels, kind: tokenKind(unit) });
    return unit === 'millisecond' ? this.mediaSeconds.labels(labels) : this.units.labels({ ...labels, unit });
  }

  /**
   * Returns the names for labels. The channel is the one that answered, or was tried last; a cached answer has none, although its record
   * names the channel that it once came from.
   */
  private namesOf({ cacheMatch, channelId, modelId }: RequestRecord): Names {
    return { model: this.labels.model(modelId), channel: cacheMatch === null ? this.labels.channel(channelId) : '' };
  }

  /** Creates the usual series at zero: there is no rate over a series that has just appeared. */
  private usualCounters(record: RequestRecord): QuantityCounters {
    return Object.fromEntries(USUAL_UNITS.map((unit) => [unit, this.counterOf(unit, record)]));
  }
}

/** Returns the label of a unit of tokens. */
export function tokenKind(unit: Unit): string {
  return unit.replace(/_token$/, '');
}

/** A type alias, because an interface is not assignable to a set of labels. */
type Names = { readonly model: string; readonly channel: string };

/** The fields that distinguish label sets. */
type LabelledRecord = Pick<
  RequestRecord,
  'format' | 'modelId' | 'channelId' | 'provider' | 'status' | 'errorCode' | 'stream' | 'cacheMatch'
>;

function hasLabelsOf(a: LabelledRecord, b: LabelledRecord): boolean {
  return (
    a.modelId === b.modelId &&
    a.channelId === b.channelId &&
    a.format === b.format &&
    a.provider === b.provider &&
    a.status === b.status &&
    a.errorCode === b.errorCode &&
    a.stream === b.stream &&
    a.cacheMatch === b.cacheMatch
  );
}

interface RequestChildren {
  readonly requests: Counter;
  readonly duration: Histogram;
  /** `null` for cached answers. */
  readonly firstByte: Histogram | null;
  /** `null` for all answers but cached ones. */
  readonly hits: Counter | null;
  /** `null` if no provider was asked. */
  readonly genAi: GenAiSeries | null;
  quantities: QuantityCounters | null;
  charged: Counter | null;
  upstreamCost: Counter | null;
}

type QuantityCounters = Partial<Record<Unit, Counter>>;

const USUAL_UNITS: readonly Unit[] = [
  'input_token',
  'cached_input_token',
  'cache_write_token',
  'output_token',
  'reasoning_token',
];

/** Registers what the media store holds and has refused, read at each scrape. */
function mediaMetrics(registry: MetricRegistry, store: Pick<MediaStore, 'figures'>): void {
  new ReadFamily(registry, 'switchyard_media_stored_bytes', () => [{ labels: {}, value: store.figures().bytes }]);
  new ReadFamily(registry, 'switchyard_media_stored_files', () => [{ labels: {}, value: store.figures().files }]);
  new ReadFamily(registry, 'switchyard_media_refused_total', () =>
    // Every reason at zero first: the increase of a series that has just appeared does not count its first value.
    [...MEDIA_REFUSALS.map((reason) => [reason, 0] as const), ...store.figures().refused].map(([reason, value]) => ({
      labels: { reason },
      value,
    })),
  );
}
