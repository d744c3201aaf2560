import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import type { OtlpTarget } from '../otlp/target.ts';

/** Success in `ExportResult` of `@opentelemetry/core`. */
const SUCCESS = 0;
const COMPONENT = 'otlp_http_metric_exporter';
/** The exporter's measurements of itself, which are not used: `MetricsPush` counts the points. */
const UNCOUNTED = { name: 'metric_data_point', countItems: () => 0 } as const;

/** The families are encoded already (`encode-metrics.ts`). */
const ENCODED = {
  serializeRequest: (bytes: Uint8Array) => bytes,
  deserializeResponse: ProtobufMetricsSerializer.deserializeResponse,
};

/** Returns a function that sends encoded metrics by OTLP over HTTP. It rejects if the collector has not accepted them. */
export function metricsSender({
  url,
  headers,
  gzip,
  timeoutMs,
  tls,
}: OtlpTarget): (bytes: Uint8Array) => Promise<void> {
  const delegate = createOtlpHttpExportDelegate(
    {
      ...{ url, timeoutMillis: timeoutMs, concurrencyLimit: 2, userAgent: 'switchyard' },
      compression: gzip ? 'gzip' : 'none',
      headers: async () => ({ ...headers, 'Content-Type': 'application/x-protobuf' }),
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true, ...tls }),
    },
    ENCODED,
    COMPONENT,
    UNCOUNTED,
    undefined,
  );
  return (bytes) =>
    new Promise((resolve, reject) => {
      delegate.export(bytes, ({ code, error }) => {
        if (code === SUCCESS) resolve();
        else reject(error ?? new Error('the export failed'));
      });
    });
}
