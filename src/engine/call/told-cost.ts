import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { NO_COST_JSON, totalOf } from '../../domain/money/cost-parts.ts';
import { applyEdits } from '../../formats/shared/json/json-patch.ts';
import { withUsageCost } from '../../formats/text/shared/usage-cost.ts';
import type { Outcome } from './outcome.ts';

/* Tells clients the cost of their answers (docs/cost-in-answers.md). It is added after the charge, so it is what was booked. */

// Works on any byte array, so no Buffer view has to be made.
const { lastIndexOf } = Buffer.prototype;

/** The cost of one answer. */
export interface ToldCost {
  /** The cost with its parts as JSON text; `null` if it is unknown. */
  readonly json: string | null;
  /** The last member of `_routing`, after a comma. */
  readonly member: string;
}

type CostOutcome = Pick<Outcome, 'tellsCost' | 'costNanoUsd' | 'settled' | 'isContinued' | 'isUnpriced'>;

const UNKNOWN: ToldCost = { json: null, member: ',"cost":null' };
const NOTHING: ToldCost = { json: NO_COST_JSON, member: `,"cost":${NO_COST_JSON}` };

/** Returns the cost of a call that is charged; `null` if answers do not tell it, or if it is charged after this answer. */
export function toldCost(outcome: CostOutcome): ToldCost | null {
  if (!outcome.tellsCost || outcome.isContinued) return null;
  const { costNanoUsd, settled } = outcome;
  if (costNanoUsd === null || outcome.isUnpriced) return UNKNOWN;
  if (settled === null) return NOTHING;
  const json = settled.costJson(costNanoUsd);
  return { json, member: `,"cost":${json}` };
}

/** Adds the cost to the headers of a whole answer, which are sent after the charge. */
export function tellInHeaders(
  headers: Record<string, string>,
  routing: RoutingFacts,
  { json, member }: ToldCost,
): void {
  headers['x-routing'] = `${routing.json.slice(0, -1)}${member}}`;
  if (json !== null) headers['x-switchyard-cost'] = totalOf(json);
}

/** Returns whether an answer of this type may have `_routing`. It is not searched in anything else. */
export function hasPlace(contentType: string | undefined): boolean {
  return contentType === undefined || contentType === 'application/json' || PLACES.test(contentType);
}

const PLACES = /^(?:application\/json|text\/event-stream)\b/;

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns the answer, or the last bytes of its stream, with the cost in the `_routing` that was written into it. */
export function withCost(
  answer: Bytes | string,
  routing: RoutingFacts,
  told: ToldCost,
  inUsage: boolean,
): Bytes | string;
export function withCost(answer: Uint8Array, routing: RoutingFacts, told: ToldCost, inUsage: boolean): Uint8Array;
export function withCost(
  answer: Uint8Array | string,
  routing: RoutingFacts,
  told: ToldCost,
  inUsage: boolean,
): Uint8Array | string {
  const { json, member } = told;
  const body = inUsage && json !== null ? withUsageCost(answer, json) : answer;
  if (typeof body === 'string') {
    const found = body.lastIndexOf(routing.member);
    if (found < 0) return body;
    const end = found + routing.member.length - 1;
    return body.slice(0, end) + member + body.slice(end);
  }
  const found: number = lastIndexOf.call(body, routing.memberBytes);
  if (found < 0) return body;
  // The cost stands before the brace that ends `_routing`.
  const end = found + routing.memberBytes.length - 1;
  return applyEdits(body, [{ start: end, end, text: member }]);
}
