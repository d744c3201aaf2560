import type { Registry } from 'prom-client';

/** The bounds of every duration histogram: from a cached answer to a model that thinks for minutes. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Counters and histograms whose hot path is a few additions. prom-client hashes the labels of every observation, which cost 9 µs per
 * request here, a third of a bare proxy's time; so callers keep the children, and prom-client only renders them at a scrape.
 */
interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): Sample[];
}

export class FastCounter {
  value = 0;

  constructor(readonly labels: Readonly<Record<string, string>>) {}

  add(amount: number): void {
    this.value += amount;
  }
}

export class FastHistogram {
  readonly counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(
    readonly labels: Readonly<Record<string, string>>,
    readonly bounds: readonly number[],
  ) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    counts[index] = (counts[index] ?? 0) + 1;
    this.sum += value;
    this.count++;
  }
}

export class CounterFamily implements Family {
  readonly type = 'counter';
  private readonly children = new Map<string, FastCounter>();

  constructor(
    registry: Registry,
    readonly name: string,
    readonly help: string,
  ) {
    register(registry, this);
  }

  labels(labels: Readonly<Record<string, string>>): FastCounter {
    return childOf(this.children, labels, () => new FastCounter(labels));
  }

  samples(): Sample[] {
    return [...this.children.values()].map(({ labels, value }) => ({ labels, value }));
  }
}

export class HistogramFamily implements Family {
  readonly type = 'histogram';
  private readonly children = new Map<string, FastHistogram>();

  constructor(
    registry: Registry,
    readonly name: string,
    readonly help: string,
    private readonly bounds: readonly number[],
  ) {
    register(registry, this);
  }

  labels(labels: Readonly<Record<string, string>>): FastHistogram {
    return childOf(this.children, labels, () => new FastHistogram(labels, this.bounds));
  }

  samples(): Sample[] {
    return [...this.children.values()].flatMap((child) => this.samplesOf(child));
  }

  private samplesOf({ labels, counts, sum, count }: FastHistogram): Sample[] {
    let below = 0;
    const buckets = [...this.bounds, '+Inf'].map((le, index) => {
      below += counts[index] ?? 0;
      return { metricName: `${this.name}_bucket`, labels: { ...labels, le }, value: below };
    });
    return [
      ...buckets,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}

/** One value of a gauge at the time of a scrape. */
export interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * A gauge (or a counter that its source maintains) without state: it is read at each scrape, so series disappear when the source drops
 * them.
 */
export class GaugeFamily implements Family {
  constructor(
    registry: Registry,
    readonly name: string,
    readonly help: string,
    private readonly read: () => Iterable<Reading>,
    readonly type: 'gauge' | 'counter' = 'gauge',
  ) {
    register(registry, this);
  }

  /** Returns the last reading per label set: Prometheus rejects a whole scrape that contains a duplicate series. */
  samples(): Sample[] {
    const byLabels = new Map<string, Reading>();
    for (const reading of this.read()) byLabels.set(JSON.stringify(reading.labels), reading);
    return [...byLabels.values()];
  }
}

function childOf<Child>(
  children: Map<string, Child>,
  labels: Readonly<Record<string, string>>,
  make: () => Child,
): Child {
  const key = JSON.stringify(labels);
  const known = children.get(key);
  if (known) return known;
  const made = make();
  children.set(key, made);
  return made;
}

/** Registers a family: a registry only uses a metric's name and `get`; the rest of prom-client's class is for recording. */
function register(registry: Registry, family: Family): void {
  const metric = {
    name: family.name,
    get: async () => ({
      name: family.name,
      help: family.help,
      type: family.type,
      aggregator: 'sum',
      values: family.samples(),
    }),
  };
  // The registry's type demands one of prom-client's classes, but its code uses no more than this.
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);
}
