import type { Clock } from '../engine/ports/clock.ts';
import { ProbeTokens } from '../transports/ops/probe-tokens.ts';
import { derivedKey } from './system.ts';

/** Returns the tokens of `switchyard doctor`: the same for all processes that have the master secret. */
export function probeTokens(secret: string, clock: Pick<Clock, 'nowMs'>): ProbeTokens {
  return new ProbeTokens(derivedKey(secret, 'doctor'), clock);
}
