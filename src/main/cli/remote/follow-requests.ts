import type { ManagementClient, RemoteQuery } from './management-client.ts';
import { RemoteError } from './management-client.ts';
import { type ReceivedRequest, receivedRequest } from './received-request.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Something that a follower of the request log learns. */
export type Followed =
  | { readonly kind: 'request'; readonly request: ReceivedRequest }
  /** The stream is open. Repeated with each heartbeat. */
  | { readonly kind: 'connected' }
  /** The gateway cannot be reached, and will be asked again. */
  | { readonly kind: 'disconnected'; readonly reason: string };

export interface FollowOptions {
  readonly query: RemoteQuery;
  /** Whether requests that finish during an interruption are yielded after it. */
  readonly resumes: boolean;
  readonly signal: AbortSignal;
  /** Waits for the time, or until the signal fires. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Yields finished requests as the gateway logs them, each at most once, and with `resumes` exactly once: it connects again after any
 * interruption, and continues where it was. Ends when the signal fires. Throws `RemoteError` if the gateway refuses the token or the query.
 */
export async function* followRequests(
  client: Pick<ManagementClient, 'events'>,
  { query, resumes, signal, sleep }: FollowOptions,
): AsyncGenerator<Followed> {
  let after: string | null = null;
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    let reason = 'the gateway has ended the stream';
    try {
      for await (const event of client.events('/requests/live', { ...query, complete: true }, { after, signal })) {
        if (event.event === 'end') {
          if (event.data?.includes('not_allowed')) throw new RemoteError(NOT_ALLOWED, false, 403);
          reason = 'the gateway is stopping';
          break;
        }
        if (event.event === null) yield { kind: 'connected' };
        const request = event.event === 'request' && event.data !== null ? receivedRequest(event.data) : null;
        if (request !== null) yield { kind: 'request', request };
        // Only now: a consumer that stops in between has not seen the request.
        after = resumes ? (event.id ?? after) : null;
        waitMs = FIRST_WAIT_MS;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RemoteError) || !error.isPassing) throw error;
      reason = error.message;
      waitMs = Math.max(waitMs, error.retryAfterMs ?? 0);
    }
    if (signal.aborted) return;
    yield { kind: 'disconnected', reason };
    await sleep(Math.min(waitMs, LONGEST_WAIT_MS), signal);
    waitMs *= 2;
  }
}

const NOT_ALLOWED = 'The token may no longer read the request log: it was revoked, has expired, or has lost its scope.';
