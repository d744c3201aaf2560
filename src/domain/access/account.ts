import type { CacheOverrides } from '../cache/cache-policy.ts';
import type { Origin } from '../catalog/model.ts';
import type { Budget } from '../money/budget.ts';
import type { Strategy } from '../routing/strategy.ts';
import type { QuotaOverrides } from './object-quotas.ts';

export const ROLES = ['User', 'Partner', 'VIP'] as const;
export type Role = (typeof ROLES)[number];

export const BILLING_MODES = ['prepaid', 'unlimited'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

/** What is kept of an account's requests beside their lines in the log: nothing, or what was sent and what was answered. */
export const CAPTURE_MODES = ['none', 'full'] as const;
export type CaptureMode = (typeof CAPTURE_MODES)[number];

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly admin: boolean;
  readonly billing: BillingMode;
  /** Overrides the role's rate limit; `null` leaves the role's. */
  readonly requestsPerMinute: number | null;
  /** Prompt and answer tokens in any 60 s; `null` for no limit. */
  readonly tokensPerMinute: number | null;
  /** Requests and streams at one time; `null` for no limit. */
  readonly maxConcurrent: number | null;
  /** What all its keys together may spend in each period, beside its balance; `null` for no budget. */
  readonly budget: Budget | null;
  /** How channels are chosen for this account's requests, before what the model says; `null` leaves it to the model. */
  readonly strategy: Strategy | null;
  /** What it says of the cache before what the model says; `null` for nothing. */
  readonly cache: CacheOverrides | null;
  readonly capture: CaptureMode;
  /** How many objects it may have, where that is not what all accounts may; `null` for nothing of its own. */
  readonly quotas: QuotaOverrides | null;
  readonly createdAtMs: number;
  /**
   * When it was archived: since then its keys and tokens are refused; its ledger and its objects stay. `null` while it is in use.
   */
  readonly archivedAtMs: number | null;
  readonly origin: Origin;
}
