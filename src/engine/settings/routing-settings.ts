import type { Strategy } from '../../domain/routing/strategy.ts';

/** How the channels of a model are chosen if neither the account nor the model sets a strategy, and when to give up. */
export interface RoutingSettings {
  readonly strategy: Strategy;
  /** The most upstream attempts for one request, over all channels. */
  readonly maxAttempts: number;
  /** No further attempt starts once the request has lasted this long. */
  readonly deadlineMs: number;
}

export const DEFAULT_ROUTING: RoutingSettings = { strategy: 'weighted', maxAttempts: 5, deadlineMs: 600_000 };
