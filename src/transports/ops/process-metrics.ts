import { type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client';
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js';
import gc from 'prom-client/lib/metrics/gc.js';
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js';
import processCpuTotal from 'prom-client/lib/metrics/processCpuTotal.js';
import processHandles from 'prom-client/lib/metrics/processHandles.js';
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import processRequests from 'prom-client/lib/metrics/processRequests.js';
import processResources from 'prom-client/lib/metrics/processResources.js';
import processStartTime from 'prom-client/lib/metrics/processStartTime.js';
import version from 'prom-client/lib/metrics/version.js';
import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import type { Family, MetricRegistry } from './metric-registry.ts';

/**
 * All default metrics of prom-client but the sizes of heap spaces: to compute these, Bun walks the whole heap, at a start (15 to 20 ms of CPU)
 * and in every scrape (80 to 130 ms at 300 MB, which blocks all requests), and it knows only one of V8's spaces.
 */
const COLLECTED = [
  ...[processCpuTotal, processStartTime, osMemoryHeap, processOpenFileDescriptors, processMaxFileDescriptors],
  ...[eventLoopLag, processResources, processHandles, processRequests, heapSizeAndUsed, version, gc],
];
/** How often the event loop's delay is measured, which is prom-client's default. */
const CONFIGURATION = { eventLoopMonitoringPrecision: 10 };
/** Omitted: gauges with the suffix of counters, the sums of `nodejs_active_resources` and its likes. */
const MISNAMED = ['resources', 'handles', 'requests'].map((what) => `nodejs_active_${what}_total`);

let ofProcess: Registry | null = null;

/** Registers CPU, memory, event loop and garbage collection of this process, which are the same in every registry. */
export function processMetrics(registry: MetricRegistry): void {
  if (ofProcess === null) {
    ofProcess = new Registry();
    for (const collect of COLLECTED) collect(ofProcess, CONFIGURATION);
  }
  for (const metric of ofProcess.getMetricsAsArray()) {
    const { name } = metric;
    // prom-client's types omit the method of every metric that its registry calls.
    const read = metric as unknown as { get(): Promise<MetricObjectWithValues<MetricValue<string>>> };
    if (!MISNAMED.includes(name)) registry.register(familyOf(name, () => read.get()));
  }
}

function familyOf(name: string, get: () => Promise<MetricObjectWithValues<MetricValue<string>>>): Family {
  return {
    name,
    snapshot: async () => snapshotOf(await get()),
  };
}

type Read = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

/** prom-client's type is an enumeration in its declarations and a word at run time. */
function snapshotOf({ name, help, type, values }: Read): FamilySnapshot | null {
  const kind = String(type);
  if (kind === 'histogram') return histogramOf({ name, help }, values);
  const points = values.map(({ labels, value }) => ({ labels: textsOf(labels), value }));
  if (kind === 'counter') return { name, help, type: 'counter', isSummed: true, points };
  return { name, help, type: 'gauge', isSummed: false, points };
}

/** prom-client accumulates its buckets. */
function histogramOf(facts: { readonly name: string; readonly help: string }, values: Read['values']): FamilySnapshot {
  const points = new Map<string, { labels: Record<string, string>; below: Map<number, number>; sum: number }>();
  for (const { labels, value, metricName } of values) {
    const { le, ...others } = textsOf(labels);
    const key = JSON.stringify(others);
    const point = points.get(key) ?? { labels: others, below: new Map(), sum: 0 };
    points.set(key, point);
    if (metricName === `${facts.name}_bucket`) point.below.set(Number(le?.replace('+Inf', 'Infinity')), value);
    else if (metricName === `${facts.name}_sum`) point.sum = value;
  }
  const bounds = [...new Set([...points.values()].flatMap(({ below }) => [...below.keys()]))]
    .filter(Number.isFinite)
    .sort((a, b) => a - b);
  return {
    ...facts,
    type: 'histogram',
    bounds,
    points: [...points.values()].map(({ labels, below, sum }) => {
      const accumulated = [...bounds, Number.POSITIVE_INFINITY].map((bound) => below.get(bound) ?? 0);
      return { labels, sum, counts: accumulated.map((count, index) => count - (accumulated[index - 1] ?? 0)) };
    }),
  };
}

function textsOf(labels: object): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)]));
}
