import type { SignInDatabase } from '../../engine/ports/sign-in-database.ts';
import type { StoreDescription } from '../../engine/ports/store.ts';
import type { UsageQuery, UsageStore } from '../../engine/ports/usage-store.ts';
import { createContentBox } from '../shared/content-box.ts';
import { MIGRATION_TABLE } from '../shared/migration-chain.ts';
import { createSecretBox } from '../shared/secret-box.ts';
import { SqlAlerts } from './alerts/sql-alerts.ts';
import { SqlAuditLog, type SqlAuditLogOptions } from './audit.ts';
import { SqlCaptures } from './captures/sql-captures.ts';
import { type DirectoryRunner, SqlDirectory } from './directory/sql-directory.ts';
import { SqlAccountErasures } from './erasures/sql-account-erasures.ts';
import { SqlErasures } from './erasures/sql-erasures.ts';
import { SqlExports } from './exports.ts';
import { SqlLedgerArchive } from './ledger-archive/sql-ledger-archive.ts';
import { SqlLists } from './lists/sql-lists.ts';
import { SqlPeople } from './people/sql-people.ts';
import { ask, type ProgramRunner, type SqlReader } from './program.ts';
import { SqlSettings } from './settings.ts';
import type { Snapshots } from './snapshot-programs.ts';
import { SqlStatementStore } from './usage/sql-statement-store.ts';

/** Runs programs of the parts whose changes are recorded in the audit log. */
export interface StoreRunner extends DirectoryRunner, ProgramRunner {
  /** For the sign-in library. */
  readonly signIn: SignInDatabase;
}

export interface StorePartsOptions {
  readonly runner: StoreRunner;
  /** Reads that may scan many rows. */
  readonly search: SqlReader;
  readonly snapshots: Snapshots;
  readonly appender: SqlAuditLogOptions['appender'];
  /**
   * Differs between the databases: PostgreSQL moves rows in one statement, SQLite in small steps that block the writer thread only briefly.
   */
  readonly roller: Pick<UsageStore, 'roll'>;
  /** The master secret. */
  readonly secret: string;
  readonly kind: StoreDescription['kind'];
  /** Selects the `version` of the database, its size in `bytes`, and `now_ms`, the time of its own clock if it has one. */
  readonly facts: string;
}

/** Returns the ports that change with the audit log, or only read. */
export function storeParts({ runner, search, snapshots, appender, roller, secret, kind, facts }: StorePartsOptions) {
  const [box, contentBox] = [createSecretBox(secret), createContentBox(secret)];
  const sums = (queries: readonly UsageQuery[]) => snapshots('sumsOfEach', queries);
  const usage: UsageStore = {
    roll: (limit) => roller.roll(limit),
    sums,
    sum: async (query) => (await sums([query]))[0] ?? [],
  };
  return {
    directory: new SqlDirectory({ runner, box }),
    people: new SqlPeople(runner),
    lists: new SqlLists(search),
    erasures: new SqlErasures(runner),
    accountErasures: new SqlAccountErasures(runner),
    ledgerArchive: new SqlLedgerArchive(runner),
    alerts: new SqlAlerts(runner, box),
    captures: new SqlCaptures(runner, contentBox),
    settings: new SqlSettings(runner, box),
    exports: new SqlExports(runner),
    audit: new SqlAuditLog({ runner, reader: search, appender }),
    signIn: runner.signIn,
    usage,
    statements: new SqlStatementStore(runner.dialect, snapshots),
    describe: () => describeStore(runner, kind, facts),
  };
}

async function describeStore(
  reader: SqlReader,
  kind: StoreDescription['kind'],
  facts: string,
): Promise<StoreDescription> {
  const [row] = await reader.read(() => ask(reader.dialect, () => facts));
  const names = await reader.read(() => ask(reader.dialect, () => `SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`));
  return {
    kind,
    version: row === undefined ? null : String(row.version),
    bytes: row === undefined ? null : Number(row.bytes),
    migrations: names.map(({ name }) => String(name)),
    nowMs: row?.now_ms == null ? null : Number(row.now_ms),
  };
}
