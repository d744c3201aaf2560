import type { ClosedHold, Hold, HoldState, NewHold } from '../../domain/ledger/hold.ts';
import type { ChargeUsage } from './usage-store.ts';

/** The spending pool that has too little money. */
export type HoldShortage = 'balance' | 'limit' | 'account_budget' | 'key_budget';

/** Conditions that must all hold; omitted ones are ignored. */
export interface HoldQuery {
  readonly state?: HoldState;
  readonly accountId?: string;
  /** Selects holds that expire before this time, in milliseconds since 1970. */
  readonly expiresBeforeMs?: number;
}

/**
 * Durable holds. An open hold reduces what others can lease or spend. Every change is durable when its promise resolves, and idempotent.
 */
export interface Holds {
  /**
   * Reserves the full amount or nothing. Resolves to `known` if the same hold was made before, whatever its state is now. Throws
   * `LedgerConflict` if the id belongs to a different hold.
   */
  hold(hold: NewHold): Promise<'held' | 'known' | HoldShortage>;
  find(holdId: string): Promise<Hold | null>;
  /**
   * Charges the cost, up to the held amount plus the free balance, and frees the rest. Resolves to the closed hold; one that has already
   * ended is returned unchanged. `null` if the id is unknown.
   */
  settle(holdId: string, costNanoUsd: bigint, atMs: number, usage: ChargeUsage): Promise<ClosedHold | null>;
  /** Frees the full amount unless the hold has ended. `null` if the id is unknown. */
  release(holdId: string, atMs: number): Promise<ClosedHold | null>;
  /** Resolves to holds in order of expiry. */
  list(query: HoldQuery, limit: number): Promise<readonly Hold[]>;
}
