/** What the order of targets depends on. */
export interface Weighted {
  /** Lower is tried first. */
  readonly priority: number;
  /** Share of the traffic among targets of one priority; 0 is used only when nothing else is left. */
  readonly weight: number;
  /** The account's own channels come before the platform's. */
  readonly isPrivate: boolean;
}

/**
 * The order in which targets are tried: private ones first, then by priority, within a priority drawn by weight.
 * `random` yields numbers in [0, 1) and makes the draw reproducible in tests.
 */
export function orderTargets<Target extends Weighted>(
  targets: readonly Target[],
  random: () => number,
): readonly Target[] {
  if (targets.length < 2) return targets;
  return targets
    .map((target) => ({ target, key: drawKey(target.weight, random()) }))
    .sort((left, right) => compareRank(left.target, right.target) || right.key - left.key)
    .map(({ target }) => target);
}

function compareRank(left: Weighted, right: Weighted): number {
  if (left.isPrivate !== right.isPrivate) return left.isPrivate ? -1 : 1;
  return left.priority - right.priority;
}

/** Efraimidis and Spirakis: sorting by u^(1/w) draws without replacement in proportion to the weights. */
function drawKey(weight: number, uniform: number): number {
  return weight > 0 ? uniform ** (1 / weight) : -1;
}
