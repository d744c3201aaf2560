import type { Attributes, HrTime, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { LOG_ATTRIBUTES, LOG_PREFIX } from '../names.ts';

/** The numbers of the specification. */
const SEVERITIES: Readonly<Record<string, number>> = { debug: 5, info: 9, warn: 13, error: 17 };
/** These are members of the record itself. */
const OWN: ReadonlySet<string> = new Set(['time', 'level', 'event', 'msg', 'trace_id', 'span_id']);
const TRACE_ID = /^[0-9a-f]{32}$/;
const SAMPLED = 1;

/** Returns the record of a line that the gateway has logged as JSON. */
export function logRecordOf(
  json: string,
  resource: Resource,
  scope: { readonly name: string; readonly version?: string },
): ReadableLogRecord {
  const line: Readonly<Record<string, unknown>> = JSON.parse(json);
  const at = timeOf(Date.parse(String(line.time)));
  const level = String(line.level);
  const context = contextOf(line);
  return {
    ...{ hrTime: at, hrTimeObserved: at, severityText: level.toUpperCase(), severityNumber: SEVERITIES[level] ?? 9 },
    ...{ body: String(line.msg), eventName: String(line.event), resource, instrumentationScope: scope },
    ...{ attributes: attributesOf(line), droppedAttributesCount: 0 },
    ...(context !== null && { spanContext: context }),
  };
}

function attributesOf(line: Readonly<Record<string, unknown>>): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(line)) {
    if (OWN.has(name)) continue;
    const attribute = LOG_ATTRIBUTES[name] ?? LOG_PREFIX + name;
    if (Array.isArray(value)) attributes[attribute] = value.map(String);
    else if (typeof value === 'object') attributes[attribute] = JSON.stringify(value);
    else attributes[attribute] = value as string | number | boolean; // JSON has no other scalar.
  }
  return attributes;
}

/** A line of a request that has a trace, but no span in it, belongs to the trace only. */
function contextOf({ trace_id: traceId, span_id: spanId }: Readonly<Record<string, unknown>>): SpanContext | null {
  if (typeof traceId !== 'string' || !TRACE_ID.test(traceId)) return null;
  return { traceId, spanId: typeof spanId === 'string' ? spanId : '', traceFlags: SAMPLED };
}

function timeOf(ms: number): HrTime {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}
