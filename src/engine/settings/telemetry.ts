import type { ForwardedId } from '../../domain/trace/forwarded-ids.ts';

/** How OTLP reaches a collector. Members that are `null` are those of `telemetry.otlp`, or else the defaults. */
export interface OtlpSettings {
  /** In `telemetry.otlp` the base address, to which `/v1/traces` and the like are added; in a signal's own settings the whole address. */
  readonly endpoint: string | null;
  /** Sent with every export, such as `authorization=Bearer …`: secrets. */
  readonly headers: readonly (readonly [name: string, value: string])[] | null;
  readonly gzip: boolean | null;
  /** How long one export may take, with its retries. */
  readonly timeoutMs: number | null;
  /** The paths of PEM files: authorities to trust in place of the system's, and the gateway's own certificate with its key. */
  readonly caFile: string | null;
  readonly clientCertificateFile: string | null;
  readonly clientKeyFile: string | null;
}

/** Which calls are traced, and what their spans say (docs/tracing.md). */
export interface TraceSettings {
  readonly isOn: boolean;
  readonly otlp: OtlpSettings;
  /** The share of all traces that is exported, from 0 to 1. It is decided by the trace id, so that all nodes decide alike. */
  readonly sampleRatio: number;
  /** Whether a client's `traceparent` decides instead, as its `sampled` flag says. */
  readonly followsClient: boolean;
  /** Whether calls that failed on the side of the gateway or an upstream are always exported. */
  readonly alwaysOnError: boolean;
  /** Calls that take at least this long are always exported; `null` for no such rule. */
  readonly alwaysAboveMs: number | null;
  /** Whether the server span has the client's address. */
  readonly clientAddress: boolean;
  /** Whether the spans have the tags of the request. */
  readonly tags: boolean;
  /** The most spans that wait for their export. Further ones are dropped and counted. */
  readonly queueSpans: number;
  /** The most spans per export. */
  readonly batchSpans: number;
  /** How long a span waits for others. */
  readonly delayMs: number;
  /** When an export is given up. */
  readonly exportTimeoutMs: number;
  /** The accounts whose spans have prompts and answers, by their ids. */
  readonly contentAccounts: readonly string[];
  /** The most bytes of one attribute with content. */
  readonly contentBytes: number;
}

/** The push of metrics. */
export interface MetricsSettings {
  readonly isOn: boolean;
  readonly otlp: OtlpSettings;
  readonly intervalMs: number;
  /** When an export is given up. */
  readonly exportTimeoutMs: number;
}

/** The export of log lines (docs/logs.md). */
export interface LogExportSettings {
  readonly isOn: boolean;
  readonly otlp: OtlpSettings;
  /** The most lines that wait for their export. Further ones are dropped and counted. */
  readonly queueLines: number;
  readonly batchLines: number;
  /** How long a line waits for others. */
  readonly delayMs: number;
  readonly exportTimeoutMs: number;
}

/** Everything that the gateway exports over OTLP. */
export interface TelemetrySettings {
  /** `false` switches off all exports. */
  readonly isOn: boolean;
  readonly serviceName: string;
  /** Describe this gateway in all exports, such as `deployment.environment.name=production`. */
  readonly resourceAttributes: readonly (readonly [name: string, value: string])[];
  /** For all signals. */
  readonly otlp: OtlpSettings;
  readonly traces: TraceSettings;
  readonly metrics: MetricsSettings;
  readonly logs: LogExportSettings;
  /** Whether some metrics are also counted by account, at `/metrics` as well. */
  readonly accountMetrics: boolean;
  /** The address of a trace in the operators' trace viewer, with `{trace_id}` (domain/trace/trace-link.ts); `null` for none. */
  readonly traceUrl: string | null;
  /** The ids that upstreams of shared channels get, unless their channel says otherwise. */
  readonly forwardIds: readonly ForwardedId[];
}

const NO_OTLP: OtlpSettings = {
  ...{ endpoint: null, headers: null, gzip: null, timeoutMs: null },
  ...{ caFile: null, clientCertificateFile: null, clientKeyFile: null },
};

/** The defaults of the OpenTelemetry specification. */
const DEFAULT_OTLP = { ...NO_OTLP, endpoint: 'http://localhost:4318', gzip: false, timeoutMs: 10_000 };

/** The defaults of the section `telemetry`; those of queues are the specification's for its batch processor. */
export const DEFAULT_TELEMETRY: TelemetrySettings = {
  isOn: true,
  serviceName: 'switchyard',
  resourceAttributes: [],
  otlp: DEFAULT_OTLP,
  traceUrl: null,
  forwardIds: [],
  traces: {
    isOn: false,
    otlp: NO_OTLP,
    sampleRatio: 1,
    followsClient: false,
    alwaysOnError: true,
    alwaysAboveMs: null,
    clientAddress: false,
    tags: false,
    queueSpans: 4_096,
    batchSpans: 512,
    delayMs: 5_000,
    exportTimeoutMs: 30_000,
    contentAccounts: [],
    contentBytes: 32 * 1_024,
  },
  metrics: { isOn: false, otlp: NO_OTLP, intervalMs: 60_000, exportTimeoutMs: 30_000 },
  logs: {
    ...{ isOn: false, otlp: NO_OTLP, queueLines: 8_192, batchLines: 512, delayMs: 1_000, exportTimeoutMs: 30_000 },
  },
  accountMetrics: false,
};
