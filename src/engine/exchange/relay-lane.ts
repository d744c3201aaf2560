import type { ClientFormat, ParsedRequest } from '../../formats/format.ts';
import { patchMembers } from '../shared/relay-members.ts';
import type { Target } from '../shared/target.ts';
import type { Lane } from './lane.ts';

export interface ClientHeaders {
  /** A header that the client sent; `null` where it did not. */
  header(name: string): string | null;
}

/** The client's bytes go up with only the declared patches, the answer's bytes come back untouched but for the model and `_routing`. */
export function relayLane(
  format: ClientFormat,
  request: ParsedRequest,
  target: Target,
  client: ClientHeaders,
  routingJson: string,
): Lane {
  const patch = { publicModel: request.model, routingJson };
  return {
    request: () => ({
      body: relayedBody(format, request, target),
      headers: relayedHeaders(format, client),
      losses: [],
    }),
    answer(bytes) {
      const relayed = format.relayAnswer(bytes, patch);
      return 'bytes' in relayed ? { body: relayed.bytes, usage: relayed.usage } : relayed;
    },
    stream: () => format.relayStream(request, patch),
    streamOfWhole: () => null,
  };
}

function relayedBody(format: ClientFormat, request: ParsedRequest, target: Target): Uint8Array<ArrayBuffer> {
  const { relayMembers } = target;
  if (relayMembers === null) return format.relayRequest(request, target.upstreamModel);
  // A provider that refuses the flag reports usage without it.
  const asked = relayMembers.omits.includes('stream_options') ? { ...request, wantsStreamUsage: true } : request;
  return patchMembers(format.relayRequest(asked, target.upstreamModel), request, relayMembers);
}

/** Those of the client's headers that belong to its format; `null` for none. */
export function relayedHeaders(format: ClientFormat, client: ClientHeaders): Record<string, string> | null {
  let headers: Record<string, string> | null = null;
  for (const name of format.relayedHeaders) {
    const value = client.header(name);
    if (value === null) continue;
    headers ??= {};
    headers[name] = value;
  }
  return headers;
}
