import { Failure } from '../../domain/failure/failure.ts';
import type { EncodedBody } from '../../formats/wire.ts';
import type { FurtherRequest, LaneRequest } from '../call/lane.ts';

/**
 * The lane request for the parts of one client request, each of which goes to the upstream by itself. There is at least
 * one part, and the losses of the first hold for all.
 */
export function laneRequestOf<Part>(
  [first, ...others]: readonly [Part, ...Part[]],
  encode: (part: Part) => EncodedBody | Failure,
): LaneRequest | Failure {
  const encoded = encode(first);
  if (encoded instanceof Failure) return encoded;
  if (others.length === 0) return { ...encoded, headers: null, extras: null };
  const more: FurtherRequest[] = [];
  for (const other of others) {
    const further = encode(other);
    if (further instanceof Failure) return further;
    more.push({ body: further.body });
  }
  return { ...encoded, headers: null, extras: null, more };
}
