import type { Billable } from '../../money/quantity.ts';
import { billableOf, type Usage } from '../usage.ts';

const NONE: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'reported' };

/** What a request with these parts of usage comes to, reported unless they say otherwise. */
export function sampleBillable(parts: Partial<Usage> = {}): Billable {
  return billableOf({ ...NONE, ...parts });
}
