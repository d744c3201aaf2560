import { httpExporter } from './http-exporter.ts';
import type { OtlpTarget } from './target.ts';

/** One group of spans, metrics or lines without any: a body without a byte is refused by some proxies. */
const EMPTY = Uint8Array.of(0x0a, 0x00);
const UNCOUNTED = { name: 'span', countItems: () => 0 } as const;

/** Sends an export without items. Rejects if the collector has not accepted it; `exportFailure` says why. */
export async function probeCollector(target: OtlpTarget): Promise<void> {
  const serializer = { serializeRequest: () => EMPTY, deserializeResponse: () => ({}) };
  await httpExporter(target, { serializer, helper: UNCOUNTED, component: 'otlp_http_span_exporter' })(null);
}
