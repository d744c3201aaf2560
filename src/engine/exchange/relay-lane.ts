import type { Loss } from '../../domain/exchange/loss.ts';
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
  translated: () => Lane,
): Lane {
  const patch = { publicModel: request.model, routingJson };
  return {
    request: () => {
      const headers = relayedHeaders(format, client);
      const known = target.body?.betas;
      const losses = headers === null || known === undefined ? [] : dropUnknownBetas(headers, known, target);
      return { body: relayedBody(format, request, target), headers, losses };
    },
    answer(bytes) {
      const relayed = format.relayAnswer(bytes, patch);
      return 'bytes' in relayed ? { body: relayed.bytes, usage: relayed.usage } : relayed;
    },
    stream: () => format.relayStream(request, patch),
    // A client that asked for a stream cannot read one whole answer; only here does the relay lane need a translation.
    streamOfWhole: (bytes) => translated().streamOfWhole(bytes),
  };
}

function relayedBody(format: ClientFormat, request: ParsedRequest, target: Target): Uint8Array<ArrayBuffer> {
  const { relayMembers } = target;
  if (relayMembers === null) return format.relayRequest(request, target.upstreamModel);
  // A provider that refuses the flag reports usage without it.
  const asked = relayMembers.omits.includes('stream_options') ? { ...request, wantsStreamUsage: true } : request;
  return patchMembers(format.relayRequest(asked, target.upstreamModel), request, relayMembers);
}

/** Leaves out the flags that the provider would answer with an error, and says so. */
function dropUnknownBetas(headers: Record<string, string>, known: readonly string[], { channel }: Target): Loss[] {
  const betas = (headers['anthropic-beta'] ?? '').split(',').map((beta) => beta.trim());
  const losses: Loss[] = [];
  const kept = betas.filter((beta) => {
    if (beta === '' || known.includes(beta)) return beta !== '';
    losses.push({
      field: `anthropic-beta: ${beta}`,
      verdict: 'dropped',
      why: `${channel.provider} does not know this flag`,
    });
    return false;
  });
  if (kept.length > 0) headers['anthropic-beta'] = kept.join(',');
  else delete headers['anthropic-beta'];
  return losses;
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
