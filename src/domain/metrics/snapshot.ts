export type Labels = Readonly<Record<string, string>>;

/** An observation of a traced request, which leads from a metric to a trace. */
export interface Exemplar {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  readonly value: number;
  /** When it was observed, in milliseconds since 1970. */
  readonly atMs: number;
}

/** The value of one series of a counter or a gauge. */
export interface NumberPoint {
  readonly labels: Labels;
  readonly value: number;
  readonly exemplar?: Exemplar;
}

/** The state of one series of a histogram. */
export interface HistogramPoint {
  readonly labels: Labels;
  /** The number of observations per bucket, not accumulated; one more than there are bounds, for those above the last. */
  readonly counts: readonly number[];
  readonly sum: number;
  /** The latest traced observation of each bucket; missing if none is traced. */
  readonly exemplars?: readonly (Exemplar | null)[];
}

/** The names of a metric that OpenTelemetry's conventions define. */
export interface OtelNames {
  readonly name: string;
  readonly unit: string;
  /** Attribute names by label. */
  readonly attributes: Readonly<Record<string, string>>;
}

interface FamilyFacts {
  /** The name at `/metrics`. */
  readonly name: string;
  readonly help: string;
  /** Missing if the conventions do not define the metric. */
  readonly otel?: OtelNames;
}

/** The series of a family at one moment. It consists of data only, so that it can be sent to another process. */
export type FamilySnapshot = FamilyFacts &
  (
    | {
        readonly type: 'counter' | 'gauge';
        /** Whether the values of several processes add up; a counter's always do. */
        readonly isSummed: boolean;
        readonly points: readonly NumberPoint[];
      }
    | {
        readonly type: 'histogram';
        /** The upper bounds of all buckets but the last, which has none. */
        readonly bounds: readonly number[];
        readonly points: readonly HistogramPoint[];
      }
  );
