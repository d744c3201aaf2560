import { subscriberOf } from '../../domain/access/network-address.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { inFlight, type RequestsInFlight } from '../shared/requests-in-flight.ts';
import type { ClientAddresses } from './client-address.ts';
import { failureResponse } from './failure-response.ts';
import { formatFor } from './guard.ts';
import type { ClientRequest, RouteHandler, Routes } from './route.ts';

export interface AnonymousBoundOptions {
  readonly inFlight: RequestsInFlight;
  readonly addresses: Pick<ClientAddresses, 'of'>;
  readonly newRequestId: () => string;
}

const TOO_MANY = new Failure('rate_limit_exceeded', {
  kind: 'requests_in_flight',
  message: 'Too many requests from this address are in flight.',
  hint: 'Read the responses to the earlier requests, or close their connections.',
  side: 'client',
  retryAfterMs: 1_000,
});

/**
 * Bounds the number of concurrent requests per address on routes that need no key: a client that opens connections and reads nothing must
 * not use up the gateway's memory and file descriptors.
 */
export class AnonymousBound {
  constructor(private readonly options: AnonymousBoundOptions) {}

  around(handler: RouteHandler): RouteHandler {
    return (request, connections) =>
      inFlight(request, connections, (isInFlight) => {
        const sender = subscriberOf(this.options.addresses.of(request, connections));
        if (!this.options.inFlight.enter(sender, isInFlight)) return this.refusal(request);
        return handler(request, connections);
      });
  }

  all(routes: Routes): Routes {
    return Object.fromEntries(Object.entries(routes).map(([path, handler]) => [path, this.around(handler)]));
  }

  /** Closes the connection, so that it does not stay open for another request. */
  private refusal(request: ClientRequest): Response {
    return failureResponse(formatFor(request), TOO_MANY, this.options.newRequestId(), { connection: 'close' });
  }
}
