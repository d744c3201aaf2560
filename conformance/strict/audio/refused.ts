import { strictRefusal } from '../check.ts';
import type { RawRequest } from '../received.ts';
import type { StrictUpstream } from '../rule.ts';

/**
 * Returns the error with which a provider would refuse the request that a test's own upstream received; `null` if it
 * accepts it. `upstreams` are those of the operation; other providers refuse nothing.
 */
export async function refusedBy(
  upstreams: readonly StrictUpstream[],
  provider: string,
  raw: RawRequest,
): Promise<Response | null> {
  const upstream = upstreams.find((one) => one.provider === provider);
  const refusal = upstream === undefined ? null : await strictRefusal(upstream, raw);
  if (refusal === null) return null;
  return Response.json(refusal.upstream.envelope(refusal.described, refusal.rule), { status: refusal.status });
}
