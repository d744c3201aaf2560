import { expect } from 'bun:test';
import { serverSentEvents } from '../readers/index.ts';
import { asObject, isObject, parseJson } from '../shared/json.ts';
import { nano } from './books.ts';

/** An answer as its client received it. */
interface Received {
  readonly headers: Headers;
  readonly body: string;
}

/** Returns `_routing.cost` of an answer, or of a stream's last object; `undefined` if it has none. */
export function toldCostIn({ headers, body }: Received): unknown {
  const isStream = headers.get('content-type')?.includes('event-stream') === true;
  const objects = isStream ? serverSentEvents(body).map(({ data }) => parseJson(data)) : [parseJson(body)];
  const last = asObject(objects.findLast(isObject));
  return asObject(last._routing ?? asObject(last.response)._routing).cost;
}

/**
 * The law of told costs: a complete answer tells the amount that the books have, its parts add up to it, and the headers of a whole answer
 * say the same. `bookedNano` is `null` for an unknown cost.
 */
export function expectToldCost(received: Received, bookedNano: bigint | null): void {
  const { headers } = received;
  const cost = toldCostIn(received);
  const isStream = headers.get('content-type')?.includes('event-stream') === true;
  if (bookedNano === null) {
    expect(cost).toBeNull();
    expect(headers.get('x-switchyard-cost')).toBeNull();
    return;
  }
  const { total_usd: total, ...parts } = asObject(cost);
  expect(nano(String(total))).toBe(bookedNano);
  expect(Object.values(parts).reduce<bigint>((sum, part) => sum + nano(String(part)), 0n)).toBe(bookedNano);
  // The headers of a stream are sent before its cost is known.
  expect(headers.get('x-switchyard-cost')).toBe(isStream ? null : String(total));
  const inHeader = asObject(parseJson(headers.get('x-routing') ?? '')).cost;
  expect(inHeader).toEqual(isStream ? undefined : cost);
}
