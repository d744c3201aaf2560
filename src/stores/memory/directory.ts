import type { Account } from '../../domain/access/account.ts';
import type { Credential, CredentialKind } from '../../domain/access/api-key.ts';
import { isExpired } from '../../domain/access/expiry.ts';
import { type Principal, principalOf } from '../../domain/access/principal.ts';
import type { AuditLog } from '../../engine/ports/audit-log.ts';
import type {
  AccountFilter,
  AccountPage,
  CredentialPage,
  DirectoryRows,
  DirectoryScope,
  DirectoryState,
  DirectoryStore,
  DirectoryWriter,
  ServingChanges,
} from '../../engine/ports/directory-store.ts';
import {
  accessRows,
  channelFinderOf,
  credentialKey,
  findersOf,
  hasServing,
  missingAccounts,
  NO_SERVING,
} from '../shared/access-scope.ts';
import { type DirectoryChanges, draftChange } from '../shared/directory-draft.ts';

/** The configuration objects in this process's memory. */
export class MemoryDirectory implements DirectoryStore {
  #rows: DirectoryRows = { accounts: [], credentials: [], models: [], syncedModels: [], channels: [] };
  #servingVersion = 0;
  #accessVersion = 0;
  readonly #servingChangedAt = new Map<string | null, number>();
  readonly #changedAt = new Map<string, number>();
  /** Credentials by the hash of a former secret. */
  readonly #retired = new Map<string, string>();
  readonly #onChannelDeleted: (channelId: string) => void;
  readonly #audit: Pick<AuditLog, 'append'>;

  constructor(onChannelDeleted: (channelId: string) => void, audit: Pick<AuditLog, 'append'>) {
    this.#audit = audit;
    this.#onChannelDeleted = onChannelDeleted;
  }

  async read(scope: DirectoryScope): Promise<DirectoryRows> {
    return this.#inScope(scope);
  }

  async write<Result>(scope: DirectoryScope, change: (writer: DirectoryWriter) => Result): Promise<Result> {
    const { result, changes, audit } = draftChange(this.#inScope(scope), change);
    // Does not await, so that no other change can come in between.
    if (changes !== null) this.#takeOver(changes);
    await this.#audit.append(audit);
    return result;
  }

  async principal(secretHash: string): Promise<Principal | null> {
    const retired = this.#retired.get(secretHash);
    const { credentials } = this.#rows;
    const credential =
      credentials.findLast((one) => one.secretHash === secretHash) ??
      credentials.find((one) => credentialKey(one) === retired);
    const account = this.#rows.accounts.find(({ id }) => id === credential?.accountId);
    return credential === undefined || account === undefined ? null : principalOf(account, credential, secretHash);
  }

  async accounts({ after, limit, only = {} }: AccountPage): Promise<readonly Account[]> {
    return this.#rows.accounts
      .filter((account) => (after === null || account.id > after) && passes(account, only))
      .slice(0, limit);
  }

  async countKeys(accountIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>> {
    const usable = this.#usable();
    const countOf = (id: string) => Math.min(most, usable.filter(({ accountId }) => accountId === id).length);
    return new Map(accountIds.map((id) => [id, countOf(id)]));
  }

  async credentials({ accountId, kind, after, limit }: CredentialPage): Promise<readonly Credential[]> {
    const start = after === null ? null : credentialKey(after);
    return this.#rows.credentials
      .filter(
        (credential) =>
          (accountId === undefined || credential.accountId === accountId) &&
          (kind === undefined || credential.kind === kind) &&
          (start === null || credentialKey(credential) > start),
      )
      .slice(0, limit);
  }

  async hasUsableKey(nowMs: number): Promise<boolean> {
    const inUse = new Set(this.#rows.accounts.flatMap(({ id, archivedAtMs }) => (archivedAtMs === null ? [id] : [])));
    return this.#usable().some((credential) => inUse.has(credential.accountId) && !isExpired(credential, nowMs));
  }

  async state(): Promise<DirectoryState> {
    return {
      servingVersion: this.#servingVersion,
      accessVersion: this.#accessVersion,
      hasSeveralAccounts: new Set(this.#usable().map(({ accountId }) => accountId)).size > 1,
    };
  }

  async accountsChangedSince(accessVersion: number, most: number): Promise<readonly string[] | null> {
    const changed = [...this.#changedAt].flatMap(([id, version]) => (version > accessVersion ? [id] : []));
    return changed.length > most ? null : changed;
  }

  async servingChangedSince(servingVersion: number, most: number): Promise<ServingChanges | null> {
    const changed = [...this.#servingChangedAt].flatMap(([owner, at]) => (at > servingVersion ? [owner] : []));
    const accounts = changed.filter((owner) => owner !== null);
    return changed.length > most ? null : { shared: changed.includes(null), accounts };
  }

  allAccounts(): readonly Account[] {
    return this.#rows.accounts;
  }

  hasChannel(channelId: string): boolean {
    return this.#rows.channels.some(({ id }) => id === channelId);
  }

  #usable(): readonly Credential[] {
    return this.#rows.credentials.filter(({ kind, revokedAtMs }) => kind === 'inference' && revokedAtMs === null);
  }

  #takeOver(changes: DirectoryChanges): void {
    // Applies the changes to all rows again, so that the result is sorted as a whole.
    const { rows } = draftChange(this.#rows, (writer) => {
      for (const { id } of changes.deleted.models) writer.deleteModel(id);
      for (const { provider, id } of changes.deleted.syncedModels) writer.deleteSyncedModel(provider, id);
      for (const { id } of changes.deleted.channels) writer.deleteChannel(id);
      for (const account of changes.put.accounts) writer.putAccount(account);
      for (const credential of changes.put.credentials) writer.putCredential(credential);
      for (const model of changes.put.models) writer.putModel(model);
      for (const model of changes.put.syncedModels) writer.putSyncedModel(model);
      for (const channel of changes.put.channels) writer.putChannel(channel);
    });
    this.#retireSecrets(changes.put.credentials);
    const putIds = new Set(changes.put.channels.map(({ id }) => id));
    const replaced = this.#rows.channels.filter(({ id }) => putIds.has(id));
    this.#rows = rows;
    this.#count([
      ...changes.put.accounts.map(({ id }) => id),
      ...changes.put.credentials.map(({ accountId }) => accountId),
    ]);
    const { deleted, put } = changes;
    this.#countServing([
      ...[deleted.models, deleted.syncedModels, put.models, put.syncedModels].flatMap((rows) =>
        rows.length > 0 ? [null] : [],
      ),
      ...[...deleted.channels, ...put.channels, ...replaced].map(({ owner }) => owner),
    ]);
    for (const { id } of deleted.channels) this.#onChannelDeleted(id);
  }

  /** Must run before the change is applied. */
  #retireSecrets(changed: readonly Credential[]): void {
    const after = new Map(changed.map((credential) => [credentialKey(credential), credential.secretHash]));
    if (after.size === 0) return;
    for (const before of this.#rows.credentials) {
      const key = credentialKey(before);
      if (after.has(key) && after.get(key) !== before.secretHash) this.#retired.set(before.secretHash, key);
    }
  }

  /** @param owners the owners of the channels before and after; `null` for shared rows */
  #countServing(owners: readonly (string | null)[]): void {
    if (owners.length === 0) return;
    this.#servingVersion += 1;
    for (const owner of owners) this.#servingChangedAt.set(owner, this.#servingVersion);
  }

  #count(accountIds: readonly string[]): void {
    for (const id of accountIds) this.#changedAt.set(id, ++this.#accessVersion);
  }

  #inScope(scope: DirectoryScope): DirectoryRows {
    const { models, syncedModels } = hasServing(scope) ? this.#rows : NO_SERVING;
    const wanted = channelFinderOf(scope);
    const channels = this.#rows.channels.filter(
      ({ id, owner }) => wanted === 'all' || wanted.owners.includes(owner) || wanted.ids.includes(id),
    );
    const finders = findersOf(scope);
    const keys = new Set(finders.keys.map(credentialKey));
    const secrets = scope === 'all' ? [] : (scope.secretHashes ?? []);
    const retired = new Set(secrets.flatMap((secretHash) => this.#retired.get(secretHash) ?? []));
    const credentials = this.#rows.credentials.filter(
      (credential) =>
        keys.has(credentialKey(credential)) ||
        retired.has(credentialKey(credential)) ||
        finders.credentials.some(
          (finder) => finder === null || finder.values.includes(CREDENTIAL[finder.column](credential)),
        ),
    );
    const accounts = this.#rows.accounts.filter((account) =>
      finders.accounts.some((finder) => finder === null || finder.values.includes(account[finder.column])),
    );
    const others = missingAccounts(accounts, credentials, channels)?.values ?? [];
    const all = [...accounts, ...this.#rows.accounts.filter(({ id }) => others.includes(id))];
    return { ...accessRows(all, credentials), ...this.#counts(scope), models, syncedModels, channels };
  }

  #counts(scope: DirectoryScope): Pick<DirectoryRows, 'counts'> {
    if (scope === 'all' || scope.countsOf === undefined) return {};
    const { countsOf } = scope;
    const counts = KINDS.flatMap((kind) =>
      countsOf.map((accountId) => {
        const own = this.#rows.credentials.filter((one) => one.accountId === accountId && one.kind === kind);
        const inForce = own.filter(({ revokedAtMs }) => revokedAtMs === null).length;
        return { accountId, kind, inForce, all: own.length };
      }),
    );
    return { counts };
  }
}

const KINDS: readonly CredentialKind[] = ['inference', 'management'];

function passes({ id, name, ...account }: Account, { text, role, billing, isArchived }: AccountFilter): boolean {
  const wanted = text?.toLowerCase() ?? '';
  return (
    [id, name].some((words) => words.toLowerCase().includes(wanted)) &&
    (role === undefined || account.role === role) &&
    (billing === undefined || account.billing === billing) &&
    (isArchived === undefined || (account.archivedAtMs !== null) === isArchived)
  );
}

const CREDENTIAL = {
  account_id: ({ accountId }: Credential) => accountId,
  id: ({ id }: Credential) => id,
  secret_hash: ({ secretHash }: Credential) => secretHash,
  preview: ({ preview }: Credential) => preview,
  origin: ({ origin }: Credential) => origin,
};
