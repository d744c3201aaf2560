import type { Account, BillingMode, Role } from '../../domain/access/account.ts';
import type { Credential, CredentialKey, CredentialKind } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import type { SyncedModel } from '../../domain/catalog/synced-model.ts';
import type { Guard } from '../../domain/guards/guard.ts';
import type { NewAuditEntry } from './audit-log.ts';

/** The rows that route requests. They are always read as a whole, since they are few (thousands) and rarely change. */
export interface ServingRows {
  /** Declared model facts; the catalog has the rest. */
  readonly models: readonly DeclaredModel[];
  /** Facts imported from public price lists, by provider and id. */
  readonly syncedModels: readonly SyncedModel[];
  readonly channels: readonly Channel[];
  /** The guards of the operator; absent for none. */
  readonly guards?: readonly Guard[];
}

/** The accounts and credentials in the scope. They are never read as a whole by requests, since a reseller has hundreds of thousands. */
export interface AccessRows {
  readonly accounts: readonly Account[];
  readonly credentials: readonly Credential[];
  /** Counts for the accounts in `countsOf`; kinds without credentials may be missing. */
  readonly counts?: readonly CredentialCount[];
}

/** The number of an account's credentials of one kind before the change. */
export interface CredentialCount {
  readonly accountId: string;
  readonly kind: CredentialKind;
  /** The number that is not revoked. */
  readonly inForce: number;
  /** The number including revoked ones. */
  readonly all: number;
}

export interface DirectoryRows extends ServingRows, AccessRows {}

/**
 * The rows to read: by default all models, price lists, guards and channels, plus the named accounts and credentials. The account of each
 * credential and the owner of each channel are always included.
 */
export type DirectoryScope =
  | 'all'
  | {
      /** Account ids. */
      readonly accounts?: readonly string[];
      /** Ids of accounts of which all credentials are read. */
      readonly credentialsOf?: readonly string[];
      readonly credentials?: readonly CredentialKey[];
      /** SHA-256 hashes of secrets, in lower-case hex. */
      readonly secretHashes?: readonly string[];
      /** Credential ids. They are unique per account only. */
      readonly credentialIds?: readonly string[];
      readonly previews?: readonly string[];
      /** Ids of accounts whose credentials are counted. */
      readonly countsOf?: readonly string[];
      /** Includes all accounts and credentials that come from the configuration. */
      readonly configured?: boolean;
      /** The id of a guard: includes accounts and credentials in force that name it, `MOST_NAMING` of each. */
      readonly naming?: string;
      /** Excludes models, price lists, guards and channels, except those in `channelsOf` and `channelIds`. */
      readonly serving?: false;
      /** Reads only the channels of these accounts; `null` stands for PLATFORM channels. */
      readonly channelsOf?: readonly (string | null)[];
      /** Reads only the channels with these ids, and those of `channelsOf`. */
      readonly channelIds?: readonly string[];
    };

/** The most accounts, and the most credentials, that are read because they name something. */
export const MOST_NAMING = 5;

/** Everything except accounts and credentials. */
export const SERVING_ONLY: DirectoryScope = {};

/** Models and price lists without channels. */
export const CATALOG_ONLY: DirectoryScope = { channelsOf: [] };

/**
 * Returns a scope with one channel and the other channels of its presumed owner: the given account, or PLATFORM. It avoids reading the
 * channels of all accounts.
 */
export function channelScope(id: string, accountId: string | null): Exclude<DirectoryScope, 'all'> {
  return { serving: false, channelsOf: [accountId], channelIds: [id] };
}

/** A page of accounts: those after `after`, or from the beginning. */
export interface AccountPage {
  /** An account id; the account need not exist. */
  readonly after: string | null;
  readonly limit: number;
  /** Conditions that must all hold. */
  readonly only?: AccountFilter;
}

export interface AccountFilter {
  /** A substring of the id or name. ASCII letters match in either case. */
  readonly text?: string;
  readonly role?: Role;
  readonly billing?: BillingMode;
  readonly isArchived?: boolean;
}

export interface CredentialPage {
  /** Restricts the page to one account. */
  readonly accountId?: string;
  readonly kind?: CredentialKind;
  /** A substring of the id, the name or the preview. ASCII letters match in either case. */
  readonly text?: string;
  readonly after: CredentialKey | null;
  readonly limit: number;
}

/** The operations of one transaction. Each `put` inserts the object or replaces the one with the same id. */
export interface DirectoryWriter {
  /** Returns the rows in the transaction's scope, including its own writes. */
  read(): DirectoryRows;
  putAccount(account: Account): void;
  /** The identity is `(accountId, kind, id)`. */
  putCredential(credential: Credential): void;
  putModel(model: DeclaredModel): void;
  deleteModel(id: string): void;
  /** The identity is `(provider, id)`. */
  putSyncedModel(model: SyncedModel): void;
  deleteSyncedModel(provider: string, id: string): void;
  putGuard(guard: Guard): void;
  deleteGuard(id: string): void;
  /** Encrypts the channel's key before writing it. */
  putChannel(channel: Channel): void;
  deleteChannel(id: string): void;
  /** Appends an audit entry in the same transaction as the changes. */
  appendAudit(entry: NewAuditEntry): void;
}

/** Versions that reveal changes; cheap enough to poll several times a second. */
export interface DirectoryState {
  /** Changes whenever any process changes models, price lists, guards or channels. */
  readonly servingVersion: number;
  /** Increases with every change of accounts or credentials. */
  readonly accessVersion: number;
  /** Whether the keys that can send requests belong to more than one account. */
  readonly hasSeveralAccounts: boolean;
}

/** The owners whose models, price lists or channels have changed. */
export interface ServingChanges {
  /** Whether models, price lists or PLATFORM channels have changed. */
  readonly shared: boolean;
  /** The accounts whose PRIVATE channels have changed or moved to another owner. */
  readonly accounts: readonly string[];
}

/** Ids of objects whose names are to be shown. */
export interface NamedIds {
  readonly accounts: readonly string[];
  readonly channels: readonly string[];
  /** Keys for requests; management tokens have other ids. */
  readonly keys: readonly Pick<CredentialKey, 'accountId' | 'id'>[];
}

/** The names of the objects that exist, in no order. */
export interface FoundNames {
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
  readonly channels: readonly { readonly id: string; readonly name: string; readonly owner: string | null }[];
  readonly keys: readonly { readonly accountId: string; readonly id: string; readonly name: string }[];
}

/** The configuration objects: accounts, credentials, models, channels. */
export interface DirectoryStore {
  read(scope: DirectoryScope): Promise<DirectoryRows>;
  /**
   * Runs `change` in one transaction, which is durable when the promise resolves. The accounts of all written objects must be in the
   * scope or written before them.
   */
  write<Result>(scope: DirectoryScope, change: (writer: DirectoryWriter) => Result): Promise<Result>;
  /** Finds a principal by the SHA-256 of the secret, in lower-case hex. Synchronous if the result is cached. */
  principal(secretHash: string): Principal | null | Promise<Principal | null>;
  /** Resolves to accounts sorted by the bytes of their ids. */
  accounts(page: AccountPage): Promise<readonly Account[]>;
  /** Resolves to the names of objects, by their primary keys and without anything else of them. */
  names(ids: NamedIds): Promise<FoundNames>;
  /** Resolves to the number of unrevoked keys of each account, at most `most`. Accounts without keys may be missing. */
  countKeys(accountIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>>;
  /** Resolves to credentials sorted by account, kind and id, including revoked ones. */
  credentials(page: CredentialPage): Promise<readonly Credential[]>;
  /** Whether any account in use has an `sk-` key that is neither revoked nor expired at `nowMs` (milliseconds since 1970). */
  hasUsableKey(nowMs: number): Promise<boolean>;
  state(): Promise<DirectoryState>;
  /**
   * Resolves to the ids of accounts that changed, or whose credentials changed, after that version; `null` if there are more than `most`.
   */
  accountsChangedSince(accessVersion: number, most: number): Promise<readonly string[] | null>;
  /** Resolves to the owners of models, price lists and channels that changed after that version; `null` if there are more than `most`. */
  servingChangedSince(servingVersion: number, most: number): Promise<ServingChanges | null>;
}
