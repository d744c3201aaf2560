import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { Model } from '../../domain/catalog/model.ts';
import type { DirectoryRows, DirectoryWriter } from '../../engine/ports/directory-store.ts';
import { channelWithoutOwner, credentialWithoutAccount, refusePromise } from './references.ts';

/** What is to be written, deletions first: what was deleted and put again is in both. */
export interface DirectoryChanges {
  readonly deletedModels: ReadonlySet<string>;
  readonly deletedChannels: ReadonlySet<string>;
  /** Only what was put, as it was put last. */
  readonly put: DirectoryRows;
}

/** The outcome of a change of the directory, before anything of it is kept. */
export interface DirectoryDraft<Result> {
  readonly result: Result;
  /** `null` where nothing was put and nothing deleted. */
  readonly changes: DirectoryChanges | null;
  /** The whole directory as it is after the change. */
  readonly rows: DirectoryRows;
}

/** Runs a change on a copy of the rows, for a store whose own transactions wait: the change itself must not. */
export function draftChange<Result>(
  rows: DirectoryRows,
  change: (writer: DirectoryWriter) => Result,
): DirectoryDraft<Result> {
  const tables = tablesOf(rows);
  const put = tablesOf({ accounts: [], credentials: [], models: [], channels: [] });
  const deletedModels = new Set<string>();
  const deletedChannels = new Set<string>();
  const result = change(writerTo(tables, put, deletedModels, deletedChannels));
  refusePromise(result);
  const hasPut = Object.values(put).some((table) => table.size > 0);
  const hasChanged = hasPut || deletedModels.size > 0 || deletedChannels.size > 0;
  return {
    result,
    changes: hasChanged ? { deletedModels, deletedChannels, put: rowsOf(put) } : null,
    rows: rowsOf(tables),
  };
}

interface Tables {
  readonly accounts: Map<string, Account>;
  readonly credentials: Map<string, Credential>;
  readonly models: Map<string, Model>;
  readonly channels: Map<string, Channel>;
}

function tablesOf({ accounts, credentials, models, channels }: DirectoryRows): Tables {
  return {
    accounts: new Map(accounts.map((account) => [account.id, account])),
    credentials: new Map(credentials.map((credential) => [credentialKey(credential), credential])),
    models: new Map(models.map((model) => [model.id, model])),
    channels: new Map(channels.map((channel) => [channel.id, channel])),
  };
}

function credentialKey({ accountId, kind, id }: Credential): string {
  return [accountId, kind, id].join('\0');
}

function rowsOf({ accounts, credentials, models, channels }: Tables): DirectoryRows {
  return {
    accounts: sorted(accounts),
    credentials: sorted(credentials),
    models: sorted(models),
    channels: sorted(channels),
  };
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** Objects are copied on their way in, so that a caller who changes his own later does not change the store. */
function writerTo(
  tables: Tables,
  put: Tables,
  deletedModels: Set<string>,
  deletedChannels: Set<string>,
): DirectoryWriter {
  function putInto<Row>(into: Map<string, Row>, puts: Map<string, Row>, key: string, row: Row): void {
    const copy = structuredClone(row);
    into.set(key, copy);
    puts.set(key, copy);
  }
  return {
    read: () => rowsOf(tables),
    putAccount: (account) => putInto(tables.accounts, put.accounts, account.id, account),
    putCredential(credential) {
      if (!tables.accounts.has(credential.accountId)) throw credentialWithoutAccount(credential);
      putInto(tables.credentials, put.credentials, credentialKey(credential), credential);
    },
    putModel: (model) => putInto(tables.models, put.models, model.id, model),
    deleteModel(id) {
      if (tables.models.delete(id)) deletedModels.add(id);
      put.models.delete(id);
    },
    putChannel(channel) {
      if (channel.owner !== null && !tables.accounts.has(channel.owner)) throw channelWithoutOwner(channel);
      putInto(tables.channels, put.channels, channel.id, channel);
    },
    deleteChannel(id) {
      if (tables.channels.delete(id)) deletedChannels.add(id);
      put.channels.delete(id);
    },
  };
}
