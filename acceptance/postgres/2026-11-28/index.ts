import { join } from 'node:path';
import { Client } from 'pg';
import type { Logger } from '../../../src/engine/ports/logger.ts';
import { openPool, query } from '../../../src/stores/postgres/connection.ts';
import { UNRELEASED } from '../../../src/stores/postgres/migrations/unreleased/index.ts';
import { changeSchema } from '../../../src/stores/postgres/upgrade/change-schema.ts';
import { DEFERRED_STEPS_TABLE, runDeferredSteps } from '../../../src/stores/postgres/upgrade/deferred-steps.ts';
import type { PostgresMigration } from '../../../src/stores/postgres/upgrade/migration.ts';

/** The secrets in the database, and the id of a stored response. */
export const OLD_DATABASE = {
  secret: 'the master secret of the old folder',
  key: 'sk-re5mJmKT4TlRkihFnhf6hM6jIEh2j27QRuY5PQENQY2kw7hG',
  token: 'mt-sZgIr9PL9iQYQJhxwIGMQ78VOFtb2GSX47vYigDu6G391ZT7',
  responseId: 'resp_E2ruvaatwfGbfd7hhKjpc7pV',
} as const;

/** Loads the dump into an empty database. README.md says how it was made. */
export async function loadOldDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(await Bun.file(join(import.meta.dir, 'dump.sql')).text());
  } finally {
    await client.end();
  }
}

/** Runs the unreleased migrations before `name` on it, with their deferred steps. Leaves the history as an earlier version would. */
export async function migrateOldDatabase(
  url: string,
  logger: Logger,
  name: string,
  unreleased: Readonly<Record<string, PostgresMigration>> = UNRELEASED,
): Promise<void> {
  const pool = openPool({ url, logger, statementTimeoutMs: null, maxConnections: 2 });
  const change = { pool, logger, name: 'a test', lock: 1n };
  try {
    await query(pool, DEFERRED_STEPS_TABLE);
    const { rows } = await query<{ name: string }>(pool, 'SELECT name FROM kysely_migration');
    const applied = rows.map((row) => row.name);
    const pending = Object.entries(unreleased).filter(([one]) => one < name && !applied.includes(one));
    await changeSchema(change, { pending, isNew: false, functions: null });
    await runDeferredSteps(change, unreleased);
  } finally {
    await pool.end();
  }
}
