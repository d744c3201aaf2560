import type { Account, BillingMode, Role } from '../../domain/access/account.ts';
import type { Credential, CredentialKey, CredentialKind } from '../../domain/access/api-key.ts';
import type { Principal } from '../../domain/access/principal.ts';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import type { SyncedModel } from '../../domain/catalog/synced-model.ts';
import type { NewAuditEntry } from './audit-log.ts';

/** What all requests are routed by: read whole, since it is small (thousands of rows) and changes seldom. */
export interface ServingRows {
  /** What was stated of models; the catalog knows the rest. */
  readonly models: readonly DeclaredModel[];
  /** What was taken over from public price lists, by provider and id. */
  readonly syncedModels: readonly SyncedModel[];
  readonly channels: readonly Channel[];
}

/** Those of the accounts and credentials that were asked for: a reseller has hundreds of thousands. */
export interface AccessRows {
  readonly accounts: readonly Account[];
  readonly credentials: readonly Credential[];
  /** Of the accounts whose credentials the scope counts; kinds without any may be missing. */
  readonly counts?: readonly CredentialCount[];
}

/** How many credentials of a kind an account had before the change. */
export interface CredentialCount {
  readonly accountId: string;
  readonly kind: CredentialKind;
  /** Not revoked. */
  readonly inForce: number;
  /** With the revoked ones. */
  readonly all: number;
}

export interface DirectoryRows extends ServingRows, AccessRows {}

/**
 * What is read: models, lists and channels whole, and these accounts and credentials. The account of each credential that is read,
 * and the owner of each channel, is read with it.
 */
export type DirectoryScope =
  | 'all'
  | {
      /** By id. */
      readonly accounts?: readonly string[];
      /** All credentials of these accounts. */
      readonly credentialsOf?: readonly string[];
      readonly credentials?: readonly CredentialKey[];
      /** By the SHA-256 of the secret, lower-case hex. */
      readonly secretHashes?: readonly string[];
      /** By the id within its account; several accounts may have the same. */
      readonly credentialIds?: readonly string[];
      readonly previews?: readonly string[];
      /** The credentials of these accounts are counted. */
      readonly countsOf?: readonly string[];
      /** All accounts and credentials that the configuration has made. */
      readonly configured?: boolean;
      /** No models and lists, and no channels but those of `channelsOf` and `channelIds`. */
      readonly serving?: false;
      /** Instead of all channels those of these accounts; `null` stands for the PLATFORM ones. */
      readonly channelsOf?: readonly (string | null)[];
      /** Instead of all channels those with these ids, and those of `channelsOf`. */
      readonly channelIds?: readonly string[];
    };

/** No account and no credential. */
export const SERVING_ONLY: DirectoryScope = {};

/** Models and lists without channels. */
export const CATALOG_ONLY: DirectoryScope = { channelsOf: [] };

/**
 * One channel, with what may be read beside it without reading the channels of all accounts: those of the account that it is looked
 * for in, or else the PLATFORM ones.
 */
export function channelScope(id: string, accountId: string | null): Exclude<DirectoryScope, 'all'> {
  return { serving: false, channelsOf: [accountId], channelIds: [id] };
}

/** A part of a list that may be long: what comes after `after`, or from the beginning. */
export interface AccountPage {
  /** An id, of an account or not. */
  readonly after: string | null;
  readonly limit: number;
  /** Only those of which all of this is true. */
  readonly only?: AccountFilter;
}

export interface AccountFilter {
  /** Part of the id or of the name; ASCII letters in either case. */
  readonly text?: string;
  readonly role?: Role;
  readonly billing?: BillingMode;
  readonly isArchived?: boolean;
}

export interface CredentialPage {
  /** Only those of one account. */
  readonly accountId?: string;
  readonly kind?: CredentialKind;
  readonly after: CredentialKey | null;
  readonly limit: number;
}

/** The operations inside one transaction; each `put` inserts or replaces by the object's id. */
export interface DirectoryWriter {
  /** Everything in the scope of the transaction, with what it has written so far. */
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
  /** Written with the changes that it tells of, or not at all. */
  appendAudit(entry: NewAuditEntry): void;
}

/** What tells whether something has changed; cheap enough to ask several times a second. */
export interface DirectoryState {
  /** Differs after any process has changed models, lists or channels. */
  readonly servingVersion: number;
  /** Grows with every change of accounts and credentials. */
  readonly accessVersion: number;
  /** Whether the keys that can send requests belong to more than one account. */
  readonly hasSeveralAccounts: boolean;
}

/** Whose part of the directory has changed. */
export interface ServingChanges {
  /** Models, lists or PLATFORM channels. */
  readonly shared: boolean;
  /** The accounts whose PRIVATE channels have changed, or have gone to another owner. */
  readonly accounts: readonly string[];
}

/** The configuration objects: accounts, credentials, models, channels. */
export interface DirectoryStore {
  read(scope: DirectoryScope): Promise<DirectoryRows>;
  /**
   * Runs `change` in one transaction: all of it is durable when the promise resolves, or none. The accounts that what it puts belongs
   * to are in the scope, or put before.
   */
  write<Result>(scope: DirectoryScope, change: (writer: DirectoryWriter) => Result): Promise<Result>;
  /** By the SHA-256 of the secret, lower-case hex. Not a promise if the answer is known at once. */
  principal(secretHash: string): Principal | null | Promise<Principal | null>;
  /** By id, whose characters are compared as bytes. */
  accounts(page: AccountPage): Promise<readonly Account[]>;
  /** How many keys that are not revoked each has, at most `most`; those without any may be missing. */
  countKeys(accountIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>>;
  /** By account, kind and id; revoked ones too. */
  credentials(page: CredentialPage): Promise<readonly Credential[]>;
  /** Whether there is an `sk-` key of an account in use that is neither revoked nor expired at `nowMs` (milliseconds since 1970). */
  hasUsableKey(nowMs: number): Promise<boolean>;
  state(): Promise<DirectoryState>;
  /** The ids of the accounts that, or whose credentials, were changed after that version; `null` where they are more than `most`. */
  accountsChangedSince(accessVersion: number, most: number): Promise<readonly string[] | null>;
  /** Whose models, lists and channels were changed after that version; `null` where they are of more than `most` owners. */
  servingChangedSince(servingVersion: number, most: number): Promise<ServingChanges | null>;
}
