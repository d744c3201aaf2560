import { resourceFromAttributes } from '@opentelemetry/resources';
import type { CallIdentity } from '../domain/trace/call-identity.ts';
import { isInSample } from '../domain/trace/sampling.ts';
import { serverSpanIdOf, traceIdOf } from '../domain/trace/span-ids.ts';
import { RANDOM_TRACE_ID, SAMPLED, type TraceContext } from '../domain/trace/trace-context.ts';
import type { Clock, Sleep } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type {
  CallEnd,
  ContentRoom,
  SessionTracing,
  TaskTracing,
  TracedCall,
  TracedSession,
  TracedTask,
  Tracing,
} from '../engine/ports/tracing.ts';
import type { TelemetrySettings } from '../engine/settings/telemetry.ts';
import { type ExportCounts, ExportQueue } from './otlp/export-queue.ts';
import { FinishedSpan, scopeOf } from './otlp/readable-span.ts';
import { spanExporter } from './otlp/span-exporter.ts';
import { otlpTarget } from './otlp/target.ts';
import type { ResourceAttributes } from './resource.ts';
import { callSpans, type SpanOptions, spanCountOf } from './spans/call-spans.ts';
import { contentReader } from './spans/content.ts';
import { sessionSpan } from './spans/session-span.ts';
import type { Span } from './spans/span.ts';
import { taskSpanCountOf, taskSpans } from './spans/task-spans.ts';

export interface TracesOptions {
  readonly settings: TelemetrySettings;
  readonly resource: ResourceAttributes;
  readonly version: string;
  /** The gateway's own address for people; `null` if it is unknown. */
  readonly publicUrl: string | null;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly logger: Logger;
}

/** An item of the queue. Its spans are made when a batch is sent, off the path of the request. */
interface Waiting {
  /** The number of its spans, or a bound of it. */
  readonly count: number;
  readonly weight: number;
  readonly spans: () => readonly Span[];
}

/** The content that counts as one span. */
const BYTES_PER_SPAN = 4_096;
/** Building the spans of a batch may block other work for this long. */
const MOST_BLOCKED_MS = 5;

/** The most memory of all content: of running calls, and of those that wait for their export. */
const MOST_CONTENT_BYTES = 64 * 1024 * 1024;

class BoundedRoom implements ContentRoom {
  private held = 0;

  constructor(private readonly most: number) {}

  take(bytes: number): boolean {
    if (this.held + bytes > this.most) return false;
    this.held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}

/** Exports traces by OTLP (docs/tracing.md). */
export class OtlpTraces implements Tracing, TaskTracing, SessionTracing {
  readonly wantsAddresses: boolean;
  readonly room = new BoundedRoom(MOST_CONTENT_BYTES);
  private readonly queue: ExportQueue<Waiting>;
  private readonly spanOptions: SpanOptions;

  /** Throws `UnreadableFile` if a certificate cannot be read. */
  constructor(private readonly options: TracesOptions) {
    const { settings, publicUrl, clock, sleep, logger } = options;
    const { traces } = settings;
    this.wantsAddresses = traces.clientAddress;
    this.spanOptions = {
      tags: traces.tags,
      requestPage: publicUrl === null ? null : `${publicUrl}/app/operator/requests?id=`,
      contentOf: contentReader(traces.contentBytes),
    };
    this.queue = new ExportQueue<Waiting>({
      signal: 'traces',
      most: traces.queueSpans,
      batch: traces.batchSpans,
      delayMs: traces.delayMs,
      timeoutMs: traces.exportTimeoutMs,
      weightOf: ({ weight }) => weight,
      countOf: ({ count }) => count,
      send: this.sender(),
      ...{ sleep, logger, nowMs: () => clock.monotonicMs() },
    });
  }

  wantsContent(accountId: string): boolean {
    return this.options.settings.traces.contentAccounts.includes(accountId);
  }

  begin({ requestId, clientTrace }: CallIdentity): TraceContext {
    const { followsClient, sampleRatio } = this.options.settings.traces;
    const traceId = clientTrace?.traceId ?? traceIdOf(requestId);
    const isSampled =
      clientTrace !== null && followsClient ? (clientTrace.flags & SAMPLED) !== 0 : isInSample(traceId, sampleRatio);
    const random = clientTrace === null ? RANDOM_TRACE_ID : clientTrace.flags & RANDOM_TRACE_ID;
    const flags = random | (isSampled ? SAMPLED : 0);
    return { traceId, spanId: serverSpanIdOf(requestId), flags, state: clientTrace?.state ?? null };
  }

  isExported({ context, failureSide, latencyMs }: CallEnd): boolean {
    const { alwaysOnError, alwaysAboveMs } = this.options.settings.traces;
    if ((context.flags & SAMPLED) !== 0) return true;
    if (alwaysOnError && failureSide !== null && failureSide !== 'client') return true;
    return alwaysAboveMs !== null && latencyMs >= alwaysAboveMs;
  }

  export(call: TracedCall): void {
    // Content counts as further spans, so that the bound of the queue also bounds its memory.
    const count = spanCountOf(call);
    const weight = count + Math.ceil((call.exchange?.size ?? 0) / BYTES_PER_SPAN);
    const spans = () => {
      try {
        return callSpans(call, this.spanOptions);
      } finally {
        call.exchange?.release();
      }
    };
    if (!this.queue.add({ count, weight, spans })) call.exchange?.release();
  }

  exportTask(task: TracedTask): void {
    const count = taskSpanCountOf(task);
    this.queue.add({ count, weight: count, spans: () => taskSpans(task) });
  }

  exportSession(session: TracedSession): void {
    this.queue.add({ count: 1, weight: 1, spans: () => [sessionSpan(session)] });
  }

  /** The number of spans by what became of them; those of a batch are counted by an upper bound. */
  get counts(): Readonly<ExportCounts> {
    return this.queue.counts;
  }

  /** The number of spans that wait, to which content adds. */
  get waiting(): number {
    return this.queue.length;
  }

  get capacity(): number {
    return this.options.settings.traces.queueSpans;
  }

  /** Exports what waits, for at most `withinMs`. Never rejects. */
  close(withinMs: number): Promise<void> {
    return this.queue.close(withinMs);
  }

  private sender(): (items: readonly Waiting[]) => Promise<void> {
    const { settings, resource: attributes, version, clock, sleep } = this.options;
    const { traces, otlp } = settings;
    const send = spanExporter(otlpTarget('traces', traces.otlp, otlp, traces.exportTimeoutMs));
    const resource = resourceFromAttributes(attributes);
    const scope = scopeOf(version);
    const now = () => clock.monotonicMs();
    const never = new AbortController().signal;
    return async (items) => {
      const spans: FinishedSpan[] = [];
      let beganMs = now();
      for (const item of items) {
        for (const span of item.spans()) spans.push(new FinishedSpan(span, resource, scope));
        if (now() - beganMs < MOST_BLOCKED_MS) continue;
        await sleep(0, never);
        beganMs = now();
      }
      await send(spans);
    };
  }
}
