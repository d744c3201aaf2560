import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { DEFAULT_BREAKER } from '../../../domain/routing/breaker-settings.ts';
import { openConnection } from '../connection.ts';
import { bunSqliteDialect } from '../dialect.ts';
import { migrate } from '../migrate.ts';
import { openSqliteStore } from '../sqlite-store.ts';
import { MIGRATIONS } from './index.ts';

const silent = () => {};
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-migration-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a database from before routing keeps its rows, with the defaults', async () => {
  const path = join(folder, 'switchyard.db');
  const before = openConnection(path, 'FULL');
  const earlier = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0004'));
  expect(Object.keys(earlier)).toHaveLength(3);
  await migrate(before, new Kysely({ dialect: bunSqliteDialect(before) }), path, earlier);
  before.run(`INSERT INTO accounts VALUES ('acme', 'Acme', 'User', 0, 'prepaid', NULL, 1, 'config')`);
  before.run(`INSERT INTO models VALUES ('m', 'chat', 'openai', 'public', '"free"', 1, 'config')`);
  before.run(
    `INSERT INTO channels VALUES ('c', 'C', 'openai', NULL, NULL, '{}', NULL, 0, 1, 'acme', '{}', '{"m":"m"}', 1, 'config')`,
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
  expect(rows.accounts).toMatchObject([{ id: 'acme', strategy: null }]);
  expect(rows.models).toMatchObject([{ id: 'm', pricing: 'free', strategy: null, tags: null }]);
  expect(rows.channels).toMatchObject([
    { id: 'c', owner: 'acme', costs: {}, breaker: DEFAULT_BREAKER, enabled: true, block: null, resetAtMs: null },
  ]);
  expect(await store.requestLog.recent(1)).toMatchObject([{ requestId: 'old', failedAttempts: [] }]);
  expect(await store.health.read()).toEqual([]);
  await store.close();
});
