import type { HrTime, Link, Attributes as OtlpAttributes, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { SCOPE } from '../names.ts';
import { SPAN_KINDS, type Span, type SpanRef } from '../spans/span.ts';

const SAMPLED = 1;
const UNSET = { code: 0 };
const ERROR = { code: 2 };
const DURATION: HrTime = [0, 0];

/** A span as the serializer reads it. It is made from facts, not by the tracer of the SDK (docs/decisions/044-spans-after-the-fact.md). */
export class FinishedSpan implements ReadableSpan {
  readonly name: string;
  readonly kind: number;
  readonly parentSpanContext?: SpanContext;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly status: { readonly code: number };
  readonly attributes: OtlpAttributes;
  readonly links: Link[];
  readonly events = [];
  /** The serializer takes it from the times. */
  readonly duration = DURATION;
  readonly ended = true;
  readonly droppedAttributesCount = 0;
  readonly droppedEventsCount = 0;
  readonly droppedLinksCount = 0;
  private readonly context: SpanContext;

  constructor(
    span: Span,
    readonly resource: Resource,
    readonly instrumentationScope: { readonly name: string; readonly version?: string },
  ) {
    const { traceId, spanId, parent, state, links } = span;
    this.context = contextOf({ traceId, spanId, state, isRemote: false });
    if (parent !== null) this.parentSpanContext = contextOf(parent);
    this.name = span.name;
    this.kind = SPAN_KINDS[span.kind];
    this.startTime = timeOf(span.fromMs);
    this.endTime = timeOf(span.toMs);
    this.status = span.isError ? ERROR : UNSET;
    // The library's type wants lists that can be changed; it changes none.
    this.attributes = span.attributes as OtlpAttributes;
    this.links = (links ?? []).map((link) => ({
      context: contextOf(link),
      attributes: (link.attributes ?? {}) as OtlpAttributes,
    }));
  }

  spanContext(): SpanContext {
    return this.context;
  }
}

/** Returns the instrumentation scope of all spans. The serializer groups spans by it, so all need the same object. */
export function scopeOf(version: string): { readonly name: string; readonly version: string } {
  return { name: SCOPE, version };
}

function contextOf({ traceId, spanId, isRemote, state }: SpanRef): SpanContext {
  const context = { traceId, spanId, traceFlags: SAMPLED, isRemote };
  return state === null ? context : { ...context, traceState: new KnownState(state) };
}

/** The serializer needs only the text of a `tracestate`. */
class KnownState {
  constructor(private readonly text: string) {}

  serialize(): string {
    return this.text;
  }

  get(): undefined {
    return undefined;
  }

  set(): this {
    return this;
  }

  unset(): this {
    return this;
  }
}

/** Returns seconds and nanoseconds. A number of milliseconds since 1970 holds fractions down to about 0.2 µs. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  const nanos = Math.round((ms - seconds * 1_000) * 1_000_000);
  return nanos >= 1_000_000_000 ? [seconds + 1, 0] : [seconds, nanos];
}
