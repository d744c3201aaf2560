import { Failure } from './failure.ts';

/** The repair time is unknown; the store is checked every second. */
const STORE_RETRY_MS = 5_000;

/**
 * Returns the failure from before the upstream is called, whose answer would cost the operator money and could not be given to
 * the client.
 */
export function storageUnavailable(): Failure {
  return new Failure('storage_unavailable', {
    message: 'The gateway cannot record the cost of the request at the moment, so it was not sent to a provider.',
    retryAfterMs: STORE_RETRY_MS,
    hint: 'Nothing is wrong with the request. Wait for retry_after seconds and send it again.',
  });
}
