import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { openConnection } from '../connection.ts';
import { bunSqliteDialect } from '../dialect.ts';
import { migrate } from '../migrate.ts';
import { openSqliteStore } from '../sqlite-store.ts';
import { MIGRATIONS } from './index.ts';

const silent = () => {};

test('a database from before the ledger keeps its rows, and its ledger is empty', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-migration-'));
  const path = join(folder, 'switchyard.db');
  const before = openConnection(path, 'FULL');
  const earlier = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0005'));
  expect(Object.keys(earlier)).toHaveLength(4);
  await migrate(before, new Kysely({ dialect: bunSqliteDialect(before) }), path, earlier);
  before.run(`INSERT INTO accounts VALUES ('acme', 'Acme', 'User', 0, 'prepaid', 7, 1, 'config', NULL)`);
  before.run(
    `INSERT INTO credentials VALUES ('acme', 'inference', 'ci', 'CI', 'ab', 'sk-', '5', NULL, 1, NULL, 'config')`,
  );
  before.run(`INSERT INTO request_log (request_id, at_ms) VALUES ('old', 1)`);
  before.close();

  const store = await openSqliteStore({
    path,
    secret: 's',
    clock: { nowMs: () => 1, monotonicMs: () => 1 },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const rows = await store.directory.read('all');
  expect(rows.accounts).toMatchObject([{ requestsPerMinute: 7, tokensPerMinute: null, maxConcurrent: null }]);
  expect(rows.credentials).toMatchObject([{ limitNanoUsd: 5n, requestsPerMinute: null, expiresAtMs: null }]);
  expect(await store.requestLog.recent(1)).toMatchObject([{ requestId: 'old', costNanoUsd: null }]);
  expect(await store.ledger.verify()).toEqual({ accounts: 0, entries: 0, charges: 0, archived: 0, problems: [] });
  expect(await store.keyUse.read()).toEqual([]);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
