import type { Loss } from '../../../domain/exchange/loss.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat, ParsedRequest } from '../../../formats/format.ts';
import { applyEditsTo } from '../../../formats/shared/json-patch.ts';
import type { Inbound } from '../../call/operation.ts';
import { memberEdits } from '../../directory/relay-members.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextLane } from './text-lane.ts';
import { namesIn } from './written-request.ts';

export type ClientHeaders = Pick<Inbound, 'header'>;

/**
 * The relay lane: the client's bytes are sent with only the declared patches, and the answer's bytes come back
 * unchanged except for the model and `_routing`.
 */
export function relayLane(
  format: ClientFormat,
  request: ParsedRequest,
  target: TextTarget,
  client: ClientHeaders,
  routing: RoutingFacts,
  translated: () => TextLane,
): TextLane {
  const patch = { publicModel: request.model, routing };
  return {
    request: () => {
      const headers = relayedHeaders(format, client);
      const known = target.body?.betas;
      const losses = headers === null || known === undefined ? [] : dropUnknownBetas(headers, known, target);
      const body = relayedBody(format, request, target);
      const rest = { value: request.body, names: namesIn(request), headers, losses };
      if (!(body instanceof Promise)) return { body, ...rest };
      return body.then((bytes) => ({ body: bytes, ...rest }));
    },
    answer(bytes) {
      const relayed = format.relayAnswer(bytes, patch);
      if (!('bytes' in relayed)) return relayed;
      const { bytes: body, usage, served } = relayed;
      return { body, usage, served };
    },
    stream: () => format.relayStream(request, patch),
    // A client that asked for a stream cannot read a whole answer. This is the only case in which the relay lane needs
    // a translation.
    streamOfWhole: (bytes) => translated().streamOfWhole(bytes),
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

function relayedBody(format: ClientFormat, request: ParsedRequest, target: TextTarget): Bytes | Promise<Bytes> {
  const { relayMembers, upstreamModel } = target;
  // A provider that rejects `stream_options` reports usage without it.
  const omitsUsage = relayMembers?.omits.includes('stream_options') === true;
  const edits = format.relayEdits(omitsUsage ? { ...request, wantsStreamUsage: true } : request, upstreamModel);
  const body = applyEditsTo(request.bytes, edits);
  if (relayMembers === null) return body;
  const withMembers = (bytes: Bytes) => {
    const more = memberEdits(bytes, request, relayMembers);
    return more.length === 0 ? bytes : applyEditsTo(bytes, more);
  };
  return body instanceof Promise ? body.then(withMembers) : withMembers(body);
}

/** Removes the beta flags that the provider would reject, and reports them as losses. */
function dropUnknownBetas(headers: Record<string, string>, known: readonly string[], { channel }: TextTarget): Loss[] {
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

/** The client's headers that belong to its format; `null` if there are none. */
export function relayedHeaders(format: ClientFormat, client: ClientHeaders): Record<string, string> | null {
  let headers: Record<string, string> | null = null;
  for (const { name } of format.relayedHeaders) {
    const value = client.header(name);
    if (value === null || value === '') continue;
    headers ??= {};
    headers[name] = value;
  }
  return headers;
}

/** Checks these headers, before a lane is chosen. Returns a failure (400), or `null` if they are valid. */
export function headerProblem(format: ClientFormat, client: ClientHeaders): Failure | null {
  for (const { name, value, rule } of format.relayedHeaders) {
    const sent = client.header(name);
    if (sent === null || sent === '' || value.test(sent)) continue;
    return new Failure('invalid_value', { message: `The header \`${name}\` must be ${rule}.`, param: name });
  }
  return null;
}
