import { Failure } from '../../domain/failure/failure.ts';
import type { WireRequest } from '../../formats/wire.ts';
import type { FurtherRequest, LaneRequest } from '../call/lane.ts';

/**
 * Returns the lane request for a wire's encoded requests. `others` are further requests to the same address, if one cannot hold everything;
 * the losses of the first apply to all. Each has a body.
 */
export function laneRequestOf(first: WireRequest, others: readonly WireRequest[] = []): LaneRequest {
  const request = { ...first, headers: first.headers ?? null, extras: null };
  return others.length === 0 ? request : { ...request, more: others.map(furtherRequest) };
}

function furtherRequest({ body, headers }: WireRequest): FurtherRequest {
  if (body === null) throw new Error('a further request has no body');
  return { body, ...(headers !== undefined && { headers }) };
}

/** Does the same for the parts of one client request, each of which is sent separately. There is at least one part. */
export function laneRequestOfParts<Part>(
  [first, ...others]: readonly [Part, ...Part[]],
  encode: (part: Part) => WireRequest | Failure,
): LaneRequest | Failure {
  const encoded = encode(first);
  if (encoded instanceof Failure) return encoded;
  const more: WireRequest[] = [];
  for (const other of others) {
    const further = encode(other);
    if (further instanceof Failure) return further;
    more.push(further);
  }
  return laneRequestOf(encoded, more);
}
