import { afterAll, beforeAll } from 'bun:test';
import { Client } from 'pg';
import { postgresQuery } from '../../conformance/money/books.ts';
import { startTestPostgres, type TestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { describeUnwritable, type Trouble } from './unwritable.ts';

/* `acceptance/full-disk/money.test.ts` tests SQLite. */

const TIMEOUT_MS = 600_000;

/** A server for this file only, because the test makes it fail. */
let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
}, TIMEOUT_MS);
afterAll(() => postgres?.stop(), TIMEOUT_MS);

async function databaseOf() {
  const url = await postgres.createDatabase();
  const env = { DATABASE_URL: url, SWITCHYARD_SECRET: 'the-secret-of-all-nodes-0123456789' };
  return { env, query: postgresQuery(url), remove: async () => undefined };
}

async function readOnlyDatabase(): Promise<Trouble> {
  const set = async (value: string) => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`alter system set default_transaction_read_only = ${value}`);
    await client.query('select pg_reload_conf()');
    await client.end();
  };
  const reason = /^the database is read-only$/;
  return { ...(await databaseOf()), reason, begin: () => set('on'), end: () => set('off') };
}

async function databaseAway(): Promise<Trouble> {
  const reason = /^the database is unavailable$/;
  return { ...(await databaseOf()), reason, begin: () => postgres.crash(), end: () => postgres.restart() };
}

describeUnwritable('a read-only database', readOnlyDatabase);
describeUnwritable('no database', databaseAway);
