import type { SmoothRotation } from './smooth-rotation.ts';

/** How the next channel is chosen among those of the same priority (docs/routing.md). */
export const STRATEGIES = ['weighted', 'lowest-cost', 'lowest-latency', 'least-busy'] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** The properties of a target that determine the order. */
export interface Weighted {
  /** Lower is tried first. */
  readonly priority: number;
  /** The share of the traffic among targets of one priority; 0 is used only if nothing else of that priority is left. */
  readonly weight: number;
  /** Whether it is one of the account's own channels, which come before the platform's. */
  readonly isPrivate: boolean;
}

/** Further values by which targets are compared. */
export interface Ranking<Target extends Weighted> {
  readonly strategy: Strategy;
  /** The public model's rotation. */
  readonly rotation: SmoothRotation;
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
  /** Returns a number, lower first; all targets without affinity have the same, highest number. */
  readonly affinity: ((target: Target) => number) | null;
  readonly keyOf: (target: Target) => string;
  /** Returns the share among the targets of one priority, usually the target's own `weight`. */
  readonly weightOf: (target: Target) => number;
  /** Returns the cost; unknown ones come last. */
  readonly costOf: (target: Target) => bigint | null;
  /** Returns the time to the first byte; targets without measurements come first, so that they get measured. */
  readonly firstByteMsOf: (target: Target) => number | null;
  readonly inFlightOf: (target: Target) => number;
}

interface Place<Target> {
  readonly target: Target;
  readonly affinity: number;
  readonly weight: number;
  /** The strategy's score; lower first. */
  readonly score: number | bigint;
  /** The random draw; greater first. */
  readonly draw: number;
}

/**
 * Returns the order in which targets are tried: by affinity, private ones first, by priority, then by the strategy. The first
 * among equals takes its turn in the rotation, which keeps the traffic split exact; the others are drawn by weight, so that all
 * of them share the load of a failed target. A request with affinity takes no turn.
 */
export function orderTargets<Target extends Weighted>(
  usable: readonly Target[],
  ranking: Ranking<Target>,
): readonly Target[] {
  if (usable.length < 2) return usable;
  const places = usable.map((target) => placeOf(target, ranking)).sort(comparePlaces);
  const ordered = places.map(({ target }) => target);
  const equals = countEqualsOfHead(places);
  if (equals > 1 && !isAffine(places)) {
    const head = ranking.rotation.choose(ordered.slice(0, equals), ranking.keyOf, ranking.weightOf);
    const at = ordered.indexOf(head);
    ordered.copyWithin(1, 0, at);
    ordered[0] = head;
  }
  return ordered;
}

function placeOf<Target extends Weighted>(target: Target, ranking: Ranking<Target>): Place<Target> {
  const weight = ranking.weightOf(target);
  return {
    target,
    weight,
    affinity: ranking.affinity === null ? 0 : ranking.affinity(target),
    score: scoreOf(target, weight, ranking),
    draw: drawKey(weight, ranking.random()),
  };
}

/** Returns the value by which the strategy compares a target; lower comes first. */
export function scoreOf<Target extends Weighted>(
  target: Target,
  weight: number,
  ranking: Pick<Ranking<Target>, 'strategy' | 'costOf' | 'firstByteMsOf' | 'inFlightOf'>,
): number | bigint {
  switch (ranking.strategy) {
    case 'weighted':
      return 0;
    case 'lowest-cost':
      return ranking.costOf(target) ?? Number.POSITIVE_INFINITY;
    case 'lowest-latency':
      return ranking.firstByteMsOf(target) ?? -1;
    case 'least-busy':
      return ranking.inFlightOf(target) / (weight || 1);
  }
}

function comparePlaces<Target extends Weighted>(left: Place<Target>, right: Place<Target>): number {
  return compareRank(left, right) || compare(right.draw, left.draw);
}

function compareRank<Target extends Weighted>(left: Place<Target>, right: Place<Target>): number {
  return (
    compare(left.affinity, right.affinity) ||
    Number(right.target.isPrivate) - Number(left.target.isPrivate) ||
    compare(left.target.priority, right.target.priority) ||
    Number(left.weight === 0) - Number(right.weight === 0) ||
    compare(left.score, right.score)
  );
}

function compare(left: number | bigint, right: number | bigint): number {
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

function countEqualsOfHead<Target extends Weighted>(places: readonly Place<Target>[]): number {
  const [head] = places;
  let count = 0;
  for (const place of places) {
    if (head === undefined || compareRank(head, place) !== 0) break;
    count++;
  }
  return count;
}

/** Returns whether affinity puts the first target before others: the places, sorted by affinity, are not all the same. */
function isAffine<Target>(places: readonly Place<Target>[]): boolean {
  return places[0]?.affinity !== places.at(-1)?.affinity;
}

/** Returns the weight of a target of its own. */
export function weightOf({ weight }: Weighted): number {
  return weight;
}

/**
 * Implements Efraimidis and Spirakis: sorting by u^(1/w), here its logarithm, draws without replacement in proportion to the
 * weights.
 */
function drawKey(weight: number, uniform: number): number {
  return Math.log(uniform) / (weight || 1);
}
