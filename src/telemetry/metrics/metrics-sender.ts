import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { httpExporter } from '../otlp/http-exporter.ts';
import type { OtlpTarget } from '../otlp/target.ts';

/** The families are encoded already (`encode-metrics.ts`). */
const ENCODED = {
  serializeRequest: (bytes: Uint8Array) => bytes,
  deserializeResponse: ProtobufMetricsSerializer.deserializeResponse,
};
/** The exporter's measurements of itself, which are not used: `MetricsPush` counts the points. */
const UNCOUNTED = { name: 'metric_data_point', countItems: () => 0 } as const;

/** Returns a function that sends encoded metrics by OTLP over HTTP. It rejects if the collector has not accepted them. */
export function metricsSender(target: OtlpTarget): (bytes: Uint8Array) => Promise<void> {
  return httpExporter(target, { serializer: ENCODED, helper: UNCOUNTED, component: 'otlp_http_metric_exporter' });
}
