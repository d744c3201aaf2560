export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Record<string, AttributeValue>;

/** The kinds of spans by their numbers in `@opentelemetry/api`. */
export const SPAN_KINDS = { internal: 0, server: 1, client: 2, producer: 3, consumer: 4 } as const;
export type SpanKind = keyof typeof SPAN_KINDS;

/** A position that a span refers to: its parent, or the end of a link. */
export interface SpanRef {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether another service made it. */
  readonly isRemote: boolean;
  /** The value of `tracestate`; `null` for none. */
  readonly state: string | null;
}

/** A finished span. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** `null` for the root of a trace. */
  readonly parent: SpanRef | null;
  readonly state: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970, with fractions. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly attributes: Attributes;
  /** Whether the status is an error; `error.type` says which. */
  readonly isError: boolean;
  readonly links?: readonly (SpanRef & { readonly attributes?: Attributes })[];
}
