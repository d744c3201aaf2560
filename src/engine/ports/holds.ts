import type { ClosedHold, Hold, HoldState, NewHold } from '../../domain/ledger/hold.ts';
import type { ChargeUsage } from './usage-store.ts';

/** Which of the purses has too little. */
export type HoldShortage = 'balance' | 'limit' | 'account_budget' | 'key_budget';

/** Which holds are to be listed; all conditions that are given hold. */
export interface HoldQuery {
  readonly state?: HoldState;
  readonly accountId?: string;
  /** Only those that expire before this, in milliseconds since 1970. */
  readonly expiresBeforeMs?: number;
}

/**
 * Durable holds, part of the books: whatever is open is taken from what others can lease or spend. Every change is durable
 * when its promise resolves, and may be sent again by anyone who does not know whether it was done.
 */
export interface Holds {
  /**
   * Puts all of it aside, or nothing. `known` where the same hold had been made before, whatever its state is now. Throws
   * `LedgerConflict` where the id belongs to another one.
   */
  hold(hold: NewHold): Promise<'held' | 'known' | HoldShortage>;
  find(holdId: string): Promise<Hold | null>;
  /**
   * Charges the cost as far as what it holds and what is free beside that go, and frees the rest. A hold that has ended stays
   * as it is, and is what this resolves to; `null` for an id that is not known.
   */
  settle(holdId: string, costNanoUsd: bigint, atMs: number, usage: ChargeUsage): Promise<ClosedHold | null>;
  /** Frees all of it, unless it has ended. `null` for an id that is not known. */
  release(holdId: string, atMs: number): Promise<ClosedHold | null>;
  /** Those that expire first come first. */
  list(query: HoldQuery, limit: number): Promise<readonly Hold[]>;
}
