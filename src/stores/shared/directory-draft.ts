import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import type { SyncedModel } from '../../domain/catalog/synced-model.ts';
import type { Guard } from '../../domain/guards/guard.ts';
import type { NewAuditEntry } from '../../engine/ports/audit-log.ts';
import type { DirectoryRows, DirectoryWriter } from '../../engine/ports/directory-store.ts';
import { credentialKey } from './access-scope.ts';

/** The changes to write, deletions first: an object that was deleted and put again is in both lists. */
export interface DirectoryChanges {
  /** The deleted rows. Accounts and credentials are never deleted. */
  readonly deleted: Pick<DirectoryRows, 'models' | 'syncedModels' | 'channels' | 'guards'>;
  /** The last version of each row that was put. */
  readonly put: DirectoryRows;
}

/** The outcome of a directory change before it is written. */
export interface DirectoryDraft<Result> {
  readonly result: Result;
  /** `null` if nothing was put or deleted. */
  readonly changes: DirectoryChanges | null;
  /** The rows after the change. */
  readonly rows: DirectoryRows;
  readonly audit: readonly NewAuditEntry[];
}

/** Runs a change on a copy of the rows in its scope. For stores with asynchronous transactions, since the change itself is synchronous. */
export function draftChange<Result>(
  rows: DirectoryRows,
  change: (writer: DirectoryWriter) => Result,
): DirectoryDraft<Result> {
  const tables = tablesOf(rows);
  const put = tablesOf(EMPTY);
  const gone: Tables = tablesOf(EMPTY);
  const audit: NewAuditEntry[] = [];
  const result = change({
    ...writerTo(tables, put, gone, rows.counts === undefined ? {} : { counts: rows.counts }),
    appendAudit: (entry) => void audit.push(entry),
  });
  refusePromise(result);
  const hasChanged = [put, gone].some((all) => Object.values(all).some((table) => table.size > 0));
  return {
    result,
    changes: hasChanged ? { deleted: rowsOf(gone), put: rowsOf(put) } : null,
    rows: rowsOf(tables),
    audit,
  };
}

const EMPTY: DirectoryRows = { accounts: [], credentials: [], models: [], syncedModels: [], channels: [] };

interface Tables {
  readonly accounts: Map<string, Account>;
  readonly credentials: Map<string, Credential>;
  readonly models: Map<string, DeclaredModel>;
  readonly syncedModels: Map<string, SyncedModel>;
  readonly channels: Map<string, Channel>;
  readonly guards: Map<string, Guard>;
}

function tablesOf(rows: DirectoryRows): Tables {
  const { accounts, credentials, models, syncedModels, channels, guards = [] } = rows;
  return {
    accounts: new Map(accounts.map((account) => [account.id, account])),
    credentials: new Map(credentials.map((credential) => [credentialKey(credential), credential])),
    models: new Map(models.map((model) => [model.id, model])),
    syncedModels: new Map(syncedModels.map((model) => [syncedKey(model), model])),
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    guards: new Map(guards.map((guard) => [guard.id, guard])),
  };
}

function syncedKey({ provider, id }: Pick<SyncedModel, 'provider' | 'id'>): string {
  return `${provider}\0${id}`;
}

function rowsOf({ accounts, credentials, models, syncedModels, channels, guards }: Tables): DirectoryRows {
  return {
    accounts: sorted(accounts),
    credentials: sorted(credentials),
    models: sorted(models),
    syncedModels: sorted(syncedModels),
    channels: sorted(channels),
    ...(guards.size > 0 && { guards: sorted(guards) }),
  };
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Copies objects, so that later mutations by the caller do not affect the store. */
function writerTo(
  tables: Tables,
  put: Tables,
  gone: Tables,
  counts: Pick<DirectoryRows, 'counts'>,
): Omit<DirectoryWriter, 'appendAudit'> {
  function putInto<Row>(into: Map<string, Row>, puts: Map<string, Row>, key: string, row: Row): void {
    const copy = structuredClone(row);
    into.set(key, copy);
    puts.set(key, copy);
  }
  function deleteFrom<Row>(from: Map<string, Row>, puts: Map<string, Row>, into: Map<string, Row>, key: string): void {
    const row = from.get(key);
    if (row !== undefined) into.set(key, row);
    from.delete(key);
    puts.delete(key);
  }
  return {
    read: () => ({ ...rowsOf(tables), ...counts }),
    putAccount: (account) => putInto(tables.accounts, put.accounts, account.id, account),
    putCredential(credential) {
      if (!tables.accounts.has(credential.accountId)) throw credentialWithoutAccount(credential);
      putInto(tables.credentials, put.credentials, credentialKey(credential), credential);
    },
    putModel: (model) => putInto(tables.models, put.models, model.id, model),
    deleteModel: (id) => deleteFrom(tables.models, put.models, gone.models, id),
    putSyncedModel: (model) => putInto(tables.syncedModels, put.syncedModels, syncedKey(model), model),
    deleteSyncedModel: (provider, id) =>
      deleteFrom(tables.syncedModels, put.syncedModels, gone.syncedModels, syncedKey({ provider, id })),
    putGuard: (guard) => putInto(tables.guards, put.guards, guard.id, guard),
    deleteGuard: (id) => deleteFrom(tables.guards, put.guards, gone.guards, id),
    putChannel(channel) {
      if (channel.owner !== null && !tables.accounts.has(channel.owner)) throw channelWithoutOwner(channel);
      putInto(tables.channels, put.channels, channel.id, channel);
    },
    deleteChannel: (id) => deleteFrom(tables.channels, put.channels, gone.channels, id),
  };
}

/** Returns the error for a credential whose account does not exist. */
function credentialWithoutAccount(credential: Credential): Error {
  return new Error(
    `The ${credential.kind} credential "${credential.id}" belongs to the account "${credential.accountId}", which does not exist: create the account first.`,
  );
}

/** Returns the error for a PRIVATE channel whose owner does not exist. */
function channelWithoutOwner(channel: Channel): Error {
  return new Error(
    `The channel "${channel.id}" is private to the account "${channel.owner}", which does not exist: create the account first.`,
  );
}

/** Throws if a change is asynchronous: whatever follows its first `await` would be outside the transaction. */
function refusePromise(result: unknown): void {
  if (result instanceof Promise)
    throw new Error('The change of a directory write must be synchronous; it returned a promise.');
}
