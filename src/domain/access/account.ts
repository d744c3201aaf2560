import type { Origin } from '../catalog/model.ts';

export const ROLES = ['User', 'Partner', 'VIP'] as const;
export type Role = (typeof ROLES)[number];

export const BILLING_MODES = ['prepaid', 'unlimited'] as const;
export type BillingMode = (typeof BILLING_MODES)[number];

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly admin: boolean;
  readonly billing: BillingMode;
  /** Overrides the role's rate limit; `null` leaves the role's. */
  readonly requestsPerMinute: number | null;
  readonly createdAtMs: number;
  readonly origin: Origin;
}
