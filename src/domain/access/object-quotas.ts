/** The most objects of each kind that one account may have. */
export interface ObjectQuotas {
  /** API keys that are not revoked. */
  readonly keys: number;
  /** Management tokens that are not revoked. */
  readonly managementTokens: number;
  /** PRIVATE channels. */
  readonly channels: number;
  /** Model ids of all PRIVATE channels; an id in two channels counts twice. */
  readonly channelModels: number;
  /** Upstream keys of all PRIVATE channels that have several. */
  readonly channelKeys: number;
  readonly members: number;
  /** Invitations that can still be accepted. */
  readonly openInvitations: number;
  readonly alertRules: number;
  readonly alertWebhooks: number;
}

export type QuotaName = keyof ObjectQuotas;

/** Enough for a team that gives each of its services its own keys. */
export const DEFAULT_QUOTAS: ObjectQuotas = {
  keys: 1_000,
  managementTokens: 100,
  channels: 50,
  channelModels: 2_000,
  channelKeys: 50,
  members: 500,
  openInvitations: 500,
  alertRules: 50,
  alertWebhooks: 10,
};

/** The upper limits: all requests read what channels serve (`channel-bounds.ts`), and alerts are evaluated every few seconds. */
export const LARGEST_QUOTAS: ObjectQuotas = {
  keys: 1_000_000,
  managementTokens: 10_000,
  channels: 200,
  channelModels: 10_000,
  channelKeys: 1_000,
  members: 100_000,
  openInvitations: 10_000,
  alertRules: 500,
  alertWebhooks: 50,
};

/** Revoked keys and tokens are kept for the audit log; an account may have ten times as many of them. */
export const REVOKED_FACTOR = 10;

/** An account's quotas that replace the general ones. */
export type QuotaOverrides = Readonly<Partial<ObjectQuotas>>;
