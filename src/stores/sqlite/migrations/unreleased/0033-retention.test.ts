import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { openConnection } from '../../connection.ts';
import { bunSqliteDialect } from '../../dialect.ts';
import { migrate } from '../../migrate.ts';
import { MIGRATIONS } from '../index.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-migration-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a task retention that was set over the API moves to the section "retention"', async () => {
  const database = openConnection(join(folder, 'switchyard.db'), 'FULL');
  const db = new Kysely({ dialect: bunSqliteDialect(database) });
  const earlier = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0033'));
  await migrate(database, db, 'test', earlier);
  database.run(`INSERT INTO settings VALUES ('tasks', '{"keep_days":3,"rehost":true}')`);
  await migrate(database, db, 'test', MIGRATIONS);
  expect(database.query('SELECT section, words FROM settings ORDER BY section').values()).toEqual([
    ['retention', '{"tasks_days":3}'],
    ['tasks', '{"rehost":true}'],
  ]);
  database.close();
});
