import type { Origin } from '../catalog/model.ts';
import type { Budget, BudgetRaise } from '../money/budget.ts';
import type { CaptureMode } from './account.ts';
import type { GrantedScope } from './scopes.ts';

/** `inference` keys start with `sk-`, `management` tokens with `mt-` (contract, Authentication). */
export const CREDENTIAL_KINDS = ['inference', 'management'] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** Which spending a key may read: none, its own, or that of its whole account with the balance (docs/usage-with-a-key.md). */
export const USAGE_ACCESS = ['none', 'key', 'account'] as const;
export type UsageAccess = (typeof USAGE_ACCESS)[number];
export const DEFAULT_USAGE_ACCESS: UsageAccess = 'key';

/** The identity of a credential. */
export type CredentialKey = Pick<Credential, 'accountId' | 'kind' | 'id'>;

/** The secret that a rotated credential had before. */
export interface PreviousSecret {
  /** SHA-256, lower-case hex. */
  readonly secretHash: string;
  /** Until then it is accepted beside the new one; in the past if there was no grace period. */
  readonly endsAtMs: number;
}

/** A key as the store knows it: never the secret itself, only its SHA-256 in lower-case hex. */
export interface Credential {
  /** Unique within the account. */
  readonly id: string;
  readonly accountId: string;
  readonly kind: CredentialKind;
  readonly name: string;
  readonly secretHash: string;
  /** The first and last characters, by which a person recognizes the key in a list: `sk-ab…wxyz`. */
  readonly preview: string;
  /** `null` if it has never been rotated. */
  readonly previousSecret: PreviousSecret | null;
  /** The permissions of a management token; `null` for a key, which has no management access. */
  readonly scopes: readonly GrantedScope[] | null;
  /** Nano-USD (1e-9) that the key may spend in total; `null` for no limit. */
  readonly limitNanoUsd: bigint | null;
  /** The amount that the key may spend per period, in addition to its limit and its account's budget; `null` for no budget. */
  readonly budget: Budget | null;
  /** A higher amount of the budget for a limited time, possibly a past one; absent for none. */
  readonly budgetRaise?: BudgetRaise | null;
  /** Patterns of model ids (`*` stands for any run of characters); `null` allows every public model. */
  readonly models: readonly string[] | null;
  /** The ids of the guards that apply to its requests, in addition to those of its account and of the model; absent for none. */
  readonly guards?: readonly string[];
  /** Requests in any 60 s with this key alone, in addition to the account's limit; `null` for none. */
  readonly requestsPerMinute: number | null;
  /** Which spending the key may read; `null` for a management token. */
  readonly usageAccess: UsageAccess | null;
  /** Whether the key's requests are captured, in place of the account's `capture`; `null` leaves it to the account. */
  readonly capture: CaptureMode | null;
  /** From then on it is refused like a revoked one; `null` for never. */
  readonly expiresAtMs: number | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** The creator, as `creatorOf` names it; `null` if unknown. */
  readonly createdBy: string | null;
  readonly origin: Origin;
}
