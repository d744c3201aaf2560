import { orderTargets, type Strategy, scoreOf, weightOf } from '../../domain/routing/order.ts';
import type { Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { ModelHealth } from '../health/channel-health.ts';
import { hasSeveralKeys, keyedWeights } from './keyed-weights.ts';

export interface PlanInput<T extends Target> {
  readonly ways: Ways<T>;
  readonly accountId: string;
  readonly strategy: Strategy;
  readonly stream: boolean;
  readonly affinity: ((target: T) => number) | null;
  readonly nowMs: number;
  readonly random: () => number;
}

/** Returns the targets that may be tried now, best first (docs/routing.md); none while all are in cooldown. */
export function plan<T extends Target>(input: PlanInput<T>): readonly T[] {
  const { targets } = input.ways;
  for (const { health } of targets) {
    if (!health.admits(input.accountId, input.nowMs)) return ordered(input, usableOf(input));
  }
  return ordered(input, targets);
}

function usableOf<T extends Target>({ ways, accountId, nowMs }: PlanInput<T>): readonly T[] {
  return ways.targets.filter(({ health }) => health.admits(accountId, nowMs));
}

function ordered<T extends Target>(input: PlanInput<T>, usable: readonly T[]): readonly T[] {
  return usable.length < 2 ? usable : orderedSeveral(input, usable);
}

function orderedSeveral<T extends Target>(input: PlanInput<T>, usable: readonly T[]): readonly T[] {
  const { ways, strategy, affinity, random } = input;
  return orderTargets(usable, {
    strategy,
    rotation: ways.rotation,
    random,
    affinity,
    keyOf: ({ place }) => place,
    weightOf: hasSeveralKeys(usable) ? keyedWeights(usable) : weightOf,
    ...measuresOf(input),
  });
}

/** Returns the value by which the strategy compares a target; `null` if it compares none, or if the value is unknown. */
export function strategyScore<T extends Target>(
  input: MeasuredBy<T> & Pick<PlanInput<T>, 'strategy'>,
  target: Target,
): number | bigint | null {
  const { strategy } = input;
  if (strategy === 'weighted') return null;
  const score = scoreOf(target, target.weight, { strategy, ...measuresOf(input) });
  return score === Number.POSITIVE_INFINITY || score === -1 ? null : score;
}

type MeasuredBy<T extends Target> = Pick<PlanInput<T>, 'ways' | 'stream' | 'nowMs'>;

/** Returns the measures by which strategies compare targets. */
function measuresOf<T extends Target>({ ways, stream, nowMs }: MeasuredBy<T>) {
  return {
    costOf: ({ channel }: Target) => ways.costs.get(channel.id)?.(nowMs) ?? null,
    firstByteMsOf: ({ health }: Target) => firstByteMs(health, stream, nowMs),
    inFlightOf: ({ health }: Target) => health.channel.inFlight,
  };
}

/**
 * Returns the measured time to the first byte; `null` if it was never measured. While the first request measures it, the channel sorts
 * last, because it may never answer and no other request should wait for it too.
 */
function firstByteMs({ firstByteMs, inFlight }: ModelHealth, stream: boolean, nowMs: number): number | null {
  const measured = firstByteMs[stream ? 'stream' : 'whole'].valueAt(nowMs);
  return measured ?? (inFlight > 0 ? Number.POSITIVE_INFINITY : null);
}
