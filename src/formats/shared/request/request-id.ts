import type { Envelope } from '../../wire.ts';

/** The headers that name a request: ours, and the one in which the format's SDKs look for it. */
export function requestIdHeaders(
  { requestIdHeader }: Pick<Envelope, 'requestIdHeader'>,
  requestId: string,
): Record<string, string> {
  const own = { 'x-request-id': requestId };
  return requestIdHeader === undefined ? own : { ...own, [requestIdHeader]: requestId };
}
