import { strictRefusal } from '../check.ts';
import type { RawRequest } from '../received.ts';
import type { StrictUpstream } from '../rule.ts';

/**
 * Returns the answer with which a provider refuses what a test's own upstream has received, or `null` for what it takes. `upstreams`: those
 * of the operation; a provider that is not among them refuses nothing.
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
