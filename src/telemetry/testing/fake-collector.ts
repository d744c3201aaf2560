import { parse, type Type } from 'protobufjs';

/** The parts of opentelemetry-proto's trace messages that tests read (github.com/open-telemetry/opentelemetry-proto, v1). */
const SCHEMA = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; }
message Scope { string name = 1; string version = 2; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; ArrayValue array_value = 5; }
}
message ArrayValue { repeated AnyValue values = 1; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; repeated Link links = 13;
  Status status = 15; fixed32 flags = 16;
}
message Link { bytes trace_id = 1; bytes span_id = 2; repeated KeyValue attributes = 4; }
message Status { string message = 2; int32 code = 3; }
`;

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];
const STATUSES = ['unset', 'ok', 'error'];

type Value = string | number | boolean | readonly Value[];

/** A span as the collector has read it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** The empty string for a root. */
  readonly parentId: string;
  readonly state: string;
  readonly name: string;
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly status: string;
  readonly attributes: Readonly<Record<string, Value>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly resource: Readonly<Record<string, Value>>;
  readonly scope: string;
}

/** An export as it arrived. */
export interface Export {
  readonly path: string;
  readonly headers: Headers;
  readonly spans: readonly CollectedSpan[];
}

/** Answers an export; the default accepts it. */
export type Answer = (request: Request) => Response | Promise<Response>;

const accept: Answer = () => new Response(new Uint8Array(0), { headers: { 'content-type': 'application/x-protobuf' } });

/** A collector in the process of the test that decodes the spans that it accepts. */
export class FakeCollector {
  readonly exports: Export[] = [];
  /** The number of requests, accepted or not. */
  requests = 0;
  answer: Answer = accept;
  private readonly type: Type = parse(SCHEMA, { keepCase: false }).root.lookupType('Request');
  private readonly server: ReturnType<typeof Bun.serve>;

  /** @param port a free one by default */
  constructor(port = 0) {
    this.server = Bun.serve({ port, hostname: '127.0.0.1', fetch: (request) => this.take(request) });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  get spans(): readonly CollectedSpan[] {
    return this.exports.flatMap(({ spans }) => spans);
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private async take(request: Request): Promise<Response> {
    this.requests++;
    const body = new Uint8Array(await request.arrayBuffer());
    const answer = await this.answer(request);
    if (answer.ok) {
      const bytes = request.headers.get('content-encoding') === 'gzip' ? Bun.gunzipSync(body) : body;
      this.exports.push({ path: new URL(request.url).pathname, headers: request.headers, spans: this.decoded(bytes) });
    }
    return answer;
  }

  private decoded(bytes: Uint8Array): CollectedSpan[] {
    const decoded: unknown = this.type.toObject(this.type.decode(bytes), { longs: String, defaults: true });
    return (decoded as Decoded).resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ scope, spans }) =>
        spans.map((span) => ({
          ...{ traceId: hex(span.traceId), spanId: hex(span.spanId), parentId: hex(span.parentSpanId) },
          ...{ state: span.traceState, name: span.name, kind: KINDS[span.kind] ?? '' },
          ...{ fromMs: milliseconds(span.startTimeUnixNano), toMs: milliseconds(span.endTimeUnixNano) },
          status: STATUSES[span.status?.code ?? 0] ?? '',
          attributes: valuesOf(span.attributes),
          links: span.links.map((link) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
          ...{ resource: valuesOf(resource.attributes), scope: scope.name },
        })),
      ),
    );
  }
}

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values: readonly AnyValue[] };
}

interface DecodedSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly traceState: string;
  readonly parentSpanId: Uint8Array;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly links: readonly { readonly traceId: Uint8Array; readonly spanId: Uint8Array }[];
  readonly status: { readonly code: number } | null;
}

interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly DecodedSpan[];
    }[];
  }[];
}

function valuesOf(attributes: readonly KeyValue[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, boolValue, intValue, doubleValue, arrayValue }: AnyValue): Value {
  if (arrayValue !== undefined) return arrayValue.values.map(plain);
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue ?? 0);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function milliseconds(nanos: string): number {
  return Number(BigInt(nanos) / 1_000n) / 1_000;
}
