import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../../engine/ports/metrics.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Label sets come from the configuration and the error catalogue, never from a client's text, so they are bounded. */
export class PrometheusMetrics implements Metrics {
  readonly registry = new Registry();
  private readonly inFlight: Gauge;
  private readonly requests: Counter<'format' | 'model' | 'channel' | 'status' | 'code'>;
  private readonly failures: Counter<'channel' | 'kind'>;
  private readonly tokens: Counter<'model' | 'channel' | 'kind'>;
  private readonly duration: Histogram<'format' | 'stream'>;
  private readonly firstByte: Histogram<'format' | 'stream'>;
  /** Children by their labels: finding one in a map is several times cheaper than hashing labels for every request. */
  private readonly children = new Map<string, RequestChildren>();

  constructor() {
    const registers = [this.registry];
    this.inFlight = new Gauge({
      name: 'switchyard_requests_in_flight',
      help: 'Requests and streams that have not ended.',
      registers,
    });
    this.requests = new Counter({
      name: 'switchyard_requests_total',
      help: 'Finished requests by format, model, channel, HTTP status and error code.',
      labelNames: ['format', 'model', 'channel', 'status', 'code'],
      registers,
    });
    this.failures = new Counter({
      name: 'switchyard_attempt_failures_total',
      help: 'Failed attempts at a channel by kind, whether or not another channel then answered.',
      labelNames: ['channel', 'kind'],
      registers,
    });
    this.tokens = new Counter({
      name: 'switchyard_tokens_total',
      help: 'Tokens reported by upstreams, in parts that do not overlap.',
      labelNames: ['model', 'channel', 'kind'],
      registers,
    });
    this.duration = new Histogram({
      name: 'switchyard_request_duration_seconds',
      help: 'From arrival to the end of the answer.',
      labelNames: ['format', 'stream'],
      buckets: SECONDS,
      registers,
    });
    this.firstByte = new Histogram({
      name: 'switchyard_first_byte_seconds',
      help: 'From arrival to the first byte of the answer.',
      labelNames: ['format', 'stream'],
      buckets: SECONDS,
      registers,
    });
    collectDefaultMetrics({ register: this.registry });
  }

  requestStarted(): void {
    this.inFlight.inc();
  }

  attemptFailed(channel: string, kind: string): void {
    this.failures.inc({ channel, kind });
  }

  requestFinished(record: RequestRecord): void {
    this.inFlight.dec();
    const children = this.childrenFor(record);
    children.requests.inc();
    children.duration.observe(record.latencyMs / 1000);
    if (record.firstByteMs !== null) children.firstByte.observe(record.firstByteMs / 1000);
    const { usage } = record;
    if (!usage) return;
    children.input.inc(usage.input);
    children.output.inc(usage.output);
    if (usage.cachedInput > 0) children.cachedInput.inc(usage.cachedInput);
    if (usage.cacheWrite > 0) children.cacheWrite.inc(usage.cacheWrite);
    if (usage.reasoning > 0) children.reasoning.inc(usage.reasoning);
  }

  private childrenFor(record: RequestRecord): RequestChildren {
    const { format, modelId, channelId, status, errorCode, stream } = record;
    const key = `${format}|${modelId}|${channelId}|${status}|${errorCode}|${stream}`;
    const known = this.children.get(key);
    if (known) return known;
    const model = modelId ?? '';
    const channel = channelId ?? '';
    const code = errorCode ?? '';
    const kind = (name: string) => this.tokens.labels({ model, channel, kind: name });
    const made: RequestChildren = {
      requests: this.requests.labels({ format, model, channel, status: String(status), code }),
      duration: this.duration.labels({ format, stream: String(stream) }),
      firstByte: this.firstByte.labels({ format, stream: String(stream) }),
      input: kind('input'),
      cachedInput: kind('cached_input'),
      cacheWrite: kind('cache_write'),
      output: kind('output'),
      reasoning: kind('reasoning'),
    };
    this.children.set(key, made);
    return made;
  }
}

interface RequestChildren {
  readonly requests: Counter.Internal;
  readonly duration: Histogram.Internal<'format' | 'stream'>;
  readonly firstByte: Histogram.Internal<'format' | 'stream'>;
  readonly input: Counter.Internal;
  readonly cachedInput: Counter.Internal;
  readonly cacheWrite: Counter.Internal;
  readonly output: Counter.Internal;
  readonly reasoning: Counter.Internal;
}
