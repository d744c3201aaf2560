import { type SqlDialect, type SqlRow, type Statement, Values } from '../../sql/program.ts';
import { createSecretBox, SecretBoxError } from '../secret-box.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { placeOf as placeOfChannel } from '../tables/channels.ts';
import { hasSealed, withoutSealed } from '../tables/settings.ts';
import type { Sealed, SealedColumn } from './sealed-columns.ts';

const CHECK_TEXT = 'switchyard';
const CHECK_CONTEXT = 'secret-check';
/** Small, since some rows have megabytes. */
const ROWS_AT_ONCE = 20;

/** The transaction that changes everything atomically. */
export interface SecretTransaction {
  readonly dialect: SqlDialect;
  run(statement: Statement): Promise<readonly SqlRow[]>;
}

/** The number of resealed values by table; tables without any are omitted. */
export type ResealedCounts = Readonly<Record<string, number>>;

/** The data that can no longer be read, and what to do about it. */
export interface Forgotten {
  /** Channels whose keys must be entered again. */
  readonly channels: readonly string[];
  /** Deleted alert targets, whose addresses can no longer be read. */
  readonly targets: readonly string[];
  /** Email addresses of users who must set up their second factor again. */
  readonly users: readonly string[];
  /** Settings that must be set again. */
  readonly settings: readonly string[];
  /** The number of deleted rows by table. */
  readonly deleted: Readonly<Record<string, number>>;
}

/** Whether the database uses this secret. Also `true` if nothing is encrypted, so that any secret works. */
export async function opensWith(transaction: SecretTransaction, secret: string): Promise<boolean> {
  return (await relationTo(transaction, secret)) !== 'other';
}

/**
 * Compares the secret with the check text sealed in the database. `unmarked` if there is none, as in a new database or one of an earlier
 * version, and any channel key opens.
 */
async function relationTo(transaction: SecretTransaction, secret: string): Promise<'own' | 'other' | 'unmarked'> {
  const box = createSecretBox(secret);
  try {
    const [check] = await ask(transaction, () => 'SELECT sealed FROM secret_check');
    if (check !== undefined) {
      box.open(String(check.sealed), CHECK_CONTEXT);
      return 'own';
    }
    const [channel] = await ask(
      transaction,
      () => 'SELECT id, sealed_api_key FROM channels WHERE sealed_api_key IS NOT NULL LIMIT 1',
    );
    if (channel !== undefined) box.open(String(channel.sealed_api_key), placeOfChannel({ id: String(channel.id) }));
    return 'unmarked';
  } catch (error) {
    if (error instanceof SecretBoxError) return 'other';
    throw error;
  }
}

/**
 * Checks that this process has the database's master secret. With another one it could not read the upstream keys, and other nodes could
 * not read those that it writes. Throws a `StoreOpenError`.
 */
export async function checkSecret(transaction: SecretTransaction, secret: string, name: string): Promise<void> {
  let relation = await relationTo(transaction, secret);
  if (relation === 'unmarked') {
    const sealed = createSecretBox(secret).seal(CHECK_TEXT, CHECK_CONTEXT);
    await ask(
      transaction,
      (sql) => `INSERT INTO secret_check (sealed) VALUES (${sql.put(sealed)}) ON CONFLICT DO NOTHING`,
    );
    // Another node may have marked it first.
    relation = await relationTo(transaction, secret);
  }
  if (relation === 'own') return;
  throw new StoreOpenError(
    `Cannot open the database ${name}: it was created with another master secret. Give all nodes and commands that use it the same ` +
      'SWITCHYARD_SECRET. If "switchyard secret rotate" was interrupted, run it again; if the secret is lost, see "switchyard secret forget".',
  );
}

/** Marks the database so that `opensWith` holds for this secret only. */
export async function markSecret(transaction: SecretTransaction, secret: string): Promise<void> {
  const sealed = createSecretBox(secret).seal(CHECK_TEXT, CHECK_CONTEXT);
  await ask(transaction, () => 'DELETE FROM secret_check');
  await ask(transaction, (sql) => `INSERT INTO secret_check (sealed) VALUES (${sql.put(sealed)})`);
}

/** Re-encrypts all columns. Ends all sessions, since their cookies were signed with the earlier secret. */
export async function resealAll(
  transaction: SecretTransaction,
  columns: readonly SealedColumn[],
  to: string,
): Promise<ResealedCounts> {
  const counts: Record<string, number> = {};
  for (const column of columns) {
    const count = await resealColumn(transaction, column);
    if (count > 0) counts[column.table] = (counts[column.table] ?? 0) + count;
  }
  await endSessions(transaction);
  await markSecret(transaction, to);
  return counts;
}

async function resealColumn(transaction: SecretTransaction, sealed: SealedColumn): Promise<number> {
  const { table, keys, column } = sealed;
  let after: readonly string[] | null = null;
  for (let count = 0; ; ) {
    const rows = await ask(transaction, (sql) => {
      const place = after === null ? '' : `AND (${keys.join(', ')}) > (${after.map((key) => sql.put(key)).join(', ')})`;
      return `SELECT ${keys.join(', ')}, ${column} AS sealed FROM ${table}
        WHERE ${column} IS NOT NULL ${place} ORDER BY ${keys.join(', ')} LIMIT ${ROWS_AT_ONCE}`;
    });
    for (const row of rows) {
      after = keys.map((key) => String(row[key]));
      // Empty text is not sealed.
      if (row.sealed === '' || sealed.isSealed?.(row.sealed as Sealed, after) === false) continue;
      const anew = await sealed.reseal(row.sealed as Sealed, after);
      await setSealed(transaction, sealed, after, anew);
      count += 1;
    }
    if (rows.length < ROWS_AT_ONCE) return count;
  }
}

async function setSealed(
  transaction: SecretTransaction,
  { table, keys, column }: SealedColumn,
  row: readonly string[],
  sealed: Sealed,
): Promise<void> {
  await ask(transaction, (sql) => {
    const value = sql.put(sealed);
    return `UPDATE ${table} SET ${column} = ${value}
      WHERE ${keys.map((key, at) => `${key} = ${sql.put(row[at] ?? '')}`).join(' AND ')}`;
  });
}

/** Deletes all sealed data and marks the database with the secret `to`. */
export async function forgetAll(transaction: SecretTransaction, to: string): Promise<Forgotten> {
  const channels = await ask(
    transaction,
    () =>
      `UPDATE channels SET sealed_api_key = NULL, sealed_api_keys = NULL
      WHERE sealed_api_key IS NOT NULL OR sealed_api_keys IS NOT NULL RETURNING id AS name`,
  );
  const targets = await ask(transaction, () => 'DELETE FROM alert_targets RETURNING name');
  const users = await ask(
    transaction,
    (sql) => `UPDATE users SET two_factor_enabled = ${sql.flag(false)}
      WHERE id IN (SELECT user_id FROM sign_in_two_factors) RETURNING email AS name`,
  );
  await ask(transaction, () => 'DELETE FROM sign_in_two_factors');
  await ask(
    transaction,
    () => 'UPDATE cache_reports SET sealed_description = NULL WHERE sealed_description IS NOT NULL',
  );
  await ask(transaction, () => 'UPDATE request_log SET sealed_failure = NULL WHERE sealed_failure IS NOT NULL');
  const settings = await forgetSettings(transaction);
  const deleted: Record<string, number> = {};
  for (const [table, condition] of Object.entries(DELETED)) {
    const rows = await ask(transaction, () => `DELETE FROM ${table} WHERE ${condition} RETURNING 1 AS gone`);
    if (rows.length > 0) deleted[table] = rows.length;
  }
  await ask(transaction, () => 'DELETE FROM capture_sums');
  await endSessions(transaction);
  await markSecret(transaction, to);
  const names = (rows: readonly SqlRow[]) => rows.map(({ name }) => String(name)).sort();
  return { channels: names(channels), targets: names(targets), users: names(users), settings, deleted };
}

/** Removes the encrypted values of the settings. Resolves to the sections that had one. */
async function forgetSettings(transaction: SecretTransaction): Promise<readonly string[]> {
  const rows = await ask(transaction, () => 'SELECT section, words FROM settings ORDER BY section');
  const sections: string[] = [];
  for (const row of rows) {
    const [section, words] = [String(row.section), String(row.words)];
    if (!hasSealed(section, words)) continue;
    sections.push(section);
    await ask(
      transaction,
      (sql) =>
        `UPDATE settings SET words = ${sql.put(withoutSealed(section, words))} WHERE section = ${sql.put(section)}`,
    );
  }
  return sections;
}

/**
 * Rows that are useless without their sealed columns. A task can no longer be polled, wherever it runs; its hold is released when it would
 * have expired.
 */
const DELETED = {
  guards: 'secrets IS NOT NULL',
  file_chunks: 'true',
  files: 'true',
  relayed_lines: 'true',
  relayed_batches: 'true',
  batch_lines: 'true',
  batches: 'true',
  responses: 'true',
  captures: 'true',
  tasks: 'sealed_ticket IS NOT NULL OR sealed_ending IS NOT NULL OR sealed_request IS NOT NULL',
  idempotent_requests: 'sealed_answer IS NOT NULL',
};

async function endSessions(transaction: SecretTransaction): Promise<void> {
  for (const table of ['sign_in_sessions', 'sign_in_verifications'])
    await ask(transaction, () => `DELETE FROM ${table}`);
}

function ask(transaction: SecretTransaction, text: (values: Values) => string): Promise<readonly SqlRow[]> {
  const values = new Values(transaction.dialect);
  const sql = text(values);
  return transaction.run({ sql, values: values.list });
}
