import { createHash } from 'node:crypto';
import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Hashes the statements that each migration runs on a database that answers nothing, without their white space. Not the text of the
 * files: a comment may be worded better, but no statement may change once a database can have been made with it.
 */
export async function migrationHashes(
  migrations: Readonly<Record<string, Migration>>,
): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {};
  for (const [name, { up }] of Object.entries(migrations)) {
    const statements: string[] = [];
    await up(recording(statements));
    hashes[name] = createHash('sha256').update(statements.join(';')).digest('hex').slice(0, 16);
  }
  return hashes;
}

/** The dialect only matters to statements that are not written as SQL, and no migration has any. */
function recording(statements: string[]): Kysely<unknown> {
  const connection: DatabaseConnection = {
    async executeQuery({ sql, parameters }) {
      statements.push(sql.replace(/\s+/g, ' ').trim(), JSON.stringify(parameters));
      return { rows: [] };
    },
    async *streamQuery() {},
  };
  class RecordingDriver extends DummyDriver {
    override async acquireConnection() {
      return connection;
    }
  }
  return new Kysely({
    dialect: {
      createDriver: () => new RecordingDriver(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
    },
  });
}
