import type { Principal } from '../../../domain/access/principal.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat, InboundCall, ParsedRequest } from '../../../formats/format.ts';
import { needsToolTranslation } from '../../../formats/shared/tool-translation.ts';
import type { Caller } from '../../access/caller.ts';
import type { HeldBytes } from '../../call/answer-memory.ts';
import { toldHeaders } from '../../call/answered-call.ts';
import { lossesHeader } from '../../call/losses-header.ts';
import type { Outcome } from '../../call/outcome.ts';
import type { Directory, VisibleRoutes } from '../../directory/directory.ts';
import type { NamedObjects } from '../../directory/object-memory.ts';
import { losesMembers } from '../../directory/relay-members.ts';
import type { Target } from '../../directory/target.ts';
import type { WaitingClient } from '../../ports/upstream.ts';
import type { ConnectionMemory } from './connection-memory.ts';
import type { ConversationKeys } from './conversation-memory.ts';
import type { Asked } from './produced-usage.ts';
import type { ClientHeaders } from './relay-lane.ts';
import type { BoundsOfRequest } from './request-bounds.ts';
import { carriesForeignState, type Translation } from './translation.ts';
import type { Turn } from './turn.ts';

/** What a transport brings: the credential as presented, the body (read only once the client is known), the way out. */
export interface Inbound extends WaitingClient, ClientHeaders, Caller {
  readonly format: ClientFormat;
  readonly call: InboundCall;
  readBody(accountId: string): Promise<Uint8Array | Failure>;
  /** What is kept for the connection that it came on, where one lasts longer than a request. */
  readonly connection?: ConnectionMemory;
}

/** One admitted request with all that its attempts share. */
export interface Admitted {
  readonly inbound: Inbound;
  readonly outcome: Outcome;
  readonly turn: Turn;
  readonly request: ParsedRequest;
  readonly directory: Directory;
  readonly principal: Principal;
  readonly routes: VisibleRoutes;
  /** What it names of what providers keep; where there is any, `routes` lead only to where the account may. */
  readonly named: NamedObjects;
  /** Those of the routes that may be tried now, best first. */
  readonly targets: readonly Target[];
  /** Of a request that several channels could answer. */
  readonly conversation: ConversationKeys | null;
  readonly bounds: BoundsOfRequest;
  /** The channels that issued state which the request brings back. */
  readonly issuers: readonly string[];
  /** What the answer holds of the memory. */
  readonly held: HeldBytes;
  /** Made when the first target needs it. */
  translation: Translation | null;
  /** The lane of the latest attempt. */
  relayed: boolean;
}

export function askedOf({ inbound, turn, principal }: Admitted): Asked {
  return { accountId: principal.account.id, format: inbound.format, request: turn.whole };
}

/** Relay where the target speaks the client's format and can read all that the request holds, else translate. */
export function isRelayed({ inbound, turn, issuers, named }: Admitted, target: Target): boolean {
  if (target.upstream.name !== inbound.format.name || named.isForeign(target)) return false;
  if (target.upstream.relayOnly) return true;
  if (issuers.some((channelId) => channelId !== target.channel.id)) return false;
  const request = turn.requestFor(target);
  const { body, bytes } = request;
  if (!target.stores && inbound.format.keeping?.wants(request)) return false;
  if (needsToolTranslation(body, target.encoding.quirks) || losesMembers(body, target.relayMembers)) return false;
  return !carriesForeignState(bytes);
}

/**
 * Where a compaction is tried: at a target's own endpoint for it, and as a summary that the model writes. What the endpoint cannot
 * do, or an address does not have, the same target does the other way.
 */
export function compactingTargets(admitted: Admitted): readonly Target[] {
  return admitted.targets.map((target) => {
    const { compactUrl, alternatives } = target;
    if (compactUrl === null || !isRelayed(admitted, target)) return target;
    return { ...target, url: compactUrl, alternatives: [target, ...alternatives] };
  });
}

/** Whether the whole answer has to be looked at before its end goes out. */
export function isOfInterest({ inbound, turn }: Admitted): boolean {
  return inbound.format.issuing !== undefined || turn.wantsKeeping || inbound.format.objects.mayIssue(turn.whole.body);
}

/** Objects that came with an answer can be named from then on, at the channel that answered. */
export function givenWith(
  { outcome, principal, relayed }: Admitted,
  ids: readonly string[],
  responseId: string | null,
) {
  const channelId = relayed ? (outcome.target?.channel.id ?? null) : null;
  return { accountId: principal.account.id, ids, channelId, responseId };
}

export function issuesObjects({ inbound, turn }: Admitted): boolean {
  return inbound.format.objects.mayIssue(turn.whole.body);
}

export function answerHeaders(
  { inbound, outcome }: Admitted,
  routing: RoutingFacts,
  losses: readonly Loss[],
): Record<string, string> {
  const headers = callHeaders(inbound.format, outcome);
  headers['x-routing'] = routing.json;
  const lost = lossesHeader(losses);
  if (lost !== null) headers['x-switchyard-losses'] = lost;
  return headers;
}

/** The head of a stream; without an attempt where it goes out before there is an answer. */
export function streamHeaders(
  admitted: Admitted,
  answer: { readonly routing: RoutingFacts; readonly losses: readonly Loss[] } | null,
): Record<string, string> {
  const { inbound, outcome, turn } = admitted;
  return {
    'content-type': inbound.format.streamContentType(turn.whole),
    'cache-control': 'no-cache',
    // Tells nginx and its kin in front of us not to gather chunks.
    'x-accel-buffering': 'no',
    ...(answer === null
      ? callHeaders(inbound.format, outcome)
      : answerHeaders(admitted, answer.routing, answer.losses)),
  };
}

/** What every answer says in headers: the request's id, how long it took, and what the limits say. */
export function callHeaders(format: ClientFormat, outcome: Outcome): Record<string, string> {
  const headers = toldHeaders(format, outcome);
  if (format.processingHeader !== undefined) headers[format.processingHeader] = String(Math.round(outcome.elapsedMs()));
  return headers;
}
