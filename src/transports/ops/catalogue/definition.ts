import type { OtelNames } from '../../../domain/metrics/snapshot.ts';

/** The definition of one family of metrics. The name is its key in the catalogue. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** The names of its labels, in the order in which they are written. */
  readonly labels: readonly string[];
  /** The meaning, as the help text of the exposition and in docs/metrics.md. Backticks mark label values. */
  readonly help: string;
  /**
   * Only for gauges: whether the values of several processes add up to a value of the whole gateway, as with requests in flight. Otherwise
   * each process has a series of its own.
   */
  readonly isSummed?: true;
  /** Only for histograms: the upper bounds of the buckets, without infinity. */
  readonly bounds?: readonly number[];
  /** The names of the OpenTelemetry conventions, if they define this metric. */
  readonly otel?: OtelNames;
}

/** One section of docs/metrics.md. */
export interface MetricSection {
  readonly title: string;
  /** Prose in Markdown. */
  readonly about?: string;
  readonly families: Readonly<Record<string, MetricDefinition>>;
}
