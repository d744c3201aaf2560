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
 * Hashes the statements that each migration runs on a stub database, ignoring white space. The file text is not hashed: comments may
 * change, but statements may not once a database could have been created with them.
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

/** The dialect does not matter, since all migrations consist of raw SQL. */
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
