import type { Requester } from '../../domain/access/actor.ts';
import { subscriberOf } from '../../domain/access/network-address.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { MinuteCounts } from '../../engine/access/minute-counts.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { RateCounters } from '../../engine/ports/rate-counters.ts';
import { type InFlight, RequestsInFlight } from '../shared/requests-in-flight.ts';

export interface CallerLimitsOptions {
  readonly counters: Pick<RateCounters, 'take'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The limit per person or token in any 60 s. */
  readonly perMinute: number;
  /** The limit per minute for one address without a session or a token. */
  readonly anonymousPerMinute: number;
  /** Shared with the pages, which are public as well. */
  readonly anonymousInFlight: RequestsInFlight;
}

interface Sending {
  /** The client's address. */
  readonly address: string | null;
  readonly isInFlight: InFlight;
}

const WINDOW_MS = 60_000;
/** The gateway holds an answer of up to about 1 MiB for as long as its client does not read it. */
const MOST_IN_FLIGHT = 64;

/**
 * Bounds how many requests a caller may send to the management API per minute, and how many may be in flight at one time. People and tokens
 * are counted across all nodes, addresses on each node separately.
 */
export class CallerLimits {
  private readonly inFlight = new RequestsInFlight(MOST_IN_FLIGHT);
  private readonly anonymous: MinuteCounts;

  constructor(private readonly options: CallerLimitsOptions) {
    this.anonymous = new MinuteCounts(options.clock);
  }

  /** Counts a request of this caller, or of the address if there is no caller. Returns why it is refused, or `null`. */
  async refusalOf(requester: Requester | null, sending: Sending): Promise<Failure | null> {
    return requester === null ? this.ofAddress(sending) : await this.ofCaller(requester, sending);
  }

  /** Counts a request that needs no session and no token. */
  ofAddress({ address, isInFlight }: Sending): Failure | null {
    const { anonymousPerMinute, anonymousInFlight } = this.options;
    const sender = subscriberOf(address);
    const { count, endsInMs } = this.anonymous.add(sender);
    if (count > anonymousPerMinute) return tooManyOfAddress(endsInMs);
    return anonymousInFlight.enter(sender, isInFlight) ? null : tooManyInFlight('this address');
  }

  /** Forgets requests that have ended. To be called once a second. */
  look(): void {
    this.inFlight.look();
  }

  private async ofCaller(requester: Requester, { isInFlight }: Sending): Promise<Failure | null> {
    const { counters, perMinute: limit } = this.options;
    const name = nameOf(requester);
    const window = { scope: `{management:${name}}:requests`, limit, windowMs: WINDOW_MS, amount: 1 };
    const taken = await counters.take({ windows: [window], places: null });
    // If the counters are unavailable, the API stays open: it may be needed to repair them.
    const decision = 'decisions' in taken ? taken.decisions[0] : undefined;
    if (decision?.isAdmitted === false) return tooManyOfCaller(requester, decision);
    return this.inFlight.enter(name, isInFlight) ? null : tooManyInFlight(wordFor(requester));
  }
}

function nameOf(requester: Requester): string {
  return requester.kind === 'person' ? `user:${requester.userId}` : `token:${requester.accountId}/${requester.tokenId}`;
}

function wordFor({ kind }: Requester): string {
  return kind === 'person' ? 'this user' : 'this token';
}

function tooManyOfCaller(
  requester: Requester,
  { limit, retryAfterMs }: { readonly limit: number; readonly retryAfterMs: number },
): Failure {
  return new Failure('rate_limit_exceeded', {
    kind: 'management_requests_per_minute',
    message: `${capitalized(wordFor(requester))} may send at most ${limit} requests to the management API in any 60 seconds.`,
    hint: 'Send fewer, larger requests, or ask the admin to raise `server.management_requests_per_minute`.',
    side: 'client',
    retryAfterMs,
  });
}

function tooManyOfAddress(retryAfterMs: number): Failure {
  return new Failure('rate_limit_exceeded', {
    kind: 'anonymous_requests_per_minute',
    message: 'This address has sent too many requests without a session or a token.',
    hint: 'Sign in, or send a management token.',
    side: 'client',
    retryAfterMs,
  });
}

function tooManyInFlight(sender: string): Failure {
  return new Failure('rate_limit_exceeded', {
    kind: 'requests_in_flight',
    message: `Too many requests of ${sender} are in flight.`,
    hint: 'Read the responses to the earlier requests, or close their connections.',
    side: 'client',
    retryAfterMs: 1_000,
  });
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
