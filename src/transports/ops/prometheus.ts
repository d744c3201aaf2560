import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { isTokenUnit, type Quantity, type Unit } from '../../domain/money/quantity.ts';
import type { HealthSource } from '../../engine/ports/health-store.ts';
import type { MediaStore } from '../../engine/ports/media-store.ts';
import type { FinishedAttempt, Metrics } from '../../engine/ports/metrics.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { EndedTask, FinishedPoll, TaskMetrics } from '../../engine/tasks/task-ports.ts';
import { CacheCounters } from './cache-metrics.ts';
import { ChannelMetrics } from './channel-metrics.ts';
import {
  CounterFamily,
  type FastCounter,
  type FastHistogram,
  GaugeFamily,
  HistogramFamily,
  SECONDS,
} from './fast-metrics.ts';
import { NameLabels } from './name-labels.ts';
import { TaskCounters } from './task-metrics.ts';

/**
 * Omitted: to compute these, Bun walks the whole heap, which blocks all requests (80 to 130 ms at 300 MB per scrape), and it knows only one
 * of V8's spaces.
 */
const HEAP_SPACES = ['total', 'used', 'available'].map((what) => `nodejs_heap_space_size_${what}_bytes`);

let ofProcess: readonly Metric[] | null = null;

/** Returns CPU, memory, event loop and garbage collection of this process, which are the same in every registry. */
function processMetrics(): readonly Metric[] {
  if (ofProcess === null) {
    const register = new Registry();
    collectDefaultMetrics({ register });
    const names = register.getMetricsAsArray().map(({ name }) => name);
    ofProcess = names
      .filter((name) => !HEAP_SPACES.includes(name))
      .flatMap((name) => register.getSingleMetric(name) ?? []);
  }
  return ofProcess;
}

/** Label values come from the configuration and the error catalog, never from a client's text, so their number is bounded. */
export class PrometheusMetrics implements Metrics, TaskMetrics {
  readonly registry = new Registry();
  /** Metrics that the cache reports itself; hits are taken from request records. */
  readonly cache: CacheCounters;
  private inFlight = 0;
  private readonly labels: NameLabels;
  private readonly requests: CounterFamily;
  private readonly tokens: CounterFamily;
  private readonly pieces: CounterFamily;
  private readonly charged: CounterFamily;
  private readonly held: CounterFamily;
  private readonly duration: HistogramFamily;
  private readonly firstByte: HistogramFamily;
  private readonly channels: ChannelMetrics;
  private readonly tasks: TaskCounters;
  private readonly refusedKeys: Readonly<Record<'refused' | 'throttled', FastCounter>>;
  /** Keyed by model, then by the other labels: the lookup builds no long string per request. */
  private readonly children = new Map<string, Map<string, RequestChildren>>();
  /** A one-entry cache: the next request nearly always has the same labels. */
  private latest: { readonly of: LabelledRecord; readonly children: RequestChildren } | null = null;

  /** Without a source, its gauges are omitted. */
  constructor(health?: HealthSource, media?: Pick<MediaStore, 'figures'>) {
    const { registry } = this;
    this.labels = new NameLabels(health);
    new GaugeFamily(registry, 'switchyard_requests_in_flight', 'Requests in flight, including streams.', () => [
      { labels: {}, value: this.inFlight },
    ]);
    this.requests = new CounterFamily(
      registry,
      'switchyard_requests_total',
      'Finished requests by format, model, channel, HTTP status and error code.',
    );
    this.tokens = new CounterFamily(
      registry,
      'switchyard_tokens_total',
      'Tokens reported by upstreams, in parts that do not overlap.',
    );
    this.pieces = new CounterFamily(
      registry,
      'switchyard_billed_pieces_total',
      'Billable usage besides tokens: images, milliseconds of audio and video, clips, characters, web searches.',
    );
    this.charged = new CounterFamily(
      registry,
      'switchyard_charged_nano_usd_total',
      'Charges for requests, in nano-USD (1e-9).',
    );
    this.held = new CounterFamily(
      registry,
      'switchyard_held_charges_total',
      'Requests with implausible usage reported by an upstream, whose excess charge awaits an operator.',
    );
    this.duration = new HistogramFamily(
      registry,
      'switchyard_request_duration_seconds',
      'Time from the arrival of a request to the end of the response.',
      SECONDS,
    );
    this.firstByte = new HistogramFamily(
      registry,
      'switchyard_first_byte_seconds',
      'Time from the arrival of a request to the first byte of the response.',
      SECONDS,
    );
    this.channels = new ChannelMetrics(registry, this.labels, health);
    if (media !== undefined) mediaMetrics(registry, media);
    this.tasks = new TaskCounters(registry, this.labels);
    this.cache = new CacheCounters(registry, this.labels);
    const refusedKeys = new CounterFamily(
      registry,
      'switchyard_refused_keys_total',
      'Requests without a valid API key: refused, or throttled because their address had sent many.',
    );
    this.refusedKeys = {
      refused: refusedKeys.labels({ outcome: 'refused' }),
      throttled: refusedKeys.labels({ outcome: 'throttled' }),
    };
    for (const metric of processMetrics()) registry.registerMetric(metric);
  }

  requestStarted(): void {
    this.inFlight++;
  }

  keyRefused(how: 'refused' | 'throttled'): void {
    this.refusedKeys[how].add(1);
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

  taskEnded(task: EndedTask, record: RequestRecord): void {
    this.tasks.ended(task, record);
    this.cost(record, this.childrenFor(record));
  }

  requestFinished(record: RequestRecord): void {
    this.inFlight--;
    const children = this.childrenFor(record);
    children.requests.add(1);
    children.duration.observe(record.latencyMs / 1000);
    if (record.firstByteMs !== null) children.firstByte?.observe(record.firstByteMs / 1000);
    children.hits?.add(1);
    this.cost(record, children);
  }

  private cost(record: RequestRecord, children: RequestChildren): void {
    const { billable, costNanoUsd: charged } = record;
    if (charged !== null) {
      children.charged ??= this.charged.labels(this.namesOf(record));
      // Whole nano-USD are exact up to nine million dollars per series, and a counter may round.
      children.charged.add(Number(charged));
    }
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
    const { format, modelId, channelId, status, errorCode, stream, cacheMatch } = record;
    const children = this.foundChildren(record);
    this.latest = { of: { format, modelId, channelId, status, errorCode, stream, cacheMatch }, children };
    return children;
  }

  private foundChildren(record: RequestRecord): RequestChildren {
    const { model, channel } = this.namesOf(record);
    let ofModel = this.children.get(model);
    if (!ofModel) {
      ofModel = new Map();
      this.children.set(model, ofModel);
    }
    const { format, status, errorCode, stream, cacheMatch } = record;
    const key = `${format} ${channel} ${status} ${errorCode} ${stream} ${cacheMatch}`;
    let children = ofModel.get(key);
    if (!children) {
      children = this.newChildren(record, { model, channel });
      ofModel.set(key, children);
    }
    return children;
  }

  private newChildren(record: RequestRecord, names: Names): RequestChildren {
    const { format, stream, status, errorCode, cacheMatch } = record;
    const labels = { format, ...names, status: String(status), code: errorCode ?? '' };
    const requests = this.requests.labels(labels);
    const unused = { quantities: null, charged: null };
    if (cacheMatch !== null) {
      const duration = this.cache.durationOf(cacheMatch, stream);
      return { requests, duration, firstByte: null, hits: this.cache.hitsOf(names.model, cacheMatch), ...unused };
    }
    const timed = { format, stream: String(stream) };
    return {
      requests,
      duration: this.duration.labels(timed),
      firstByte: this.firstByte.labels(timed),
      hits: null,
      ...unused,
    };
  }

  private counterOf(unit: Unit, record: RequestRecord): FastCounter {
    const labels = this.namesOf(record);
    if (record.cacheMatch !== null) return this.cache.savedOf(labels.model, unit);
    if (!isTokenUnit(unit)) return this.pieces.labels({ ...labels, unit });
    return this.tokens.labels({ ...labels, kind: unit.replace(/_token$/, '') });
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

/** A type alias, because an interface is not assignable to a set of labels. */
type Names = { readonly model: string; readonly channel: string };

/** The fields that distinguish label sets. */
type LabelledRecord = Pick<
  RequestRecord,
  'format' | 'modelId' | 'channelId' | 'status' | 'errorCode' | 'stream' | 'cacheMatch'
>;

function hasLabelsOf(a: LabelledRecord, b: LabelledRecord): boolean {
  return (
    a.modelId === b.modelId &&
    a.channelId === b.channelId &&
    a.format === b.format &&
    a.status === b.status &&
    a.errorCode === b.errorCode &&
    a.stream === b.stream &&
    a.cacheMatch === b.cacheMatch
  );
}

interface RequestChildren {
  readonly requests: FastCounter;
  readonly duration: FastHistogram;
  /** `null` for cached answers. */
  readonly firstByte: FastHistogram | null;
  /** `null` for all answers but cached ones. */
  readonly hits: FastCounter | null;
  quantities: QuantityCounters | null;
  charged: FastCounter | null;
}

type QuantityCounters = Partial<Record<Unit, FastCounter>>;

const USUAL_UNITS: readonly Unit[] = [
  'input_token',
  'cached_input_token',
  'cache_write_token',
  'output_token',
  'reasoning_token',
];

/** Registers what the media store holds and has refused, read at each scrape. */
function mediaMetrics(registry: Registry, store: Pick<MediaStore, 'figures'>): void {
  new GaugeFamily(registry, 'switchyard_media_stored_bytes', 'Size of the files in the media store.', () => [
    { labels: {}, value: store.figures().bytes },
  ]);
  new GaugeFamily(registry, 'switchyard_media_stored_files', 'Files in the media store.', () => [
    { labels: {}, value: store.figures().files },
  ]);
  new GaugeFamily(
    registry,
    'switchyard_media_refused_total',
    'Files that could not be stored, and links that could not be fetched, by reason.',
    () => [...store.figures().refused].map(([reason, value]) => ({ labels: { reason }, value })),
    'counter',
  );
}
