import type { BreakerState } from '../../domain/routing/circuit-breaker.ts';
import { type ChannelFigures, type KeyFigures, RUNNING_CHANNEL_STATES } from '../ports/health-store.ts';
import type { ChannelHealth, ModelHealth } from './channel-health.ts';

/** The state of one upstream key. */
type OwnFigures = Omit<ChannelFigures, 'keys'>;

/**
 * Returns the state of a channel over all models. One with several keys has the state of its best key, since that one answers.
 *
 * @param keys the health of each of its keys in use; at least one
 */
export function channelFigures(keys: readonly ChannelHealth[], nowMs: number): ChannelFigures | null {
  const figures = keys.map((key) => figuresOf(key, nowMs));
  const [first, ...others] = figures;
  if (first === undefined) return null;
  if (keys[0]?.spending == null) return first;
  const best = others.reduce((found, other) => (isBetter(other, found) ? other : found), first);
  return {
    ...best,
    inFlight: sum(figures.map(({ inFlight }) => inFlight)),
    requests: sum(figures.map(({ requests }) => requests)),
    failures: sum(figures.map(({ failures }) => failures)),
    firstByteMs: meanFirstByteMs(
      keys.flatMap(({ models }) => [...models]),
      nowMs,
    ),
    keys: keys.map((key) => keyFigures(key, nowMs)),
  };
}

function isBetter(one: OwnFigures, other: OwnFigures): boolean {
  return RUNNING_CHANNEL_STATES.indexOf(one.state) > RUNNING_CHANNEL_STATES.indexOf(other.state);
}

function figuresOf(health: ChannelHealth, nowMs: number): OwnFigures {
  const models = [...health.models];
  const stateOf = (model: ModelHealth) => FIGURED_STATES[model.stateAt(nowMs)];
  const worst = RUNNING_CHANNEL_STATES.find((state) => models.some((model) => stateOf(model) === state)) ?? 'ready';
  const isCapped = health.isCapped(nowMs);
  const state = health.block !== null ? 'blocked' : isCapped ? 'resting' : worst;
  const affected = state === 'resting' || state === 'probing' ? models.filter((one) => stateOf(one) === state) : [];
  const latest = affected.reduce<ModelHealth['lastFailure']>(
    (found, { lastFailure }) => ((lastFailure?.atMs ?? -1) > (found?.atMs ?? -1) ? lastFailure : found),
    null,
  );
  return {
    channelId: health.channelId,
    state,
    affectedModels: affected.map(({ upstreamModel }) => upstreamModel),
    reason: health.block?.reason ?? (isCapped ? 'spend_cap' : (latest?.kind ?? null)),
    inFlight: health.inFlight,
    requests: sum(models.map(({ requests }) => requests)),
    failures: sum(models.map(({ failures }) => failures)),
    firstByteMs: meanFirstByteMs(models, nowMs),
  };
}

function keyFigures(health: ChannelHealth, nowMs: number): KeyFigures {
  const { state, reason, inFlight, requests, failures } = figuresOf(health, nowMs);
  const spending = health.spending?.figures() ?? null;
  return {
    name: health.keyName ?? '',
    state: state === 'resting' && health.isCapped(nowMs) ? 'capped' : state,
    ...{ reason, inFlight, requests, failures },
    spentNanoUsd: String(spending?.spentNanoUsd ?? 0n),
    capNanoUsd: spending?.cap == null ? null : String(spending.cap.amountNanoUsd),
    resetsAtMs: spending?.resetsAtMs ?? null,
  };
}

const FIGURED_STATES: Readonly<Record<BreakerState, OwnFigures['state']>> = {
  open: 'resting',
  'half-open': 'probing',
  closed: 'ready',
};

/** Returns the average over the models that have a measurement, weighted by their attempts. */
function meanFirstByteMs(models: readonly ModelHealth[], nowMs: number): number | null {
  const measured = models.flatMap((model) => {
    const value = model.firstByteAt(nowMs);
    return value === null || model.requests === 0 ? [] : [{ value, requests: model.requests }];
  });
  if (measured.length === 0) return null;
  return sum(measured.map(({ value, requests }) => value * requests)) / sum(measured.map(({ requests }) => requests));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
