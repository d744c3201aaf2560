import type { Failure } from '../failure/failure.ts';

/**
 * What a failed attempt does to the channel (docs/routing.md): nothing; it counts in the window of its model; its model rests for
 * as long as the upstream says; it counts, and the provider refuses the credentials, or may do so, which has to be found out.
 */
export type HealthEffect = 'none' | 'failure' | 'rest' | 'suspicion' | 'refusal';

/**
 * What a failed attempt says about the channel. Only an upstream's own failures do: the client's mistakes, its leaving, what only
 * the gateway could not carry and the gateway's own troubles say nothing.
 */
export function healthEffectOf({ side, kind, code, details }: Failure): HealthEffect {
  if (side !== 'upstream') return 'none';
  if (kind === 'upstream_auth') return 'refusal';
  if (kind === 'forbidden') return 'suspicion';
  return code === 'rate_limit_exceeded' || kind === 'upstream_quota' || details.retryAfterMs !== undefined
    ? 'rest'
    : 'failure';
}
