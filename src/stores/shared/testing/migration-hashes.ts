import { createHash } from 'node:crypto';
import {
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { MigrationChain, SchemaMigration } from '../migration-chain.ts';

/**
 * Hashes the statements of each migration: those of a function as it runs them on a stub database. White space and comments are ignored, so
 * they may change; a statement may not once a database could have been created with it.
 */
export async function chainHashes({ migrations, unreleased }: MigrationChain<SchemaMigration>): Promise<unknown> {
  return { migrations: await hashes(migrations), unreleased: await hashes(unreleased) };
}

/** Returns the hash of SQL text without white space and comments. */
export function sqlHash(text: string): string {
  return hash(text.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim());
}

async function hashes(
  migrations: Readonly<Record<string, SchemaMigration>>,
): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const [name, { up }] of Object.entries(migrations)) {
    if (typeof up === 'string') found[name] = sqlHash(up);
    else {
      const statements: string[] = [];
      await up(recording(statements));
      found[name] = hash(statements.join(';'));
    }
  }
  return found;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The dialect does not matter, since migrations run raw SQL. */
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
