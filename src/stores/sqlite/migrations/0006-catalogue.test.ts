import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { sampleModel } from '../../../engine/ports/testing/samples.ts';
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

test('a database from before the catalogue keeps only the stated facts of models', async () => {
  const path = join(folder, 'switchyard.db');
  const before = openConnection(path, 'FULL');
  const earlier = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0006'));
  await migrate(before, new Kysely({ dialect: bunSqliteDialect(before) }), path, earlier);
  const columns = 'id, category, owned_by, status, pricing, strategy, tags, created_at_ms, origin';
  const insert = (values: string) => before.run(`INSERT INTO models (${columns}) VALUES (${values})`);
  insert(`'default', 'chat', 'unknown', 'public', NULL, NULL, '[]', 1, 'config'`);
  insert(`'stated', 'image', 'acme', 'hidden', '"free"', 'weighted', '["fast"]', 2, 'operator'`);
  before.close();

  const store = await openSqliteStore({
    path,
    secret: 's',
    clock: { nowMs: () => 1, monotonicMs: () => 1 },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  const nothing = { name: null, description: null, cache: null, capabilities: null, operations: null };
  expect((await store.directory.read('all')).models).toEqual([
    {
      ...nothing,
      id: 'default',
      category: 'chat',
      ownedBy: null,
      // `public` was the default; now only a channel makes the model public.
      status: null,
      pricing: null,
      strategy: null,
      tags: null,
      createdAtMs: 1,
      origin: 'config',
    },
    {
      ...nothing,
      id: 'stated',
      category: 'image',
      ownedBy: 'acme',
      status: 'hidden',
      pricing: 'free',
      strategy: 'weighted',
      tags: ['fast'],
      createdAtMs: 2,
      origin: 'operator',
    },
  ]);
  const { servingVersion } = await store.directory.state();
  await store.directory.write('all', (writer) => writer.putModel(sampleModel({ id: 'default', status: 'public' })));
  expect((await store.directory.state()).servingVersion).toBeGreaterThan(servingVersion);
  expect((await store.directory.read('all')).models[0]).toMatchObject({ id: 'default', status: 'public' });
  await store.close();
});
