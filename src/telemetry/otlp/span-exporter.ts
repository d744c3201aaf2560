import { ProtobufTraceSerializer, TraceExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { httpExporter } from './http-exporter.ts';
import type { OtlpTarget } from './target.ts';

/** Returns a function that exports spans. It rejects if the collector has not accepted them. */
export function spanExporter(target: OtlpTarget): (spans: ReadableSpan[]) => Promise<void> {
  return httpExporter(target, {
    ...{ serializer: ProtobufTraceSerializer, helper: TraceExporterMetricsHelper },
    component: 'otlp_http_span_exporter',
  });
}
