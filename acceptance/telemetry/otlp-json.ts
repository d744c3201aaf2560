import { asArray, asObject } from '../../conformance/shared/json.ts';

/* Reads the collector’s files into plain values. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */

export type Value = string | number | boolean | null | readonly Value[];
export type Attributes = Readonly<Record<string, Value>>;

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const STATUSES = ['unset', 'ok', 'error'] as const;

export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** The empty string if it has none. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: (typeof KINDS)[number];
  readonly status: (typeof STATUSES)[number];
  readonly statusMessage: string;
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string; readonly attributes: Attributes }[];
  readonly resource: Attributes;
  readonly scope: string;
}

export interface MetricPoint {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Attributes;
  /** The value of a sum or gauge, or the count of a histogram. */
  readonly value: number;
  readonly resource: Attributes;
}

export interface LogLine {
  readonly body: Value;
  readonly severity: string;
  /** The empty string if it belongs to no trace. */
  readonly traceId: string;
  readonly attributes: Attributes;
  readonly resource: Attributes;
}

export function spansIn(message: unknown): Span[] {
  return parts(message, 'resourceSpans', 'scopeSpans', 'spans').map(({ item, resource, scope }) => ({
    traceId: text(item.traceId),
    spanId: text(item.spanId),
    parentSpanId: text(item.parentSpanId),
    traceState: text(item.traceState),
    name: text(item.name),
    kind: KINDS[Number(item.kind ?? 0)] ?? 'unspecified',
    status: STATUSES[Number(asObject(item.status).code ?? 0)] ?? 'unset',
    statusMessage: text(asObject(item.status).message),
    startNs: BigInt(text(item.startTimeUnixNano) || '0'),
    endNs: BigInt(text(item.endTimeUnixNano) || '0'),
    attributes: attributesIn(item.attributes),
    events: asArray(item.events)
      .map(asObject)
      .map(({ name, attributes }) => ({ name: text(name), attributes: attributesIn(attributes) })),
    links: asArray(item.links)
      .map(asObject)
      .map(({ traceId, spanId, attributes }) => ({
        ...{ traceId: text(traceId), spanId: text(spanId) },
        attributes: attributesIn(attributes),
      })),
    resource,
    scope,
  }));
}

export function pointsIn(message: unknown): MetricPoint[] {
  return parts(message, 'resourceMetrics', 'scopeMetrics', 'metrics').flatMap(({ item, resource }) => {
    const data = asObject(item.sum ?? item.gauge ?? item.histogram ?? item.exponentialHistogram);
    return asArray(data.dataPoints)
      .map(asObject)
      .map((point) => ({
        name: text(item.name),
        unit: text(item.unit),
        attributes: attributesIn(point.attributes),
        value: Number(point.asInt ?? point.asDouble ?? point.count ?? 0),
        resource,
      }));
  });
}

export function logLinesIn(message: unknown): LogLine[] {
  return parts(message, 'resourceLogs', 'scopeLogs', 'logRecords').map(({ item, resource }) => ({
    body: valueIn(item.body),
    severity: text(item.severityText),
    traceId: text(item.traceId),
    attributes: attributesIn(item.attributes),
    resource,
  }));
}

interface Part {
  readonly item: Readonly<Record<string, unknown>>;
  readonly resource: Attributes;
  readonly scope: string;
}

function parts(message: unknown, resources: string, scopes: string, items: string): Part[] {
  return asArray(asObject(message)[resources])
    .map(asObject)
    .flatMap((one) => {
      const resource = attributesIn(asObject(one.resource).attributes);
      return asArray(one[scopes])
        .map(asObject)
        .flatMap((scoped) => {
          const scope = text(asObject(scoped.scope).name);
          return asArray(scoped[items]).map((item) => ({ item: asObject(item), resource, scope }));
        });
    });
}

function attributesIn(list: unknown): Attributes {
  return Object.fromEntries(
    asArray(list)
      .map(asObject)
      .map(({ key, value }) => [text(key), valueIn(value)]),
  );
}

function valueIn(value: unknown): Value {
  const one = asObject(value);
  if (one.stringValue !== undefined) return text(one.stringValue);
  if (one.intValue !== undefined) return Number(one.intValue);
  if (one.doubleValue !== undefined) return Number(one.doubleValue);
  if (one.boolValue !== undefined) return one.boolValue === true;
  if (one.arrayValue !== undefined) return asArray(asObject(one.arrayValue).values).map(valueIn);
  if (one.kvlistValue !== undefined) return JSON.stringify(attributesIn(asObject(one.kvlistValue).values));
  return null;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
