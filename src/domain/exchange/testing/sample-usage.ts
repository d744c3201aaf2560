import type { Billable } from '../../money/quantity.ts';
import { billableOf, type Usage } from '../usage.ts';

const NONE: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'reported' };

/** Returns the billable quantities for these parts of usage, `reported` unless they say otherwise. */
export function sampleBillable(parts: Partial<Usage> = {}): Billable {
  return billableOf({ ...NONE, ...parts });
}
