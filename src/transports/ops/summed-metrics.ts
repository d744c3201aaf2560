import { mapInSlices, type Slices } from '../../domain/concurrency/slices.ts';
import type { Exemplar, FamilySnapshot, HistogramPoint, Labels, NumberPoint } from '../../domain/metrics/snapshot.ts';

/** The metrics of one of several processes. */
export interface ProcessMetrics {
  readonly worker: number;
  readonly families: readonly FamilySnapshot[];
}

/**
 * Merges the metrics of all processes: counters, histograms and summed gauges are added up. Any other gauge may have the same value in all
 * processes (open tasks) or be meaningless as a sum (a breaker's state), so it gets a `worker` label; while a process drains and another
 * has its number, the later one of the list counts. Exemplars are the latest ones. Thousands of series take several slices.
 */
export async function summedMetrics(
  processes: readonly ProcessMetrics[],
  slices: Slices,
): Promise<readonly FamilySnapshot[]> {
  const summed = await mapInSlices(byName(processes), slices, merged);
  return summed.filter((family) => family !== null);
}

/** Does the same at once. */
export function summedAtOnce(processes: readonly ProcessMetrics[]): readonly FamilySnapshot[] {
  return byName(processes)
    .map(merged)
    .filter((family) => family !== null);
}

function byName(processes: readonly ProcessMetrics[]): readonly (readonly WorkersFamily[])[] {
  const each = processes.flatMap(({ worker, families }) => families.map((family) => ({ worker, family })));
  return [...Map.groupBy(each, ({ family }) => family.name).values()];
}

interface WorkersFamily {
  readonly worker: number;
  readonly family: FamilySnapshot;
}

function merged(each: readonly WorkersFamily[]): FamilySnapshot | null {
  const first = each[0]?.family;
  if (first === undefined) return null;
  if (first.type === 'histogram') {
    const points = each.flatMap(({ family }) => (hasBoundsOf(family, first.bounds) ? family.points : []));
    return { ...first, points: joined(points, addHistograms) };
  }
  const numbers = each.flatMap(({ worker, family }) =>
    family.type === 'histogram'
      ? []
      : family.points.map((point) =>
          first.isSummed ? point : { ...point, labels: { ...point.labels, worker: String(worker) } },
        ),
  );
  return { ...first, points: joined(numbers, first.isSummed ? addNumbers : (_older, newer) => newer) };
}

type HistogramFamily = Extract<FamilySnapshot, { readonly type: 'histogram' }>;

/** Processes of two versions may have other buckets for a moment, during an upgrade. */
function hasBoundsOf(family: FamilySnapshot, bounds: readonly number[]): family is HistogramFamily {
  return (
    family.type === 'histogram' &&
    family.bounds.length === bounds.length &&
    family.bounds.every((bound, index) => bound === bounds[index])
  );
}

function joined<Point extends { readonly labels: Labels }>(
  points: readonly Point[],
  add: (one: Point, other: Point) => Point,
): readonly Point[] {
  const byLabels = new Map<string, Point>();
  for (const point of points) {
    const key = JSON.stringify(Object.entries(point.labels).sort());
    const known = byLabels.get(key);
    byLabels.set(key, known === undefined ? point : add(known, point));
  }
  return [...byLabels.values()];
}

function addNumbers(one: NumberPoint, other: NumberPoint): NumberPoint {
  const exemplar = latest(one.exemplar ?? null, other.exemplar ?? null);
  return { labels: one.labels, value: one.value + other.value, ...(exemplar !== null && { exemplar }) };
}

function addHistograms(one: HistogramPoint, other: HistogramPoint): HistogramPoint {
  const counts = one.counts.map((count, index) => count + (other.counts[index] ?? 0));
  const sum = one.sum + other.sum;
  if (one.exemplars === undefined && other.exemplars === undefined) return { labels: one.labels, counts, sum };
  const exemplars = counts.map((_, index) => latest(one.exemplars?.[index] ?? null, other.exemplars?.[index] ?? null));
  return { labels: one.labels, counts, sum, exemplars };
}

function latest(one: Exemplar | null, other: Exemplar | null): Exemplar | null {
  if (one === null || other === null) return one ?? other;
  return one.atMs >= other.atMs ? one : other;
}
