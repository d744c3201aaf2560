import type { Envelope } from '../../wire.ts';

/** Returns the headers that carry the request id: the gateway's own, and the one that the format's SDKs read. */
export function requestIdHeaders(
  { requestIdHeader }: Pick<Envelope, 'requestIdHeader'>,
  requestId: string,
): Record<string, string> {
  const own = { 'x-request-id': requestId };
  return requestIdHeader === undefined ? own : { ...own, [requestIdHeader]: requestId };
}
