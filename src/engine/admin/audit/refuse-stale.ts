import { AdminError } from '../admin-error.ts';

/**
 * Throws an `AdminError` of the code `stale` where the object is another one by now than the caller has seen (RFC 9110, 13.1.1).
 *
 * @param ifMatch the ETag of what the caller has seen; `*` for any; absent where it does not matter
 * @param etag of what is there; made only where it is compared
 * @param what such as `the user "user_1"`
 */
export function refuseStale(ifMatch: string | undefined, etag: () => string, what: string): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === etag()) return;
  throw new AdminError('stale', 'If-Match', `${what} was changed since you read it: read it again`);
}
