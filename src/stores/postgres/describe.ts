import type { Pool } from 'pg';
import type { StoreDescription } from '../../engine/ports/store.ts';
import { MIGRATION_TABLE } from '../shared/migration-chain.ts';
import { query } from './connection.ts';

export async function describePostgres(pool: Pool): Promise<StoreDescription> {
  const { rows } = await query<{ version: string; bytes: bigint }>(
    pool,
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes`,
  );
  const migrations = await query<{ name: string }>(pool, `SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`);
  const [row] = rows;
  return {
    kind: 'postgresql',
    version: row?.version ?? null,
    bytes: row === undefined ? null : Number(row.bytes),
    migrations: migrations.rows.map(({ name }) => name),
  };
}
