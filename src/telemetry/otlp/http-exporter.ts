import { createOtlpHttpExportDelegate, httpAgentFactoryFromOptions } from '@opentelemetry/otlp-exporter-base/node-http';
import type { IExporterMetricsHelper, ISerializer } from '@opentelemetry/otlp-transformer';
import type { OtlpTarget } from './target.ts';

/** Success in `ExportResult` of `@opentelemetry/core`. */
const SUCCESS = 0;

/** How items of one signal are written, and the library's name for their exporter. */
export interface ExportedSignal<Items, Answer> {
  readonly serializer: ISerializer<Items, Answer>;
  readonly component: string;
  readonly helper: IExporterMetricsHelper<Items>;
}

/**
 * Returns a function that exports by OTLP over HTTP. It rejects if the collector has not accepted the items. The library retries within the
 * timeout, and waits as long as `Retry-After` says if that is within it. It follows no redirect: the headers have keys. The classes of the library that read the environment are not used:
 * only `main` reads it.
 */
export function httpExporter<Items, Answer>(
  { url, headers, gzip, timeoutMs, tls }: OtlpTarget,
  { serializer, component, helper }: ExportedSignal<Items, Answer>,
): (items: Items) => Promise<void> {
  const delegate = createOtlpHttpExportDelegate(
    {
      ...{ url, timeoutMillis: timeoutMs, concurrencyLimit: 4, userAgent: 'switchyard' },
      compression: gzip ? 'gzip' : 'none',
      headers: async () => ({ ...headers, 'Content-Type': 'application/x-protobuf' }),
      agentFactory: httpAgentFactoryFromOptions({ keepAlive: true, ...tls }),
    },
    serializer,
    component,
    helper,
    undefined,
  );
  return (items) =>
    new Promise((resolve, reject) => {
      delegate.export(items, ({ code, error }) => {
        if (code === SUCCESS) resolve();
        else reject(error ?? new Error('the export failed'));
      });
    });
}

/** Returns why an export failed: the status of the collector's response, never its words, or else those of the library. */
export function exportFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'number' ? `HTTP ${code}` : error.message.slice(0, 200);
}
