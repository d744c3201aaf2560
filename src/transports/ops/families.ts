import { Histogram } from '../../domain/metrics/histogram.ts';
import type { Exemplar, FamilySnapshot, HistogramPoint, Labels, NumberPoint } from '../../domain/metrics/snapshot.ts';
import { definitionOf, type LabelsOf, type MetricName, type NameOf } from './catalogue/catalogue.ts';
import type { Family, MetricRegistry } from './metric-registry.ts';

/** The value of every label of the series that counts what no further series is made for. */
export const OVERFLOW = '__overflow__';
const MOST_SERIES = 1_000;
/** A histogram has one series per bucket. */
const MOST_HISTOGRAMS = 200;

/**
 * Counters and histograms whose hot path is a few additions. Finding a series by its labels costs a microsecond, so callers keep the
 * children.
 */
export class Counter {
  value = 0;
  exemplar: Exemplar | null = null;

  add(amount: number): void {
    this.value += amount;
  }

  /** Adds a whole amount of money or bytes, which is exact up to 2^53 per series; a counter may round beyond that. */
  addWhole(amount: bigint): void {
    this.value += Number(amount);
  }

  /** Counts one event of a request with a trace; `null` if it has none. */
  addTraced(traceId: string | null, atMs: number): void {
    this.value++;
    if (traceId !== null) this.exemplar = { traceId, value: 1, atMs };
  }
}

export interface CounterOptions {
  /**
   * The unit of the counter as a multiple of what is counted: 1e9 for a counter in USD of which whole nano-USD are added, which keeps sums
   * exact. Default 1.
   */
  readonly per?: number;
}

export class CounterFamily<Name extends NameOf<'counter'>> implements Family {
  private readonly children: Children<Counter>;
  private readonly per: number;

  constructor(
    registry: MetricRegistry,
    readonly name: Name,
    { per = 1 }: CounterOptions = {},
  ) {
    this.per = per;
    this.children = new Children(registry, name, MOST_SERIES, () => new Counter());
    registry.register(this);
  }

  labels(labels: LabelsOf<Name>): Counter {
    return this.children.of(labels);
  }

  snapshot(): FamilySnapshot {
    const points = this.children.all.map(
      ({ labels, child }): NumberPoint => ({
        labels,
        value: child.value / this.per,
        ...(child.exemplar !== null && { exemplar: child.exemplar }),
      }),
    );
    return { ...factsOf(this.name), type: 'counter', isSummed: true, points };
  }
}

export class HistogramFamily<Name extends NameOf<'histogram'>> implements Family {
  private readonly children: Children<Histogram>;
  private readonly bounds: readonly number[];

  constructor(
    registry: MetricRegistry,
    readonly name: Name,
  ) {
    this.bounds = definitionOf(name).bounds ?? [];
    this.children = new Children(registry, name, MOST_HISTOGRAMS, () => new Histogram(this.bounds));
    registry.register(this);
  }

  labels(labels: LabelsOf<Name>): Histogram {
    return this.children.of(labels);
  }

  snapshot(): FamilySnapshot {
    const points = this.children.all.map(({ labels, child }) => pointOf(labels, child));
    return { ...factsOf(this.name), type: 'histogram', bounds: this.bounds, points };
  }
}

function pointOf(labels: Labels, { counts, sum, exemplars }: Histogram): HistogramPoint {
  return { labels, counts: [...counts], sum, ...(exemplars !== null && { exemplars: [...exemplars] }) };
}

/** A value at the time of a scrape. */
export interface Reading<Name extends MetricName> {
  readonly labels: LabelsOf<Name>;
  readonly value: number;
}

export interface ReadOptions {
  /** The series that stay if there are too many: those that an alert is about. Default: the first ones. */
  readonly keeps?: 'highest' | 'lowest';
}

/** Returns a reader whose concurrent calls share one read, for families that have the same source. */
export function sharedRead<Read>(read: () => Promise<Read>): () => Promise<Read> {
  let reading: Promise<Read> | null = null;
  return () => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
}

/**
 * A gauge, or a counter that its source maintains, without state: it is read at each scrape, so series disappear when the source drops
 * them. A source that fails has no series at this scrape.
 */
export class ReadFamily<Name extends NameOf<'gauge'> | NameOf<'counter'>> implements Family {
  constructor(
    private readonly registry: MetricRegistry,
    readonly name: Name,
    private readonly read: () => Iterable<Reading<Name>> | Promise<Iterable<Reading<Name>>>,
    private readonly options: ReadOptions = {},
  ) {
    registry.register(this);
  }

  snapshot(): FamilySnapshot | null | Promise<FamilySnapshot | null> {
    try {
      const readings = this.read();
      if (!(readings instanceof Promise)) return this.snapshotOf(readings);
      return readings.then((read) => this.snapshotOf(read)).catch(() => null);
    } catch {
      return null;
    }
  }

  /** Takes the last reading per label set, since Prometheus rejects a whole scrape that contains a duplicate series. */
  private snapshotOf(readings: Iterable<Reading<Name>>): FamilySnapshot {
    const byLabels = new Map<string, NumberPoint>();
    for (const reading of readings) byLabels.set(JSON.stringify(reading.labels), reading);
    const { type, isSummed } = definitionOf(this.name);
    const points = this.limited([...byLabels.values()]);
    if (type === 'counter') return { ...factsOf(this.name), type, isSummed: true, points };
    return { ...factsOf(this.name), type: 'gauge', isSummed: isSummed === true, points };
  }

  private limited(points: NumberPoint[]): readonly NumberPoint[] {
    if (points.length <= MOST_SERIES) return points;
    this.registry.overflowed(this.name, points.length - MOST_SERIES);
    const { keeps } = this.options;
    const sign = keeps === 'highest' ? -1 : 1;
    if (keeps !== undefined) points.sort((one, other) => sign * (one.value - other.value));
    return points.slice(0, MOST_SERIES);
  }
}

/** A histogram that its source maintains. */
export class ReadHistograms<Name extends NameOf<'histogram'>> implements Family {
  constructor(
    registry: MetricRegistry,
    readonly name: Name,
    private readonly read: () => Iterable<{ readonly labels: LabelsOf<Name>; readonly histogram: Histogram }>,
  ) {
    registry.register(this);
  }

  snapshot(): FamilySnapshot {
    const points = [...this.read()].map(({ labels, histogram }) => pointOf(labels, histogram));
    return { ...factsOf(this.name), type: 'histogram', bounds: definitionOf(this.name).bounds ?? [], points };
  }
}

function factsOf(name: MetricName) {
  const { help, otel } = definitionOf(name);
  return { name, help: help.replaceAll('`', ''), ...(otel !== undefined && { otel }) };
}

/** The children of a family by their labels, of which there is a maximum. */
class Children<Child> {
  private readonly children = new Map<string, { readonly labels: Labels; readonly child: Child }>();
  private overflow: { readonly labels: Labels; readonly child: Child } | null = null;

  constructor(
    private readonly registry: MetricRegistry,
    private readonly name: MetricName,
    private readonly most: number,
    private readonly make: () => Child,
  ) {}

  get all(): readonly { readonly labels: Labels; readonly child: Child }[] {
    const all = [...this.children.values()];
    return this.overflow === null ? all : [...all, this.overflow];
  }

  of(labels: Labels): Child {
    const key = JSON.stringify(labels);
    const known = this.children.get(key);
    if (known !== undefined) return known.child;
    if (this.children.size >= this.most) return this.overflowOf(labels);
    const child = this.make();
    this.children.set(key, { labels, child });
    return child;
  }

  private overflowOf(labels: Labels): Child {
    this.registry.overflowed(this.name);
    this.overflow ??= {
      labels: Object.fromEntries(Object.keys(labels).map((label) => [label, OVERFLOW])),
      child: this.make(),
    };
    return this.overflow.child;
  }
}
