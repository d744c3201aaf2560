import type { Account } from '../../../domain/access/account.ts';
import type { Credential, CredentialKey } from '../../../domain/access/api-key.ts';
import { type Principal, principalOf } from '../../../domain/access/principal.ts';
import { mapInSlices, Slices, type Turns } from '../../../domain/concurrency/slices.ts';
import type { NewAuditEntry } from '../../../engine/ports/audit-log.ts';
import type {
  AccountPage,
  CredentialPage,
  DirectoryRows,
  DirectoryScope,
  DirectoryState,
  DirectoryStore,
  DirectoryWriter,
  FoundNames,
  NamedIds,
  ServingChanges,
} from '../../../engine/ports/directory-store.ts';
import { keyCounts } from '../../shared/account-page.ts';
import { draftChange } from '../../shared/directory-draft.ts';
import {
  type ServingChangeRow,
  STATE,
  type StateRow,
  servingChanges,
  servingChangesOf,
  stateOf,
  usableKeyAt,
} from '../../shared/directory-state.ts';
import { eventLoopTurns } from '../../shared/event-loop-turns.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import { fromChannelRow } from '../../shared/tables/channels.ts';
import { fromCredentialRow } from '../../shared/tables/credentials.ts';
import { fromGuardRow } from '../../shared/tables/guards.ts';
import { fromModelRow } from '../../shared/tables/models.ts';
import { fromSyncedModelRow } from '../../shared/tables/synced-models.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlReader } from '../program.ts';
import { readingNames } from './name-programs.ts';
import {
  credentialsByKey,
  findingAccounts,
  findingCredentials,
  readingAccountPage,
  readingAccounts,
  readingBySecret,
  readingCredentialPage,
  readingDirectory,
  rows,
  type StoredDirectory,
} from './read-programs.ts';
import { toRowChanges, writingDirectory } from './write-programs.ts';

/** The statements that a change writes at its end, and its result. */
export interface DirectoryOutcome<Result> {
  readonly result: Result;
  /** `null` if nothing changed. */
  readonly writing: (() => SqlProgram<void>) | null;
  readonly audit: readonly NewAuditEntry[];
}

/** Runs the directory's programs on one database. */
export interface DirectoryRunner extends SqlReader {
  /** Runs all statements of a program in one snapshot. */
  snapshot<Result>(program: () => SqlProgram<Result>): Promise<Result>;
  /** Runs look-ups on the path of authenticating requests. Synchronous if the database is. */
  lookUp<Result>(program: () => SqlProgram<Result>): Result | Promise<Result>;
  /** Runs statements that may scan all rows, without blocking anything else. */
  search<Result>(program: () => SqlProgram<Result>): Promise<Result>;
  /**
   * Runs `read`, applies `change` and writes its outcome and audit entries in one transaction that excludes other directory changes.
   * Durable when resolved.
   */
  change<Read, Result>(
    read: () => SqlProgram<Read>,
    change: (read: Read) => Promise<DirectoryOutcome<Result>>,
  ): Promise<Result>;
}

export interface SqlDirectoryOptions {
  readonly runner: DirectoryRunner;
  readonly box: SecretBox;
  /** Replaces the event loop's turns in tests. */
  readonly turns?: Turns;
}

/** The directory store for both databases. */
export class SqlDirectory implements DirectoryStore {
  readonly #runner: DirectoryRunner;
  readonly #dialect: SqlDialect;
  readonly #box: SecretBox;
  readonly #turns: Turns;

  constructor({ runner, box, turns = eventLoopTurns }: SqlDirectoryOptions) {
    this.#runner = runner;
    this.#dialect = runner.dialect;
    this.#box = box;
    this.#turns = turns;
  }

  async read(scope: DirectoryScope): Promise<DirectoryRows> {
    return this.#opened(await this.#runner.snapshot(() => readingDirectory(this.#dialect, scope)));
  }

  write<Result>(scope: DirectoryScope, change: (writer: DirectoryWriter) => Result): Promise<Result> {
    return this.#runner.change(
      () => readingDirectory(this.#dialect, scope),
      async (stored) => {
        const { result, changes, audit } = draftChange(await this.#opened(stored), change);
        if (changes === null) return { result, writing: null, audit };
        const rowChanges = toRowChanges(changes, this.#box);
        return { result, writing: () => writingDirectory(this.#dialect, rowChanges), audit };
      },
    );
  }

  principal(secretHash: string): Principal | null | Promise<Principal | null> {
    return this.#runner.lookUp(() => findingPrincipal(this.#dialect, secretHash));
  }

  async accounts(page: AccountPage): Promise<readonly Account[]> {
    if (page.only === undefined) return this.#runner.read(() => readingAccountPage(this.#dialect, page));
    const ids = await this.#runner.search(() => findingAccounts(this.#dialect, page));
    const found = await this.#runner.read(() => readingAccounts(this.#dialect, { column: 'id', values: ids }));
    const byId = new Map(found.map((account) => [account.id, account]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  names(ids: NamedIds): Promise<FoundNames> {
    return this.#runner.read(() => readingNames(this.#dialect, ids));
  }

  async countKeys(accountIds: readonly string[], most: number): Promise<ReadonlyMap<string, number>> {
    const json = JSON.stringify(accountIds.map((value) => ({ value })));
    const counted = await this.#runner.search(() =>
      ask(this.#dialect, (sql) => {
        const wanted = this.#dialect.rowsOf(sql.put(json), 'wanted', { value: 'text' });
        return keyCounts(wanted, sql.put(most));
      }),
    );
    return new Map(counted.map(({ id, keys }) => [String(id), Number(keys)]));
  }

  async credentials(page: CredentialPage): Promise<readonly Credential[]> {
    if (page.text === undefined) return this.#runner.read(() => readingCredentialPage(this.#dialect, page));
    const keys = await this.#runner.search(() => findingCredentials(this.#dialect, page));
    const found = await this.#runner.read(() => credentialsByKey(this.#dialect, keys));
    const place = ({ accountId, kind, id }: CredentialKey) => `${accountId}/${kind}/${id}`;
    const byKey = new Map(found.map((credential) => [place(credential), credential]));
    return keys.flatMap((key) => byKey.get(place(key)) ?? []);
  }

  async hasUsableKey(nowMs: number): Promise<boolean> {
    const usable = await this.#runner.read(() => ask(this.#dialect, (sql) => usableKeyAt(sql.put(nowMs))));
    return usable.length > 0;
  }

  async state(): Promise<DirectoryState> {
    const [row] = await this.#runner.read(() => rows<StateRow>(this.#dialect, () => STATE));
    return stateOf(row);
  }

  async accountsChangedSince(accessVersion: number, most: number): Promise<readonly string[] | null> {
    const changed = await this.#runner.read(() =>
      ask(this.#dialect, (sql) => {
        const since = `SELECT account_id FROM account_changes WHERE version > ${sql.put(accessVersion)}`;
        return `${since} LIMIT ${sql.put(most + 1)}`;
      }),
    );
    return changed.length > most ? null : changed.map((row) => String(row.account_id));
  }

  async servingChangedSince(servingVersion: number, most: number): Promise<ServingChanges | null> {
    const changed = await this.#runner.read(() =>
      rows<ServingChangeRow>(this.#dialect, (sql) => servingChanges(sql.put(servingVersion), sql.put(most + 1))),
    );
    return servingChangesOf(changed, most);
  }

  async #opened({ serving, ...access }: StoredDirectory): Promise<DirectoryRows> {
    const slices = new Slices(this.#turns);
    return {
      ...access,
      models: await mapInSlices(serving.models, slices, fromModelRow),
      syncedModels: await mapInSlices(serving.syncedModels, slices, fromSyncedModelRow),
      channels: await mapInSlices(serving.channels, slices, (row) => fromChannelRow(row, this.#box)),
      ...(serving.guards.length > 0 && { guards: serving.guards.map((row) => fromGuardRow(row, this.#box)) }),
    };
  }
}

function* findingPrincipal(dialect: SqlDialect, secretHash: string): SqlProgram<Principal | null> {
  const credential = yield* readingBySecret(dialect, secretHash);
  if (credential === null) return null;
  const [account] = yield* readingAccounts(dialect, { column: 'id', values: [credential.account_id] });
  return account === undefined ? null : principalOf(account, fromCredentialRow(credential), secretHash);
}
