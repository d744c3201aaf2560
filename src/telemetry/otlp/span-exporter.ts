import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import { ProtobufTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { OtlpTarget } from './target.ts';

/** Success in `ExportResult` of `@opentelemetry/core`. */
const SUCCESS = 0;
const COMPONENT = 'otlp_http_span_exporter';

/**
 * Returns a function that exports spans by OTLP over HTTP. It rejects if the collector has not accepted them. The library retries within
 * the timeout, and waits as long as `Retry-After` says if that is within it. The classes of the library that read the environment are not used: only `main` reads it.
 */
export function spanExporter({
  url,
  headers,
  gzip,
  timeoutMs,
  tls,
}: OtlpTarget): (spans: ReadableSpan[]) => Promise<void> {
  const delegate = createOtlpHttpExportDelegate(
    {
      ...{ url, timeoutMillis: timeoutMs, concurrencyLimit: 4, userAgent: 'switchyard' },
      compression: gzip ? 'gzip' : 'none',
      headers: async () => ({ ...headers, 'Content-Type': 'application/x-protobuf' }),
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true, ...tls }),
    },
    ProtobufTraceSerializer,
    COMPONENT,
    TraceExporterMetricsHelper,
    undefined,
  );
  return (spans) =>
    new Promise((resolve, reject) => {
      delegate.export(spans, ({ code, error }) => {
        if (code === SUCCESS) resolve();
        else reject(error ?? new Error('the export failed'));
      });
    });
}
