import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retentionSchema } from '../engine/admin/schema/retention-section.ts';
import { POSTGRES_CHAIN } from '../stores/postgres/migrations/index.ts';
import { DEFERRED_STEPS_TABLE } from '../stores/postgres/upgrade/deferred-steps.ts';
import { FUNCTIONS_TABLE } from '../stores/postgres/upgrade/functions.ts';
import { copyEmptyDatabase } from '../stores/sqlite/testing/empty-database.ts';

const page = await Bun.file(join(import.meta.dir, '../../docs/retention.md')).text();
const [, section = ''] = page.split('\n## Every table\n');
const rows = section
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(' | '));
/** The names in the first column, with the database in parentheses after those that only one has. */
const named = (rows ?? []).flatMap(([names = '']) => [...names.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? ''));

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-tables-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('docs/retention.md says what limits each table of SQLite', async () => {
  const path = join(folder, 'switchyard.sqlite');
  await copyEmptyDatabase(path);
  const database = new Database(path, { readonly: true });
  const tables = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => name);
  database.close();
  expect(tables.length).toBeGreaterThan(50);
  expect(tables.filter((name) => !named.includes(name))).toEqual([]);
});

test('docs/retention.md says what limits each table of PostgreSQL', () => {
  const migrations = Object.values(POSTGRES_CHAIN.migrations).map(({ up }) => String(up));
  const statements = [...migrations, DEFERRED_STEPS_TABLE, FUNCTIONS_TABLE];
  const tables = statements.flatMap((text) =>
    [...text.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)/gi)].map((match) => match[1] ?? ''),
  );
  expect(tables.length).toBeGreaterThan(50);
  expect(tables.filter((name) => !named.includes(name))).toEqual([]);
});

test('each row says what limits its tables, and each table has one row', () => {
  expect(rows?.filter((cells) => cells.length !== 3 || cells.some((cell) => cell.trim() === ''))).toEqual([]);
  expect(named.filter((name, index) => named.indexOf(name) !== index)).toEqual([]);
});

test('each setting of the section limits a table', () => {
  for (const name of Object.keys(retentionSchema.shape)) expect(section).toContain(`\`${name}\``);
});
