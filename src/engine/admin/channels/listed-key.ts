import type { UpstreamKey } from '../../../domain/catalog/upstream-key.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { spendCapFields } from '../schema/upstream-keys.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';
import { figuresView, type HealthFigures, type HealthState, keyPreview } from './health-figures.ts';

export const KEY_STATES = ['ready', 'probing', 'resting', 'capped', 'disabled', 'blocked'] as const;

/** One of several upstream keys with its learned health and what was spent with it. */
export interface ListedKey extends HealthFigures {
  readonly key: UpstreamKey;
  /** In the current period of its cap, or in all without a cap. */
  readonly spentNanoUsd: bigint;
  /** When the period of its cap ends, in milliseconds since 1970; `null` without a cap, or for one on the total. */
  readonly resetsAtMs: number | null;
  /** Whether as much was spent as its cap allows. */
  readonly isCapped: boolean;
}

/** Returns the state of a key in one word. */
export function keyStateOf({ state, isCapped }: Pick<ListedKey, 'state' | 'isCapped'>): (typeof KEY_STATES)[number] {
  return isCapped && state.kind !== 'blocked' && state.kind !== 'disabled' ? 'capped' : state.kind;
}

/** Returns a key as JSON. Only the end of the credential is shown. */
export function keyView(listed: ListedKey) {
  const { name, key, weight, enabled, spendCap, block, resetAtMs } = listed.key;
  return {
    name,
    key_preview: keyPreview(key),
    weight,
    enabled,
    spend_cap: spendCap === null ? null : spendCapFields(spendCap),
    spent_usd: formatNanoUsd(listed.spentNanoUsd),
    resets_at: timeOrNull(listed.resetsAtMs),
    ...figuresView(listed),
    state: keyStateOf(listed),
    block: block === null ? null : { at: isoTime(block.atMs), reason: block.reason },
    reset_at: timeOrNull(resetAtMs),
  };
}

/** Returns the best state of several keys: a request goes to the key that has it. Of several that rest, the first to be back counts. */
export function bestOf(states: readonly HealthState[]): HealthState {
  let best: HealthState = { kind: 'disabled' };
  for (const state of states) {
    const isEarlier = state.kind === 'resting' && best.kind === 'resting' && state.untilMs < best.untilMs;
    if (isEarlier || GOODNESS[state.kind] > GOODNESS[best.kind]) best = state;
  }
  return best;
}

const GOODNESS: Readonly<Record<HealthState['kind'], number>> = {
  disabled: 0,
  blocked: 1,
  resting: 2,
  probing: 3,
  ready: 4,
};
