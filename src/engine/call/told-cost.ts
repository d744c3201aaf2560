import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { costJsonIn, NO_COST_MEMBER, totalIn, UNKNOWN_COST_MEMBER } from '../../domain/money/cost-parts.ts';
import { withUsageCost } from '../../formats/text/shared/usage-cost.ts';
import type { Outcome } from './outcome.ts';

/* Tells clients the cost of their answers (docs/cost-in-answers.md). It is added after the charge, so it is what was booked. */

// Buffer's methods work on any byte array, so no view has to be made (json-patch.ts).
const { compare, copy, lastIndexOf, write } = Buffer.prototype;

type CostOutcome = Pick<Outcome, 'tellsCost' | 'costNanoUsd' | 'settled' | 'isContinued' | 'isUnpriced'>;

/**
 * Returns the last member of `_routing`, `,"cost":…`, for a call that is charged; `null` if answers do not tell the cost, or if the call is
 * charged after this answer.
 */
export function toldCost(outcome: CostOutcome): string | null {
  if (!outcome.tellsCost || outcome.isContinued) return null;
  const { costNanoUsd, settled } = outcome;
  if (costNanoUsd === null || outcome.isUnpriced) return UNKNOWN_COST_MEMBER;
  return settled === null ? NO_COST_MEMBER : settled.costMember(costNanoUsd);
}

/** Adds the cost to the headers of a whole answer, which are sent after the charge. */
export function tellInHeaders(headers: Record<string, string>, routing: RoutingFacts, told: string): void {
  headers['x-routing'] = `${routing.json.slice(0, -1)}${told}}`;
  const total = totalIn(told);
  if (total !== null) headers['x-switchyard-cost'] = total;
}

/** Returns whether an answer of this type may have `_routing`. It is not searched in anything else. */
export function hasPlace(contentType: string | undefined): boolean {
  return contentType === undefined || contentType === 'application/json' || PLACES.test(contentType);
}

const PLACES = /^(?:application\/json|text\/event-stream)\b/;

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns the answer, or the last bytes of its stream, with the cost in the `_routing` that was written into it. */
export function withCost(answer: Bytes | string, routing: RoutingFacts, told: string, inUsage: boolean): Bytes | string;
export function withCost(answer: Uint8Array, routing: RoutingFacts, told: string, inUsage: boolean): Uint8Array;
export function withCost(
  answer: Uint8Array | string,
  routing: RoutingFacts,
  told: string,
  inUsage: boolean,
): Uint8Array | string {
  // A client that asks for the cost would take that of the upstream for its own.
  const body = inUsage ? withUsageCost(answer, told === UNKNOWN_COST_MEMBER ? null : costJsonIn(told)) : answer;
  if (typeof body === 'string') {
    const found = body.lastIndexOf(routing.member);
    if (found < 0) return body;
    const end = found + routing.member.length - 1;
    return body.slice(0, end) + told + body.slice(end);
  }
  const end = endOfRouting(body, routing.memberBytes);
  if (end < 0) return body;
  const out = new Uint8Array(body.length + told.length);
  copy.call(body, out, 0, 0, end);
  write.call(out, told, end, 'latin1');
  copy.call(body, out, end + told.length, end);
  return out;
}

/** Returns the offset of the brace that ends `_routing`, or -1. In whole answers it is nearly always the last brace but one. */
function endOfRouting(body: Uint8Array, member: Uint8Array): number {
  const { length } = member;
  const last = body.length - 1 - length;
  const isLast = last >= 0 && compare.call(body, member, 0, length, last, last + length) === 0;
  const found: number = isLast ? last : lastIndexOf.call(body, member);
  return found < 0 ? -1 : found + length - 1;
}
