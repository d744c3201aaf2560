import { featuresIn } from './features.ts';
import type { Losses } from './loss.ts';
import { type ExchangeRequest, emptyRequest } from './request.ts';

/** A request that says nothing in any of its fields. */
const UNSAID = emptyRequest('', {});

/**
 * The request with nothing in its fields but what the target carries, at least in another way; what it asks for beyond that is
 * noted. The same for every upstream format: an encoder has only to place what it gets. `isOwn`: the client speaks the target's
 * format.
 */
export function carriedRequest(asked: ExchangeRequest, losses: Losses, isOwn: boolean): ExchangeRequest {
  const request = isOwn ? asked : withChoiceOfTools(asked, losses);
  let lost: Partial<Record<keyof ExchangeRequest, unknown>> | null = null;
  for (const { feature, key, field, isUsual } of featuresIn(request, losses.carries)) {
    // What a model makes of a measure of its thoughts is more than a table can tell.
    if (key === 'reasoning') continue;
    if (!isUsual && losses.carry(feature, field)) continue;
    lost ??= {};
    lost[key] = UNSAID[key];
  }
  // Each value is that of the same field of another request.
  return lost === null ? request : ({ ...request, ...lost } as ExchangeRequest);
}

/** A choice is one among tools: APIs refuse it where there are none. A stored prompt of the client's own format may have some. */
function withChoiceOfTools(request: ExchangeRequest, losses: Losses): ExchangeRequest {
  if (request.toolChoice === null || request.tools.length > 0) return request;
  for (const { key, field, isUsual } of featuresIn(request)) {
    if (key === 'toolChoice' && !isUsual) losses.note({ field, verdict: 'dropped', why: 'there are no tools' });
  }
  return { ...request, toolChoice: null };
}
