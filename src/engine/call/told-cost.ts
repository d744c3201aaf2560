import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { NO_COST_JSON, totalOf } from '../../domain/money/cost-parts.ts';
import { withUsageCost } from '../../formats/text/shared/usage-cost.ts';
import type { Outcome } from './outcome.ts';

/* Tells clients the cost of their answers (docs/cost-in-answers.md). It is added after the charge, so it is what was booked. */

const utf8 = new TextEncoder();
// Works on any byte array, so no Buffer view has to be made.
const { lastIndexOf } = Buffer.prototype;

/** `_routing` of one answer with its cost, in the texts that its response needs. */
export interface ToldCost {
  /** `_routing` with its cost as JSON text. */
  readonly routingJson: string;
  /** Decimal USD; `null` if the cost is unknown. */
  readonly totalUsd: string | null;
  /** The cost with its parts as JSON text; `null` if it is unknown. */
  readonly json: string | null;
}

/** `_routing` is searched in these only: anything else has no place for it. */
export function hasPlace(contentType: string | undefined): boolean {
  return contentType === undefined || PLACES.test(contentType);
}

const PLACES = /^(?:application\/json|text\/event-stream)\b/;

type CostOutcome = Pick<Outcome, 'tellsCost' | 'costNanoUsd' | 'settled' | 'isContinued' | 'isUnpriced'>;

/** Returns the cost of a call that is charged; `null` if answers do not tell it, or if it is charged after this answer. */
export function toldCost(outcome: CostOutcome, routing: RoutingFacts): ToldCost | null {
  if (!outcome.tellsCost || outcome.isContinued) return null;
  const { costNanoUsd, settled } = outcome;
  const start = routing.json.slice(0, -1);
  if (costNanoUsd === null || outcome.isUnpriced) {
    return { routingJson: `${start},"cost":null}`, totalUsd: null, json: null };
  }
  const json = settled === null ? NO_COST_JSON : settled.costJson(costNanoUsd);
  return { routingJson: `${start},"cost":${json}}`, totalUsd: totalOf(json), json };
}

/** Adds the cost to the headers of a whole answer, which are sent after the charge. */
export function tellInHeaders(headers: Record<string, string>, { routingJson, totalUsd }: ToldCost): void {
  headers['x-routing'] = routingJson;
  if (totalUsd !== null) headers['x-switchyard-cost'] = totalUsd;
}

/** Returns the answer, or the last bytes of its stream, with the cost in the `_routing` that was written into it. */
export function withCost(
  body: Uint8Array<ArrayBuffer> | string,
  routing: RoutingFacts,
  told: ToldCost,
  wantsUsageCost: boolean,
): Uint8Array<ArrayBuffer> | string;
export function withCost(body: Uint8Array, routing: RoutingFacts, told: ToldCost, wantsUsageCost: boolean): Uint8Array;
export function withCost(
  body: Uint8Array | string,
  routing: RoutingFacts,
  told: ToldCost,
  wantsUsageCost: boolean,
): Uint8Array | string {
  const answer = wantsUsageCost && told.json !== null ? withUsageCost(body, told.json) : body;
  return typeof answer === 'string' ? inText(answer, routing, told) : inBytes(answer, routing, told);
}

function inText(text: string, routing: RoutingFacts, { routingJson }: ToldCost): string {
  const at = text.lastIndexOf(routing.member);
  if (at < 0) return text;
  const from = at + routing.member.length - routing.json.length;
  return text.slice(0, from) + routingJson + text.slice(from + routing.json.length);
}

function inBytes(bytes: Uint8Array, routing: RoutingFacts, { routingJson }: ToldCost) {
  const at: number = lastIndexOf.call(bytes, routing.memberBytes);
  if (at < 0) return bytes;
  const end = at + routing.memberBytes.length;
  // Only the cost is new: it stands before the brace that ends `_routing`.
  const more = routingJson.length - routing.json.length;
  const out = new Uint8Array(bytes.length + more);
  out.set(bytes.subarray(0, end - 1));
  utf8.encodeInto(routingJson.slice(routing.json.length - 1, -1), out.subarray(end - 1));
  out.set(bytes.subarray(end - 1), end - 1 + more);
  return out;
}
