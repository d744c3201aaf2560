import { LogsExporterMetricsHelper, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { httpExporter } from './http-exporter.ts';
import type { OtlpTarget } from './target.ts';

/** Returns a function that exports log records. It rejects if the collector has not accepted them. */
export function logExporter(target: OtlpTarget): (records: ReadableLogRecord[]) => Promise<void> {
  return httpExporter(target, {
    ...{ serializer: ProtobufLogsSerializer, helper: LogsExporterMetricsHelper },
    component: 'otlp_http_log_exporter',
  });
}
