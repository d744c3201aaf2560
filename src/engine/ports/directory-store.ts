import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { SyncedModel } from '../../domain/catalog/listed-model.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';

/** Everything that routing and access need, read whole; it is small (thousands of rows) and changes seldom. */
export interface DirectoryRows {
  readonly accounts: readonly Account[];
  readonly credentials: readonly Credential[];
  /** What was stated of models; the catalogue knows the rest. */
  readonly models: readonly DeclaredModel[];
  /** What was taken over from public price lists, by provider and id. */
  readonly syncedModels: readonly SyncedModel[];
  readonly channels: readonly Channel[];
}

/** The verbs inside one transaction; each `put` inserts or replaces by the object's id. */
export interface DirectoryWriter {
  read(): DirectoryRows;
  putAccount(account: Account): void;
  /** Identified by `(accountId, kind, id)`. */
  putCredential(credential: Credential): void;
  putModel(model: DeclaredModel): void;
  deleteModel(id: string): void;
  /** Identified by `(provider, id)`. */
  putSyncedModel(model: SyncedModel): void;
  deleteSyncedModel(provider: string, id: string): void;
  /** The key is encrypted before it is written. */
  putChannel(channel: Channel): void;
  deleteChannel(id: string): void;
}

/** The configuration objects: accounts, credentials, models, channels. */
export interface DirectoryStore {
  read(): Promise<DirectoryRows>;
  /** Runs `change` in one transaction: all of it is durable when the promise resolves, or none. */
  write<Result>(change: (writer: DirectoryWriter) => Result): Promise<Result>;
  /** A number that differs after any process has changed the directory; cheap enough to ask several times a second. */
  version(): Promise<number>;
}
