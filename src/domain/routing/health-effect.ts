import type { Failure } from '../failure/failure.ts';

/**
 * The effect of a failed attempt on the channel (docs/routing.md): none; it counts in its model's window; the model rests for as
 * long as the upstream asks; it counts, and the provider refuses the credentials, or possibly does, which has to be verified.
 */
export type HealthEffect = 'none' | 'failure' | 'rest' | 'suspicion' | 'refusal';

/**
 * Returns what a failed attempt shows about the channel. Only an upstream's own failures count: not the client's mistakes or
 * disconnection, nor anything that only the gateway could not carry, nor its own problems.
 */
export function healthEffectOf({ side, kind, code, details }: Failure): HealthEffect {
  if (side !== 'upstream') return 'none';
  if (kind === 'upstream_auth') return 'refusal';
  if (kind === 'forbidden') return 'suspicion';
  return code === 'rate_limit_exceeded' || kind === 'upstream_quota' || details.retryAfterMs !== undefined
    ? 'rest'
    : 'failure';
}
