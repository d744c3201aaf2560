import type { Histogram } from '../../domain/metrics/histogram.ts';
import { completionTokensOf, promptTokensOf } from '../../domain/money/quantity.ts';
import { genAiOperation, genAiProvider } from '../../domain/trace/gen-ai-values.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import { HistogramFamily } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';
import { type NameLabels, PRIVATE } from './name-labels.ts';

/** The series of all requests with the same format, provider, model and error code. */
export interface GenAiSeries {
  readonly labels: OperationLabels;
  readonly serverDuration: Histogram;
  /** Only for responses without an error. */
  readonly answered: AnsweredSeries | null;
}

interface AnsweredSeries {
  readonly clientDuration: Histogram;
  readonly inputTokens: Histogram;
  readonly outputTokens: Histogram;
  /** Only for streams. */
  readonly streamed: StreamSeries | null;
}

interface StreamSeries {
  readonly firstChunk: Histogram;
  readonly firstToken: Histogram;
  readonly perToken: Histogram;
}

/** A type alias, because an interface is not assignable to a set of labels. */
type OperationLabels = {
  readonly gen_ai_operation_name: string;
  readonly gen_ai_provider_name: string;
  readonly gen_ai_request_model: string;
};

/** The metrics of OpenTelemetry's GenAI conventions, which are taken from the records of finished requests. */
export class GenAiMetrics {
  private readonly tokens: HistogramFamily<'gen_ai_client_token_usage'>;
  private readonly clientDuration: HistogramFamily<'gen_ai_client_operation_duration_seconds'>;
  private readonly firstChunk: HistogramFamily<'gen_ai_client_operation_time_to_first_chunk_seconds'>;
  private readonly serverDuration: HistogramFamily<'gen_ai_server_request_duration_seconds'>;
  private readonly firstToken: HistogramFamily<'gen_ai_server_time_to_first_token_seconds'>;
  private readonly perToken: HistogramFamily<'gen_ai_server_time_per_output_token_seconds'>;

  constructor(
    registry: MetricRegistry,
    private readonly labels: NameLabels,
  ) {
    this.tokens = new HistogramFamily(registry, 'gen_ai_client_token_usage');
    this.clientDuration = new HistogramFamily(registry, 'gen_ai_client_operation_duration_seconds');
    this.firstChunk = new HistogramFamily(registry, 'gen_ai_client_operation_time_to_first_chunk_seconds');
    this.serverDuration = new HistogramFamily(registry, 'gen_ai_server_request_duration_seconds');
    this.firstToken = new HistogramFamily(registry, 'gen_ai_server_time_to_first_token_seconds');
    this.perToken = new HistogramFamily(registry, 'gen_ai_server_time_per_output_token_seconds');
  }

  /**
   * Returns the series of a record and those like it; `null` if no provider was asked.
   *
   * @param model the label of the public model
   */
  seriesOf(record: RequestRecord, model: string): GenAiSeries | null {
    const { format, provider, channelId, errorCode, stream, cacheMatch } = record;
    if (provider === null || cacheMatch !== null) return null;
    const labels: OperationLabels = {
      gen_ai_operation_name: genAiOperation(format),
      gen_ai_provider_name: this.provider(channelId, provider),
      gen_ai_request_model: model,
    };
    const serverDuration = this.serverDuration.labels({ ...labels, error_type: errorCode ?? '' });
    return { labels, serverDuration, answered: errorCode === null ? this.answered(labels, stream) : null };
  }

  private answered(labels: OperationLabels, stream: boolean): AnsweredSeries {
    return {
      clientDuration: this.clientDuration.labels({ ...labels, error_type: '' }),
      inputTokens: this.tokens.labels({ ...labels, gen_ai_token_type: 'input' }),
      outputTokens: this.tokens.labels({ ...labels, gen_ai_token_type: 'output' }),
      streamed: stream
        ? {
            firstChunk: this.firstChunk.labels(labels),
            firstToken: this.firstToken.labels(labels),
            perToken: this.perToken.labels(labels),
          }
        : null,
    };
  }

  /** @param atMs when the request ended, in milliseconds since 1970 */
  observe(record: RequestRecord, { labels, serverDuration, answered }: GenAiSeries, atMs: number): void {
    const traceId = record.traceId ?? null;
    serverDuration.observeTraced(record.latencyMs / 1_000, traceId, atMs);
    if (record.failedAttempts.length > 0) this.failed(record, labels);
    if (answered === null) return;
    const { askedMs = null, answeredMs = null } = record.times ?? {};
    if (askedMs !== null && answeredMs !== null) {
      answered.clientDuration.observeTraced((answeredMs - askedMs) / 1_000, traceId, atMs);
    }
    const outputTokens = this.observeTokens(record, answered);
    if (answered.streamed !== null) observeStream(record, answered.streamed, { askedMs, outputTokens, traceId, atMs });
  }

  /** Returns the number of output tokens; 0 if the upstream reported none. */
  private observeTokens({ billable }: RequestRecord, { inputTokens, outputTokens }: AnsweredSeries): number {
    if (billable === null || billable.source !== 'reported') return 0;
    const input = promptTokensOf(billable);
    const output = completionTokensOf(billable);
    if (input > 0) inputTokens.observe(input);
    if (output > 0) outputTokens.observe(output);
    return output;
  }

  private provider(channelId: string | null, provider: string): string {
    return this.labels.channel(channelId) === PRIVATE ? PRIVATE : genAiProvider(provider);
  }

  /** Counts failed attempts by their providers; most requests have none. */
  private failed({ failedAttempts, traceId, atMs }: RequestRecord, labels: OperationLabels): void {
    for (const { channelId, provider, kind, latencyMs, beganMs = 0 } of failedAttempts) {
      const duration = this.clientDuration.labels({
        ...labels,
        ...(provider !== undefined && { gen_ai_provider_name: this.provider(channelId, provider) }),
        error_type: this.labels.kind(channelId, kind),
      });
      duration.observeTraced(latencyMs / 1_000, traceId ?? null, atMs + beganMs + latencyMs);
    }
  }
}

interface StreamFacts {
  readonly askedMs: number | null;
  readonly outputTokens: number;
  readonly traceId: string | null;
  readonly atMs: number;
}

function observeStream(
  { firstByteMs, latencyMs }: RequestRecord,
  { firstChunk, firstToken, perToken }: StreamSeries,
  { askedMs, outputTokens, traceId, atMs }: StreamFacts,
): void {
  if (firstByteMs === null) return;
  firstToken.observeTraced(firstByteMs / 1_000, traceId, atMs);
  if (askedMs !== null) firstChunk.observeTraced((firstByteMs - askedMs) / 1_000, traceId, atMs);
  if (outputTokens > 1) perToken.observe((latencyMs - firstByteMs) / 1_000 / (outputTokens - 1));
}
