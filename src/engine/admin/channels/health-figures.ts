import type { ChannelBlock } from '../../../domain/catalog/channel-block.ts';
import { isCredentialsFile } from '../schema/channel-key.ts';
import { isoTime, timeOrNull } from '../view-fields.ts';

export const HEALTH_STATES = ['ready', 'probing', 'resting', 'disabled', 'blocked'] as const;

/** `resting` means that it is tried again at `untilMs`, in milliseconds since 1970; `probing`, that a few requests may try it now. */
export type HealthState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'probing' }
  | { readonly kind: 'resting'; readonly untilMs: number }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'blocked'; readonly block: ChannelBlock };

export interface HealthFigures {
  readonly state: HealthState;
  readonly requests: number;
  readonly failures: number;
  readonly firstByteMs: number | null;
  readonly lastFailure: { readonly kind: string; readonly atMs: number } | null;
}

export function figuresView({ state, requests, failures, firstByteMs, lastFailure }: HealthFigures) {
  return {
    state: state.kind,
    resting_until: state.kind === 'resting' ? isoTime(state.untilMs) : null,
    requests,
    failures,
    first_byte_ms: firstByteMs === null ? null : Math.round(firstByteMs),
    last_failure: lastFailure?.kind ?? null,
    last_failure_at: timeOrNull(lastFailure?.atMs ?? null),
  };
}

/** Shorter keys show no characters at all. */
const SHOWN_OF_LENGTH = 20;

export function keyPreview(apiKey: string | null): string | null {
  if (apiKey === null) return null;
  // The end of a credentials file is meaningless, or part of a secret.
  if (isCredentialsFile(apiKey)) return '{…}';
  return apiKey.length < SHOWN_OF_LENGTH ? '…' : `…${apiKey.slice(-4)}`;
}
