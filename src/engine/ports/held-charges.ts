/**
 * The part of an upstream's reported usage that is implausible for the request. It is not charged until an operator decides
 * (docs/billing.md).
 */
export interface HeldCharge {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly modelId: string;
  readonly channelId: string | null;
  /** The cost of the reported usage minus the charged amount, in nano-USD. */
  readonly amountNanoUsd: bigint;
  /** The charged amount: the plausible cost, or as much of it as the balance covered. */
  readonly plausibleNanoUsd: bigint;
  /** The tokens reported by the upstream. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly atMs: number;
}

/** Decided charges are kept as a record of the decision. */
export const HELD_STATES = ['open', 'settled', 'dismissed'] as const;
export type HeldState = (typeof HELD_STATES)[number];

export interface KnownHeldCharge extends HeldCharge {
  readonly state: HeldState;
}

export interface HeldCharges {
  /** Stores the charge; durable when resolved. Idempotent per request: a second charge changes nothing. */
  hold(charge: HeldCharge): Promise<void>;
  /** Resolves to charges from newest to oldest, restricted to an account or a state if given. */
  list(
    only: { readonly accountId?: string; readonly state?: HeldState },
    limit: number,
  ): Promise<readonly KnownHeldCharge[]>;
  find(requestId: string): Promise<KnownHeldCharge | null>;
  /** Decides an open charge. Resolves to whether it was open. */
  decide(requestId: string, state: 'settled' | 'dismissed'): Promise<boolean>;
}
