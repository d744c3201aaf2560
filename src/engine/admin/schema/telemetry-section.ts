import { z } from 'zod';
import { isTraceLinkTemplate } from '../../../domain/trace/trace-link.ts';
import { flag, integer, listOf, MAP, number, text } from '../../../providers/shared/file-fields.ts';
import {
  DEFAULT_TELEMETRY,
  type LogExportSettings,
  type MetricsSettings,
  type OtlpSettings,
  type TelemetrySettings,
  type TraceSettings,
} from '../../settings/telemetry.ts';
import { forwardedIds, identifier } from './fields.ts';

const ENDPOINT =
  'must be an address such as "http://localhost:4318", without a query, a user name or a password: credentials belong into headers';
const TRACE_URL =
  'must be an http:// or https:// address with {trace_id} in its path, such as "https://jaeger.example/trace/{trace_id}"';
const PATH = 'must be the path of a PEM file';
const HEADER = 'must be a header such as "authorization=Bearer …": a name, "=" and a value of printable ASCII';
const ATTRIBUTE = 'must be an attribute such as "deployment.environment.name=production"';

const path = text(PATH, /^[^\p{Cc}]{1,1000}$/u).nullish();
const pair = (rule: string, pattern: RegExp) =>
  text(rule, pattern).transform((value): readonly [string, string] => {
    const at = value.indexOf('=');
    return [value.slice(0, at).trim(), value.slice(at + 1).trim()];
  });

/** The address is shown to admins, and in errors. */
function isWithoutUser(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.username === '' && url.password === '';
}

/** How one signal, or all of them, reach a collector. */
export const otlpSchema = z.strictObject(
  {
    endpoint: z
      .string({ error: ENDPOINT })
      .refine((value) => /^https?:\/\/[^?#\s"<>]{1,500}$/.test(value) && isWithoutUser(value), { error: ENDPOINT })
      .transform((value) => value.replace(/\/+$/, ''))
      .nullish(),
    headers: listOf(pair(HEADER, /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}=[\x20-\x7e]{0,8000}$/), 'headers', 50).nullish(),
    gzip: flag.nullish(),
    timeout_ms: integer('must be a number of milliseconds from 100 to 600000', 100, 600_000).nullish(),
    ca_file: path,
    client_certificate_file: path,
    client_key_file: path,
  },
  MAP,
);

export const tracesSchema = z.strictObject(
  {
    enabled: flag.nullish(),
    otlp: otlpSchema.nullish(),
    sample_ratio: number('must be a number from 0 to 1', 0, 1).nullish(),
    follow_client: flag.nullish(),
    always_on_error: flag.nullish(),
    always_above_ms: integer('must be a number of milliseconds from 1 to 86400000', 1, 86_400_000).nullish(),
    client_address: flag.nullish(),
    tags: flag.nullish(),
    queue_spans: integer('must be a whole number from 16 to 1000000', 16, 1_000_000).nullish(),
    batch_spans: integer('must be a whole number from 1 to 10000', 1, 10_000).nullish(),
    delay_ms: integer('must be a number of milliseconds from 10 to 600000', 10, 600_000).nullish(),
    export_timeout_ms: integer('must be a number of milliseconds from 100 to 600000', 100, 600_000).nullish(),
    content_accounts: listOf(identifier, 'account ids').nullish(),
    content_bytes: integer('must be a whole number of bytes from 256 to 1048576', 256, 2 ** 20).nullish(),
  },
  MAP,
);

export const metricsSchema = z.strictObject(
  {
    enabled: flag.nullish(),
    otlp: otlpSchema.nullish(),
    interval_ms: integer('must be a number of milliseconds from 1000 to 3600000', 1_000, 3_600_000).nullish(),
    export_timeout_ms: integer('must be a number of milliseconds from 100 to 600000', 100, 600_000).nullish(),
  },
  MAP,
);

export const logExportSchema = z.strictObject(
  {
    enabled: flag.nullish(),
    otlp: otlpSchema.nullish(),
    queue_lines: integer('must be a whole number from 16 to 1000000', 16, 1_000_000).nullish(),
    batch_lines: integer('must be a whole number from 1 to 10000', 1, 10_000).nullish(),
    delay_ms: integer('must be a number of milliseconds from 10 to 600000', 10, 600_000).nullish(),
    export_timeout_ms: integer('must be a number of milliseconds from 100 to 600000', 100, 600_000).nullish(),
  },
  MAP,
);

export const telemetrySchema = z.strictObject(
  {
    enabled: flag.nullish(),
    service_name: text('must be 1 to 200 printable characters', /^[^\p{Cc}]{1,200}$/u).nullish(),
    resource_attributes: listOf(
      pair(ATTRIBUTE, /^[^\p{Cc}=,]{1,200}=[^\p{Cc}]{0,1000}$/u),
      'attributes',
      100,
    ).nullish(),
    otlp: otlpSchema.nullish(),
    traces: tracesSchema.nullish(),
    metrics: metricsSchema.nullish(),
    logs: logExportSchema.nullish(),
    account_metrics: flag.nullish(),
    trace_url: z.string({ error: TRACE_URL }).refine(isTraceLinkTemplate, { error: TRACE_URL }).nullish(),
    forward_ids: forwardedIds.nullish(),
  },
  MAP,
);

/** The allowed fields of each place within a configuration file. */
export const TELEMETRY_FIELDS = {
  telemetry: Object.keys(telemetrySchema.shape),
  'telemetry.otlp': Object.keys(otlpSchema.shape),
  'telemetry.traces': Object.keys(tracesSchema.shape),
  'telemetry.traces.otlp': Object.keys(otlpSchema.shape),
  'telemetry.metrics': Object.keys(metricsSchema.shape),
  'telemetry.metrics.otlp': Object.keys(otlpSchema.shape),
  'telemetry.logs': Object.keys(logExportSchema.shape),
  'telemetry.logs.otlp': Object.keys(otlpSchema.shape),
} as const;

export function telemetryFrom(section: z.output<typeof telemetrySchema>): TelemetrySettings {
  return {
    isOn: section.enabled ?? DEFAULT_TELEMETRY.isOn,
    serviceName: section.service_name ?? DEFAULT_TELEMETRY.serviceName,
    resourceAttributes: section.resource_attributes ?? [],
    otlp: otlpFrom(section.otlp ?? {}, DEFAULT_TELEMETRY.otlp),
    traces: tracesFrom(section.traces ?? {}),
    metrics: metricsFrom(section.metrics ?? {}),
    logs: logExportFrom(section.logs ?? {}),
    accountMetrics: section.account_metrics ?? DEFAULT_TELEMETRY.accountMetrics,
    traceUrl: section.trace_url ?? null,
    forwardIds: section.forward_ids ?? DEFAULT_TELEMETRY.forwardIds,
  };
}

/** @param usual the values of settings that are not set */
export function otlpFrom(otlp: z.output<typeof otlpSchema>, usual: OtlpSettings): OtlpSettings {
  return {
    endpoint: otlp.endpoint ?? usual.endpoint,
    headers: otlp.headers ?? usual.headers,
    gzip: otlp.gzip ?? usual.gzip,
    timeoutMs: otlp.timeout_ms ?? usual.timeoutMs,
    caFile: otlp.ca_file ?? null,
    clientCertificateFile: otlp.client_certificate_file ?? null,
    clientKeyFile: otlp.client_key_file ?? null,
  };
}

function logExportFrom(logs: z.output<typeof logExportSchema>): LogExportSettings {
  const usual = DEFAULT_TELEMETRY.logs;
  return {
    isOn: logs.enabled ?? usual.isOn,
    otlp: otlpFrom(logs.otlp ?? {}, usual.otlp),
    queueLines: logs.queue_lines ?? usual.queueLines,
    batchLines: logs.batch_lines ?? usual.batchLines,
    delayMs: logs.delay_ms ?? usual.delayMs,
    exportTimeoutMs: logs.export_timeout_ms ?? usual.exportTimeoutMs,
  };
}

function metricsFrom(metrics: z.output<typeof metricsSchema>): MetricsSettings {
  const usual = DEFAULT_TELEMETRY.metrics;
  return {
    isOn: metrics.enabled ?? usual.isOn,
    otlp: otlpFrom(metrics.otlp ?? {}, usual.otlp),
    intervalMs: metrics.interval_ms ?? usual.intervalMs,
    exportTimeoutMs: metrics.export_timeout_ms ?? usual.exportTimeoutMs,
  };
}

function tracesFrom(traces: z.output<typeof tracesSchema>): TraceSettings {
  const usual = DEFAULT_TELEMETRY.traces;
  return {
    isOn: traces.enabled ?? usual.isOn,
    otlp: otlpFrom(traces.otlp ?? {}, usual.otlp),
    sampleRatio: traces.sample_ratio ?? usual.sampleRatio,
    followsClient: traces.follow_client ?? usual.followsClient,
    alwaysOnError: traces.always_on_error ?? usual.alwaysOnError,
    alwaysAboveMs: traces.always_above_ms ?? null,
    clientAddress: traces.client_address ?? usual.clientAddress,
    tags: traces.tags ?? usual.tags,
    queueSpans: traces.queue_spans ?? usual.queueSpans,
    batchSpans: traces.batch_spans ?? usual.batchSpans,
    delayMs: traces.delay_ms ?? usual.delayMs,
    exportTimeoutMs: traces.export_timeout_ms ?? usual.exportTimeoutMs,
    contentAccounts: traces.content_accounts ?? usual.contentAccounts,
    contentBytes: traces.content_bytes ?? usual.contentBytes,
  };
}

/** Returns the defaults in the form of a configuration file. */
export function telemetryFields() {
  const { traces, metrics, logs, otlp } = DEFAULT_TELEMETRY;
  return {
    enabled: DEFAULT_TELEMETRY.isOn,
    service_name: DEFAULT_TELEMETRY.serviceName,
    forward_ids: DEFAULT_TELEMETRY.forwardIds,
    resource_attributes: [],
    otlp: { endpoint: otlp.endpoint, gzip: otlp.gzip, timeout_ms: otlp.timeoutMs },
    traces: {
      enabled: traces.isOn,
      sample_ratio: traces.sampleRatio,
      follow_client: traces.followsClient,
      always_on_error: traces.alwaysOnError,
      client_address: traces.clientAddress,
      tags: traces.tags,
      queue_spans: traces.queueSpans,
      batch_spans: traces.batchSpans,
      delay_ms: traces.delayMs,
      export_timeout_ms: traces.exportTimeoutMs,
      content_accounts: [],
      content_bytes: traces.contentBytes,
    },
    metrics: {
      enabled: metrics.isOn,
      interval_ms: metrics.intervalMs,
      export_timeout_ms: metrics.exportTimeoutMs,
    },
    logs: {
      enabled: logs.isOn,
      queue_lines: logs.queueLines,
      batch_lines: logs.batchLines,
      delay_ms: logs.delayMs,
      export_timeout_ms: logs.exportTimeoutMs,
    },
    account_metrics: DEFAULT_TELEMETRY.accountMetrics,
  };
}
