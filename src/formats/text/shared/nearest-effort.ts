import { EFFORTS, type Effort } from '../../../domain/exchange/request.ts';

/** The model decides how much to think: the only effort besides `none` on models that have it. */
const FREE = 'default';

const RISING: readonly string[] = EFFORTS;

/**
 * Returns the effort nearest to the wanted one among those that a model accepts. If two are equally near, it is the higher one:
 * too much thinking is a smaller loss than too little or none.
 */
export function nearestEffort<Value extends string>(wanted: Effort, values: readonly Value[]): Value | Effort {
  const free = values.find((value) => value === FREE);
  if (free !== undefined && wanted !== 'none') return free;
  const rank = RISING.indexOf(wanted);
  let nearest: Value | Effort = wanted;
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) {
    const steps = RISING.indexOf(value) - rank;
    const distance = steps > 0 ? steps - 0.5 : -steps;
    if (distance >= least) continue;
    nearest = value;
    least = distance;
  }
  return nearest;
}
