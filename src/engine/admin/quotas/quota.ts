import type { Account } from '../../../domain/access/account.ts';
import type { ObjectQuotas, QuotaName } from '../../../domain/access/object-quotas.ts';
import type { DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { QUOTA_FIELDS } from '../schema/quota-section.ts';

/** The users' name for each kind of object, and how they can make room. */
const OBJECTS: Readonly<Record<QuotaName, { readonly what: string; readonly instead: string }>> = {
  keys: { what: 'API keys', instead: 'revoke one that is not needed' },
  managementTokens: { what: 'management tokens', instead: 'revoke one that is not needed' },
  channels: { what: 'PRIVATE channels', instead: 'delete one that is not needed' },
  channelModels: { what: 'models in its PRIVATE channels', instead: 'name fewer models' },
  members: { what: 'members', instead: 'remove one first' },
  openInvitations: { what: 'pending invitations', instead: 'revoke some of them' },
  alertRules: { what: 'alert rules', instead: 'delete one that is not needed' },
  alertWebhooks: { what: 'alert destinations', instead: 'delete one that is not needed' },
};

/** Throws an `AdminError` (`conflict`) if an account would have more objects than its quota allows. */
export function refuseBeyond(quotas: ObjectQuotas | null, name: QuotaName, wanted: number): void {
  if (quotas === null || wanted <= quotas[name]) return;
  throw quotaExceeded(quotas, name);
}

export function quotaExceeded(quotas: ObjectQuotas, name: QuotaName): AdminError {
  const { what, instead } = OBJECTS[name];
  const field = QUOTA_FIELDS[name];
  const message = `the account may have ${quotas[name]} ${what}: ${instead}, or ask an admin to raise the account's quota "${field}"`;
  return new AdminError('conflict', field, message);
}

/** Returns the quotas of this account, or `null` for an operators' account, which has none. */
export function quotasOf(usual: ObjectQuotas, account: Pick<Account, 'admin' | 'quotas'>): ObjectQuotas | null {
  return account.admin ? null : { ...usual, ...account.quotas };
}

/**
 * Resolves to the quotas of an account.
 *
 * @param usual `null` for an operator, to whom quotas do not apply
 */
export async function readQuotas(
  directory: DirectoryStore,
  usual: ObjectQuotas | null,
  accountId: string | null,
): Promise<ObjectQuotas | null> {
  if (usual === null || accountId === null) return null;
  const { accounts } = await directory.read({ accounts: [accountId], serving: false });
  const account = accounts.find(({ id }) => id === accountId);
  return account === undefined ? usual : quotasOf(usual, account);
}
