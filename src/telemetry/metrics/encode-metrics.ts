import type { Exemplar, FamilySnapshot, HistogramPoint, Labels, NumberPoint } from '../../domain/metrics/snapshot.ts';
import { otelNamesOf } from './otel-names.ts';
import { ProtoWriter } from './proto-writer.ts';

/** All metrics of this process at one moment. */
export interface MetricsExport {
  readonly resource: Labels;
  readonly scope: { readonly name: string; readonly version: string };
  readonly families: readonly FamilySnapshot[];
  /** When the counters began at 0, and when they were read, in milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly atMs: number;
}

const CUMULATIVE = 2;

/**
 * Returns an `ExportMetricsServiceRequest` of OTLP in protobuf (opentelemetry-proto, `metrics/v1/metrics.proto`). The serializer of
 * `@opentelemetry/otlp-transformer` writes no exemplars, and would need the families as objects of its SDK.
 */
export function encodeMetrics({ resource, scope, families, startedAtMs, atMs }: MetricsExport): Uint8Array {
  const times = { start: nanosOf(startedAtMs), at: nanosOf(atMs) };
  const request = new ProtoWriter();
  request.message(1, (resourceMetrics) => {
    resourceMetrics.message(1, (writer) => writeAttributes(writer, 1, resource));
    resourceMetrics.message(2, (scopeMetrics) => {
      scopeMetrics.message(1, (writer) => {
        writer.string(1, scope.name);
        writer.string(2, scope.version);
      });
      for (const family of families) {
        if (family.points.length > 0) scopeMetrics.message(2, (writer) => writeMetric(writer, family, times));
      }
    });
  });
  return request.finish();
}

/** Returns the number of points of an export. */
export function pointCountOf(families: readonly FamilySnapshot[]): number {
  return families.reduce((sum, { points }) => sum + points.length, 0);
}

interface Times {
  readonly start: bigint;
  readonly at: bigint;
}

function writeMetric(writer: ProtoWriter, family: FamilySnapshot, times: Times): void {
  const { name, unit, attributes } = otelNamesOf(family);
  writer.string(1, name);
  writer.string(2, family.help);
  if (unit !== '') writer.string(3, unit);
  const named = (labels: Labels) =>
    Object.fromEntries(Object.entries(labels).map(([label, value]) => [attributes[label] ?? label, value]));
  if (family.type === 'histogram') {
    const { bounds, points } = family;
    writer.message(9, (histogram) => {
      for (const point of points) {
        histogram.message(1, (data) =>
          writeHistogramPoint(data, { ...point, labels: named(point.labels) }, bounds, times),
        );
      }
      histogram.varint(2, CUMULATIVE);
    });
    return;
  }
  const isCounter = family.type === 'counter';
  writer.message(isCounter ? 7 : 5, (data) => {
    for (const point of family.points) {
      data.message(1, (number) =>
        writeNumberPoint(number, { ...point, labels: named(point.labels) }, isCounter, times),
      );
    }
    if (!isCounter) return;
    data.varint(2, CUMULATIVE);
    data.varint(3, 1); // It is monotonic.
  });
}

function writeNumberPoint(writer: ProtoWriter, point: NumberPoint, isCounter: boolean, { start, at }: Times): void {
  if (isCounter) writer.fixed64(2, start);
  writer.fixed64(3, at);
  writer.double(4, point.value);
  if (point.exemplar !== undefined) writeExemplar(writer, 5, point.exemplar);
  writeAttributes(writer, 7, point.labels);
}

function writeHistogramPoint(
  writer: ProtoWriter,
  { labels, counts, sum, exemplars = [] }: HistogramPoint,
  bounds: readonly number[],
  { start, at }: Times,
): void {
  writer.fixed64(2, start);
  writer.fixed64(3, at);
  writer.fixed64(
    4,
    counts.reduce((all, count) => all + count, 0),
  );
  writer.double(5, sum);
  writer.packedFixed64(6, counts);
  writer.packedDoubles(7, bounds);
  for (const exemplar of exemplars) if (exemplar !== null) writeExemplar(writer, 8, exemplar);
  writeAttributes(writer, 9, labels);
}

function writeExemplar(writer: ProtoWriter, field: number, { traceId, value, atMs }: Exemplar): void {
  writer.message(field, (exemplar) => {
    exemplar.fixed64(2, nanosOf(atMs));
    exemplar.double(3, value);
    exemplar.data(5, Uint8Array.fromHex(traceId));
  });
}

/** An empty value means that there is none, as with an error's type, and is left out. */
function writeAttributes(writer: ProtoWriter, field: number, attributes: Labels): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === '') continue;
    writer.message(field, (attribute) => {
      attribute.string(1, name);
      attribute.message(2, (any) => any.string(1, value));
    });
  }
}

function nanosOf(ms: number): bigint {
  return BigInt(Math.round(ms * 1_000)) * 1_000n;
}
