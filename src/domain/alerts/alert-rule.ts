import type { Origin } from '../catalog/model.ts';

export const ALERT_KINDS = ['balance_below', 'budget_spent', 'key_limit_spent', 'error_rate', 'channel_state'] as const;

export const ERROR_RATE_SUBJECTS = ['account', 'model', 'channel'] as const;
export type ErrorRateSubject = (typeof ERROR_RATE_SUBJECTS)[number];

/** `blocked`: the gateway has taken the channel out of use; `resting`: one of the channel's models is in cooldown. */
export const ALERTING_CHANNEL_STATES = ['blocked', 'resting', 'key_blocked', 'key_capped'] as const;
/** The states of a rule that names none. Those of single keys are watched only if a rule names them. */
export const USUAL_ALERTING_STATES = ['blocked', 'resting'] as const;
export type AlertingChannelState = (typeof ALERTING_CHANNEL_STATES)[number];

/** The condition that a rule watches. Percentages are whole numbers. */
export type AlertCondition =
  | { readonly kind: 'balance_below'; readonly thresholdNanoUsd: bigint }
  | {
      readonly kind: 'budget_spent';
      readonly percent: number;
      readonly of: 'account' | 'key';
      /** A single key; `null` for every key with a budget. */
      readonly keyId: string | null;
    }
  | {
      readonly kind: 'key_limit_spent';
      readonly percent: number;
      /** A single key; `null` for every key with a limit. */
      readonly keyId: string | null;
    }
  | {
      readonly kind: 'error_rate';
      readonly percent: number;
      readonly windowMinutes: number;
      readonly minimumRequests: number;
      readonly of: ErrorRateSubject;
      /** A single model or channel; `null` for each of them. */
      readonly id: string | null;
    }
  | {
      readonly kind: 'channel_state';
      readonly states: readonly AlertingChannelState[];
      /** How long a channel must be resting before it is reported. */
      readonly restingMs: number;
      /** A single channel; `null` for each of them. */
      readonly channelId: string | null;
    };

/** The owner of an alert object: an account, or the operators (`accountId: null`). */
export interface AlertPlace {
  readonly accountId: string | null;
  readonly id: string;
}

export interface AlertRule extends AlertPlace {
  readonly name: string;
  readonly enabled: boolean;
  readonly condition: AlertCondition;
  /**
   * For an operators' rule: the accounts that it covers, `null` for all. For an account's rule: `null`, because it covers that
   * account.
   */
  readonly accounts: readonly string[] | null;
  /** The ids of the targets to notify, which have the same owner; `null` for all of them. */
  readonly targets: readonly string[] | null;
  /** How often it is repeated while it lasts; `null` for never. */
  readonly repeatMs: number | null;
  readonly origin: Origin;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Returns the accounts that a rule covers; `null` for all. */
export function accountsOf({
  accountId,
  accounts,
}: Pick<AlertRule, 'accountId' | 'accounts'>): readonly string[] | null {
  return accountId === null ? accounts : [accountId];
}
