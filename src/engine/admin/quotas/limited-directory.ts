import type { Account } from '../../../domain/access/account.ts';
import type { Credential } from '../../../domain/access/api-key.ts';
import { type ObjectQuotas, type QuotaName, REVOKED_FACTOR } from '../../../domain/access/object-quotas.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DirectoryRows, DirectoryScope, DirectoryStore, DirectoryWriter } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import { QUOTA_FIELDS } from '../schema/quota-section.ts';

interface DirectoryLimit {
  readonly accountId: string;
  /** The quotas of an account that has none of its own. */
  readonly usual: ObjectQuotas;
}

/**
 * Returns the directory for a member of the account, in which no change gives the account more objects than its quotas allow. Objects are
 * counted within the transaction, so that concurrent changes cannot exceed a quota. Objects in excess of a lowered quota stay, and may be
 * removed. Throws `AdminError` (`conflict`).
 */
export function limitedDirectory(store: DirectoryStore, limit: DirectoryLimit): DirectoryStore {
  return {
    read: (scope) => store.read(scope),
    write: (scope, change) =>
      store.write(counting(scope, limit.accountId), (writer) => change(new LimitedWriter(writer, limit))),
    principal: (secretHash) => store.principal(secretHash),
    accounts: (page) => store.accounts(page),
    names: (ids) => store.names(ids),
    countKeys: (accountIds, most) => store.countKeys(accountIds, most),
    credentials: (page) => store.credentials(page),
    hasUsableKey: (nowMs) => store.hasUsableKey(nowMs),
    state: () => store.state(),
    accountsChangedSince: (version, most) => store.accountsChangedSince(version, most),
    servingChangedSince: (version, most) => store.servingChangedSince(version, most),
  };
}

/** Returns the scope extended by everything that has to be counted. */
function counting(scope: DirectoryScope, accountId: string): DirectoryScope {
  if (scope === 'all') return scope;
  const { accounts = [], channelsOf, channelIds } = scope;
  const isOfChannels = channelsOf !== undefined || channelIds !== undefined;
  return {
    ...scope,
    accounts: [...accounts, accountId],
    countsOf: [accountId],
    ...(isOfChannels ? { channelsOf: [...(channelsOf ?? []), accountId] } : {}),
  };
}

class LimitedWriter implements DirectoryWriter {
  /** The rows before the change. */
  private before: DirectoryRows | null = null;
  /** The credentials that this change has added. */
  private readonly made: Credential[] = [];

  constructor(
    private readonly writer: DirectoryWriter,
    private readonly limit: DirectoryLimit,
  ) {}

  read(): DirectoryRows {
    return this.writer.read();
  }

  putCredential(credential: Credential): void {
    this.refuseCredential(credential);
    this.writer.putCredential(credential);
  }

  putChannel(channel: Channel): void {
    this.refuseChannel(channel);
    this.writer.putChannel(channel);
  }

  putAccount(account: Parameters<DirectoryWriter['putAccount']>[0]): void {
    this.writer.putAccount(account);
  }

  putGuard(guard: Parameters<DirectoryWriter['putGuard']>[0]): void {
    this.writer.putGuard(guard);
  }

  deleteGuard(id: string): void {
    this.writer.deleteGuard(id);
  }

  putModel(model: Parameters<DirectoryWriter['putModel']>[0]): void {
    this.writer.putModel(model);
  }

  deleteModel(id: string): void {
    this.writer.deleteModel(id);
  }

  putSyncedModel(model: Parameters<DirectoryWriter['putSyncedModel']>[0]): void {
    this.writer.putSyncedModel(model);
  }

  deleteSyncedModel(provider: string, id: string): void {
    this.writer.deleteSyncedModel(provider, id);
  }

  deleteChannel(id: string): void {
    this.writer.deleteChannel(id);
  }

  appendAudit(entry: Parameters<DirectoryWriter['appendAudit']>[0]): void {
    this.writer.appendAudit(entry);
  }

  private refuseCredential(credential: Credential): void {
    const { accountId, kind, id } = credential;
    const rows = this.rows();
    const isNew = !rows.credentials.some((one) => one.accountId === accountId && one.kind === kind && one.id === id);
    if (accountId !== this.limit.accountId || !isNew) return;
    const quotas = this.quotas();
    const name = kind === 'management' ? 'managementTokens' : 'keys';
    const counted = rows.counts?.find((one) => one.accountId === accountId && one.kind === kind);
    this.made.push(credential);
    const made = this.made.filter((one) => one.kind === kind).length;
    refuseBeyond(quotas, name, (counted?.inForce ?? 0) + made);
    if (quotas !== null && (counted?.all ?? 0) + made > quotas[name] * REVOKED_FACTOR) {
      const message = `the account has created ${counted?.all ?? 0} in total, including revoked ones: ask an admin to raise its quota`;
      throw new AdminError('conflict', name === 'keys' ? 'keys' : 'management_tokens', message);
    }
  }

  private refuseChannel(channel: Channel): void {
    if (channel.owner !== this.limit.accountId) return;
    const quotas = this.quotas();
    const own = this.writer.read().channels.filter(({ owner }) => owner === channel.owner);
    const before = own.find(({ id }) => id === channel.id);
    if (before === undefined) refuseBeyond(quotas, 'channels', own.length + 1);
    const grown = countOf(channel) - (before === undefined ? 0 : countOf(before));
    const models = own.reduce((count, one) => count + countOf(one), 0);
    if (grown > 0) refuseBeyond(quotas, 'channelModels', models + grown);
    const moreKeys = keysOf(channel) - (before === undefined ? 0 : keysOf(before));
    const keys = own.reduce((count, one) => count + keysOf(one), 0);
    if (moreKeys > 0) refuseBeyond(quotas, 'channelKeys', keys + moreKeys);
  }

  private quotas(): ObjectQuotas | null {
    const { accountId, usual } = this.limit;
    const account = this.rows().accounts.find(({ id }) => id === accountId);
    return account === undefined ? usual : quotasOf(usual, account);
  }

  private rows(): DirectoryRows {
    this.before ??= this.writer.read();
    return this.before;
  }
}

function countOf({ models }: Channel): number {
  return Object.keys(models).length;
}

function keysOf({ apiKeys }: Channel): number {
  return apiKeys?.length ?? 0;
}

/** The users' name for each kind of object, and how they can make room. */
const OBJECTS: Readonly<Record<QuotaName, { readonly what: string; readonly instead: string }>> = {
  keys: { what: 'API keys', instead: 'revoke one that is not needed' },
  managementTokens: { what: 'management tokens', instead: 'revoke one that is not needed' },
  channels: { what: 'PRIVATE channels', instead: 'delete one that is not needed' },
  channelModels: { what: 'models in its PRIVATE channels', instead: 'name fewer models' },
  channelKeys: { what: 'upstream keys in its PRIVATE channels', instead: 'remove one that is not needed' },
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
function quotasOf(usual: ObjectQuotas, account: Pick<Account, 'admin' | 'quotas'>): ObjectQuotas | null {
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
