import type { Clock } from '../engine/ports/clock.ts';
import type { RateCounters } from '../engine/ports/rate-counters.ts';
import { AnonymousBound } from '../transports/inference/anonymous-bound.ts';
import type { ClientAddresses } from '../transports/inference/client-address.ts';
import { CallerLimits } from '../transports/management/caller-limits.ts';
import { RequestsInFlight } from '../transports/shared/requests-in-flight.ts';

export interface BoundsOptions {
  readonly clock: Clock;
  readonly counters: RateCounters;
  readonly addresses: ClientAddresses;
  readonly newRequestId: () => string;
  readonly managementRequestsPerMinute: number;
  readonly anonymousRequestsPerMinute: number;
  readonly anonymousRequestsInFlight: number;
}

/** Bounds for requests that do not count against an account. */
export interface Bounds {
  /** The limits of the management API. */
  readonly callerLimits: CallerLimits;
  /** The bound of everything else that needs no key. */
  readonly open: AnonymousBound;
  /** Forgets finished requests. To be called once a second. */
  look(): void;
}

export function createBounds(options: BoundsOptions): Bounds {
  const { clock, counters, addresses, newRequestId } = options;
  const inFlight = new RequestsInFlight(options.anonymousRequestsInFlight);
  const callerLimits = new CallerLimits({
    ...{ clock, counters, anonymousInFlight: inFlight },
    perMinute: options.managementRequestsPerMinute,
    anonymousPerMinute: options.anonymousRequestsPerMinute,
  });
  return {
    callerLimits,
    open: new AnonymousBound({ inFlight, addresses, newRequestId }),
    look: () => {
      inFlight.look();
      callerLimits.look();
    },
  };
}
