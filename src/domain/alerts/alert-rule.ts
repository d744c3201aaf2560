import type { Origin } from '../catalog/model.ts';

export const ALERT_KINDS = ['balance_below', 'budget_spent', 'key_limit_spent', 'error_rate', 'channel_state'] as const;

export const ERROR_RATE_SUBJECTS = ['account', 'model', 'channel'] as const;
export type ErrorRateSubject = (typeof ERROR_RATE_SUBJECTS)[number];

/** `blocked`: the gateway has taken the channel out of use; `resting`: it waits before it asks one of the channel's models again. */
export const ALERTING_CHANNEL_STATES = ['blocked', 'resting'] as const;
export type AlertingChannelState = (typeof ALERTING_CHANNEL_STATES)[number];

/** What a rule watches for. Percentages are whole numbers. */
export type AlertCondition =
  | { readonly kind: 'balance_below'; readonly thresholdNanoUsd: bigint }
  | {
      readonly kind: 'budget_spent';
      readonly percent: number;
      readonly of: 'account' | 'key';
      /** One key alone; `null` for each that has a budget. */
      readonly keyId: string | null;
    }
  | {
      readonly kind: 'key_limit_spent';
      readonly percent: number;
      /** One key alone; `null` for each that has a limit. */
      readonly keyId: string | null;
    }
  | {
      readonly kind: 'error_rate';
      readonly percent: number;
      readonly windowMinutes: number;
      readonly minimumRequests: number;
      readonly of: ErrorRateSubject;
      /** One model or channel alone; `null` for each. */
      readonly id: string | null;
    }
  | {
      readonly kind: 'channel_state';
      readonly states: readonly AlertingChannelState[];
      /** A channel that rests is told of after so long. */
      readonly restingMs: number;
      /** One channel alone; `null` for each. */
      readonly channelId: string | null;
    };

/** An object of an account's alerts, or of the operators' (`accountId: null`). */
export interface AlertPlace {
  readonly accountId: string | null;
  readonly id: string;
}

export interface AlertRule extends AlertPlace {
  readonly name: string;
  readonly enabled: boolean;
  readonly condition: AlertCondition;
  /** Of a rule of the operators: the accounts that it is about, `null` for all. Of an account's rule: `null`, it is about its own. */
  readonly accounts: readonly string[] | null;
  /** The ids of the targets that are told, of the same owner; `null` for all of them. */
  readonly targets: readonly string[] | null;
  /** How often it is told again while it lasts; `null` for never. */
  readonly repeatMs: number | null;
  readonly origin: Origin;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** The accounts that a rule is about; `null` for all. */
export function accountsOf({
  accountId,
  accounts,
}: Pick<AlertRule, 'accountId' | 'accounts'>): readonly string[] | null {
  return accountId === null ? accounts : [accountId];
}
