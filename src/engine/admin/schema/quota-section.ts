import { z } from 'zod';
import {
  DEFAULT_QUOTAS,
  LARGEST_QUOTAS,
  type ObjectQuotas,
  type QuotaName,
  type QuotaOverrides,
} from '../../../domain/access/object-quotas.ts';
import { integer, MAP } from '../../../providers/shared/file-fields.ts';

/** The names of the quotas in the configuration. */
export const QUOTA_FIELDS = {
  keys: 'keys',
  managementTokens: 'management_tokens',
  channels: 'channels',
  channelModels: 'channel_models',
  channelKeys: 'channel_keys',
  members: 'members',
  openInvitations: 'open_invitations',
  alertRules: 'alert_rules',
  alertWebhooks: 'alert_webhooks',
} as const satisfies Record<QuotaName, string>;

const NAMES = Object.keys(QUOTA_FIELDS) as QuotaName[]; // The names in its type.

const upTo = (most: number) => integer(`must be a whole number from 0 to ${most}`, 0, most).nullish();

export const quotasSchema = z.strictObject(
  {
    keys: upTo(LARGEST_QUOTAS.keys),
    management_tokens: upTo(LARGEST_QUOTAS.managementTokens),
    channels: upTo(LARGEST_QUOTAS.channels),
    channel_models: upTo(LARGEST_QUOTAS.channelModels),
    channel_keys: upTo(LARGEST_QUOTAS.channelKeys),
    members: upTo(LARGEST_QUOTAS.members),
    open_invitations: upTo(LARGEST_QUOTAS.openInvitations),
    alert_rules: upTo(LARGEST_QUOTAS.alertRules),
    alert_webhooks: upTo(LARGEST_QUOTAS.alertWebhooks),
  },
  MAP,
);

type FileQuotas = z.output<typeof quotasSchema>;

/** Returns the quotas of every account that has none of its own. */
export function quotasFrom(quotas: FileQuotas): ObjectQuotas {
  return { ...DEFAULT_QUOTAS, ...quotaOverridesFrom(quotas) };
}

/** Returns the overrides, or `null` if nothing is set. */
export function quotaOverridesFrom(quotas: FileQuotas | null): QuotaOverrides | null {
  const stated = NAMES.flatMap((name) => {
    const value = quotas?.[QUOTA_FIELDS[name]] ?? null;
    return value === null ? [] : [[name, value] as const];
  });
  return stated.length === 0 ? null : Object.fromEntries(stated);
}

/** Returns the quotas in the form of the configuration. */
export function quotaFields(quotas: QuotaOverrides): Readonly<Record<string, number>> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = quotas[name];
      return value === undefined ? [] : [[QUOTA_FIELDS[name], value] as const];
    }),
  );
}
