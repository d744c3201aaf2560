import type { HealthFigures, HealthState, ListedChannel } from '../../../engine/admin/channels/read-channels.ts';
import { roundDuration } from '../time.ts';

/** A provider's refusal may be long; the JSON output has the whole text. */
const SHOWN_REASON_CHARACTERS = 100;

/** Formats a channel's state: `resting 12 s (2 of 5 models)`. */
export function channelState({ state, affectedModels, models }: ListedChannel, nowMs: number): string {
  if (state.kind === 'blocked') {
    const { reason } = state.block;
    const cut = reason.length > SHOWN_REASON_CHARACTERS;
    return `blocked: ${cut ? `${reason.slice(0, SHOWN_REASON_CHARACTERS).toWellFormed()}…` : reason}`;
  }
  const words = formatState(state, nowMs);
  return affectedModels === models.length ? words : `${words} (${affectedModels} of ${models.length} models)`;
}

/** Formats a model's state: `resting 12 s`. */
export function formatState(state: HealthState, nowMs: number): string {
  return state.kind === 'resting' ? `resting ${roundDuration(state.untilMs - nowMs)}` : state.kind;
}

/** Returns table cells: requests, failures, first byte, last failure. */
export function formatFigures(figures: HealthFigures, nowMs: number): readonly string[] {
  const { requests, failures, firstByteMs, lastFailure } = figures;
  return [
    String(requests),
    String(failures),
    firstByteMs === null ? '-' : `${Math.round(firstByteMs)} ms`,
    lastFailure === null ? '-' : `${lastFailure.kind} ${roundDuration(nowMs - lastFailure.atMs)} ago`,
  ];
}
