import type { CacheOverrides } from '../cache/cache.ts';
import type { Origin } from '../catalog/model.ts';
import type { Budget, BudgetRaise } from '../money/budget.ts';
import type { Strategy } from '../routing/order.ts';
import type { BillingDetails } from './billing-details.ts';
import type { QuotaOverrides } from './object-quotas.ts';

export const ROLES = ['User', 'Partner', 'VIP'] as const;
export type Role = (typeof ROLES)[number];

export const BILLING_MODES = ['prepaid', 'unlimited'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

/** The parts of an account's requests that are stored in addition to their log lines: nothing, or the request and the response. */
export const CAPTURE_MODES = ['none', 'full'] as const;
export type CaptureMode = (typeof CAPTURE_MODES)[number];
/** Switches the capture of one request off. It never switches it on. */
export const CAPTURE_HEADER = 'x-switchyard-capture';

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly admin: boolean;
  readonly billing: BillingMode;
  /** Overrides the role's rate limit; `null` leaves the role's. */
  readonly requestsPerMinute: number | null;
  /** Prompt and completion tokens in any 60 s; `null` for no limit. */
  readonly tokensPerMinute: number | null;
  /** Requests and streams in flight at once; `null` for no limit. */
  readonly maxConcurrent: number | null;
  /** The amount that all its keys together may spend per period, independent of its balance; `null` for no budget. */
  readonly budget: Budget | null;
  /** A higher amount of the budget for a limited time, possibly a past one; absent for none. */
  readonly budgetRaise?: BudgetRaise | null;
  /** How channels are chosen for this account's requests; overrides the model's strategy. `null` leaves it to the model. */
  readonly strategy: Strategy | null;
  /** Cache settings that override the model's; `null` for none. */
  readonly cache: CacheOverrides | null;
  readonly capture: CaptureMode;
  /** The days for which its captures are kept, if that is shorter than the general retention; `null` for the general one. */
  readonly captureDays: number | null;
  /** The account's own quotas, which override the general ones; `null` for none. */
  readonly quotas: QuotaOverrides | null;
  /** The details that its statements print; `null` for none. */
  readonly billingDetails: BillingDetails | null;
  /** The models that are asked if the model of a request cannot answer and the request names none itself; empty for none. */
  readonly fallbacks: readonly string[];
  /** The ids of the guards that apply to all of its requests; absent for none. */
  readonly guards?: readonly string[];
  readonly createdAtMs: number;
  /**
   * When it was archived; `null` while it is in use. The keys and tokens of an archived account are refused; its ledger and objects stay.
   */
  readonly archivedAtMs: number | null;
  readonly origin: Origin;
}
