import type { FamilySnapshot } from '../domain/metrics/snapshot.ts';
import type { Clock, Sleep } from '../engine/ports/clock.ts';
import type { QueueFigures } from '../engine/ports/figures.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { TelemetrySettings } from '../engine/settings/telemetry.ts';
import type { OtlpLogs } from '../telemetry/logs.ts';
import type { MetricsPush } from '../telemetry/metrics/metrics-push.ts';
import type { OtlpTraces } from '../telemetry/traces.ts';
import { VERSION } from './build.ts';
import { CommandError } from './cli/command-error.ts';

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly publicUrl: string | null;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly logger: Logger;
}

/** The outcomes of one signal's items since the start. */
export interface SignalFigures {
  readonly signal: 'traces' | 'metrics' | 'logs';
  readonly exported: number;
  readonly failed: number;
  readonly dropped: number;
}

/** The exports of this process. */
export interface Telemetry {
  /** `null` while traces are switched off. */
  readonly traces: OtlpTraces | null;
  /** `null` while the export of log lines is switched off. */
  readonly logs: OtlpLogs | null;
  /** Starts the push of metrics, if it is switched on. */
  readonly pushMetrics: (read: () => Promise<readonly FamilySnapshot[]>) => void;
  /** Return the figures of the signals that are switched on, and the queues of spans and of log lines. */
  readonly signals: () => readonly SignalFigures[];
  readonly spanQueue: () => QueueFigures | null;
  readonly lineQueue: () => QueueFigures | null;
  /** Exports what waits, within bounds. */
  close(): Promise<void>;
}

const NOTHING: Telemetry = {
  ...{ traces: null, logs: null, pushMetrics: () => {}, signals: () => [] },
  ...{ spanQueue: () => null, lineQueue: () => null, close: async () => {} },
};

/** The part of `server.shutdown_write_ms` (5 s by default) that exports may take after all requests are recorded. */
const CLOSE_MS = 2_000;

/**
 * Opens the exports that are switched on. Their libraries are loaded only then: 180 ms, 8 MB. Throws `CommandError` if a file that a setting names
 * cannot be read.
 */
export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { settings } = options;
  if (!settings.isOn || !(settings.traces.isOn || settings.metrics.isOn || settings.logs.isOn)) return NOTHING;
  const { resourceAttributes } = await import('../telemetry/resource.ts');
  const { UnreadableFile } = await import('../telemetry/otlp/target.ts');
  const resource = resourceAttributes(settings, { version: VERSION, instanceId: crypto.randomUUID() });
  try {
    const traces = settings.traces.isOn ? await openTraces(options, resource) : null;
    const start = settings.metrics.isOn ? await openMetrics(options, resource) : null;
    const logs = settings.logs.isOn ? await openLogs(options, resource) : null;
    let metrics: MetricsPush | null = null;
    return {
      ...{ traces, logs },
      pushMetrics: (read) => {
        metrics = start?.(read) ?? null;
      },
      signals: () => [
        ...(traces === null ? [] : [{ signal: 'traces' as const, ...traces.counts }]),
        ...(logs === null ? [] : [{ signal: 'logs' as const, ...logs.counts }]),
        ...(metrics === null ? [] : [{ signal: 'metrics' as const, ...metrics.counts, dropped: 0 }]),
      ],
      spanQueue: () => (traces === null ? null : queueOf(traces)),
      lineQueue: () => (logs === null ? null : queueOf(logs)),
      close: async () =>
        void (await Promise.all([traces?.close(CLOSE_MS), metrics?.close(CLOSE_MS), logs?.close(CLOSE_MS)])),
    };
  } catch (error) {
    throw error instanceof UnreadableFile ? new CommandError(error.message, 2) : error;
  }
}

type Resource = Readonly<Record<string, string>>;

async function openTraces(options: TelemetryOptions, resource: Resource): Promise<OtlpTraces> {
  const { OtlpTraces } = await import('../telemetry/traces.ts');
  return new OtlpTraces({ ...options, resource, version: VERSION });
}

async function openLogs(options: TelemetryOptions, resource: Resource): Promise<OtlpLogs> {
  const { OtlpLogs } = await import('../telemetry/logs.ts');
  return new OtlpLogs({ ...options, resource, version: VERSION });
}

/** Returns a function that starts the push, once there is something to read. */
async function openMetrics({ settings, clock, sleep, logger }: TelemetryOptions, resource: Resource) {
  const { MetricsPush } = await import('../telemetry/metrics/metrics-push.ts');
  const { metricsSender } = await import('../telemetry/metrics/metrics-sender.ts');
  const { otlpTarget } = await import('../telemetry/otlp/target.ts');
  const { SCOPE } = await import('../telemetry/names.ts');
  const { otlp, intervalMs, exportTimeoutMs: timeoutMs } = settings.metrics;
  const send = metricsSender(otlpTarget('metrics', otlp, settings.otlp, timeoutMs));
  const scope = { name: SCOPE, version: VERSION };
  return (read: () => Promise<readonly FamilySnapshot[]>) =>
    new MetricsPush({ read, send, resource, scope, intervalMs, timeoutMs, clock, sleep, logger });
}

function queueOf({ waiting, capacity, counts }: OtlpTraces | OtlpLogs): QueueFigures {
  return { waiting, capacity, lateMs: null, dropped: counts.dropped, failedWrites: counts.failed };
}
