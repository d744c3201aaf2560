import type { Database } from 'bun:sqlite';
import type { StoreDescription } from '../../engine/ports/store.ts';
import { MIGRATION_TABLE } from '../shared/migration-chain.ts';

export async function describeSqlite(database: Database): Promise<StoreDescription> {
  const version = database.query<{ version: string }, []>('SELECT sqlite_version() AS version').get();
  const size = database
    .query<{ bytes: number | bigint }, []>(
      'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
    )
    .get();
  const migrations = database.query<{ name: string }, []>(`SELECT name FROM ${MIGRATION_TABLE} ORDER BY name`).all();
  return {
    kind: 'sqlite',
    version: version?.version ?? null,
    bytes: size === null ? null : Number(size.bytes),
    migrations: migrations.map(({ name }) => name),
  };
}
