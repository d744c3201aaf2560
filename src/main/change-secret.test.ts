import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../stores/sqlite/sqlite-store.ts';
import { copyEmptyDatabase } from '../stores/sqlite/testing/empty-database.ts';
import { describeSecretChanges } from './testing/secret-contract.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => 1_790_000_000_000, monotonicMs: () => performance.now() };

describeSecretChanges(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-secret-'));
  const path = join(folder, 'switchyard.sqlite');
  await copyEmptyDatabase(path);
  return {
    place: { databasePath: path, databaseUrl: null, clock, logger },
    open: (secret) => openSqliteStore({ path, secret, clock, logger }),
    run: async (secret) => {
      const store = await openSqliteStore({ path, secret, clock, logger, exclusive: true });
      return { stop: () => store.close() };
    },
    sealedColumns: `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
      WHERE t.type = 'table' AND c.name LIKE 'sealed%' AND t.name <> 'secret_check'`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
});
