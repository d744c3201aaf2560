import { AdminError } from '../admin-error.ts';

/**
 * Throws an `AdminError` with the code `stale` if the object has changed since the caller read it (RFC 9110, 13.1.1).
 *
 * @param ifMatch the ETag that the caller has seen; `*` for any; absent to skip the check
 * @param etag returns the current ETag; called only if it is compared
 * @param what such as `the user "user_1"`
 */
export function refuseStale(ifMatch: string | undefined, etag: () => string, what: string): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === etag()) return;
  throw new AdminError('stale', 'If-Match', `${what} was changed after you read it: read it again`);
}
