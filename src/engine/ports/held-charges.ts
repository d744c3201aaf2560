/**
 * What an upstream has billed beyond what is plausible of the request: nobody was charged for it, and an operator decides
 * (docs/billing.md).
 */
export interface HeldCharge {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly modelId: string;
  readonly channelId: string | null;
  /** What the reported usage comes to beyond what was charged, in nano-USD. */
  readonly amountNanoUsd: bigint;
  /** What was charged: what is plausible, or as much of it as there was. */
  readonly plausibleNanoUsd: bigint;
  /** The tokens that the upstream has reported. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly atMs: number;
}

/** A held charge that an operator has decided on stays, so that the decision can be read. */
export const HELD_STATES = ['open', 'settled', 'dismissed'] as const;
export type HeldState = (typeof HELD_STATES)[number];

export interface KnownHeldCharge extends HeldCharge {
  readonly state: HeldState;
}

export interface HeldCharges {
  /** Resolves once it is durable. There is at most one per request; a second one changes nothing. */
  hold(charge: HeldCharge): Promise<void>;
  /** The newest first; only those of one account, or in one state, where these are given. */
  list(
    only: { readonly accountId?: string; readonly state?: HeldState },
    limit: number,
  ): Promise<readonly KnownHeldCharge[]>;
  find(requestId: string): Promise<KnownHeldCharge | null>;
  /** Resolves to whether it was open until now. */
  decide(requestId: string, state: 'settled' | 'dismissed'): Promise<boolean>;
}
