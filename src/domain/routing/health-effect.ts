import type { Failure } from '../failure/failure.ts';

/**
 * What a failed attempt does to the channel (docs/routing.md): nothing; it counts in the window of its model; its model rests, or
 * all of its models do, for as long as the upstream says; it counts, and may be for the credentials, which has to be found out;
 * the channel is out of use until an operator acts.
 */
export type HealthEffect = 'none' | 'failure' | 'rest' | 'rest-channel' | 'suspicion' | 'block';

/**
 * What a failed attempt says about the channel. Only an upstream's own failures do: the client's mistakes, its leaving, what only
 * the gateway could not carry and the gateway's own troubles say nothing.
 */
export function healthEffectOf({ side, kind, code, details }: Failure): HealthEffect {
  if (side !== 'upstream') return 'none';
  if (kind === 'upstream_auth') return 'block';
  if (kind === 'forbidden') return 'suspicion';
  if (kind === 'upstream_quota') return 'rest-channel';
  return code === 'rate_limit_exceeded' || details.retryAfterMs !== undefined ? 'rest' : 'failure';
}
