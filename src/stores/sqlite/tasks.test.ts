import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '../../engine/ports/store.ts';
import { sampleTask } from '../../engine/ports/testing/samples.ts';
import { createContentBox } from '../shared/content-box.ts';
import { SecretBoxError } from '../shared/secret-box.ts';
import { SqlTasks } from '../sql/tasks/sql-tasks.ts';
import { openConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';
import { SqliteRunner } from './runner.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { copyEmptyDatabase } from './testing/empty-database.ts';

const SECRET = 'a long master secret';
const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const clock = { nowMs: () => 1, monotonicMs: () => performance.now() };

let folder: string;
let path: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tasks-'));
  path = join(folder, 'store.sqlite');
  await copyEmptyDatabase(path);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(): Promise<Store> {
  return openSqliteStore({ path, secret: SECRET, clock, logger });
}

function tasksOn(database: Database, secret: string): SqlTasks {
  const commit = new GroupCommit(database);
  const runner = new SqliteRunner(database, (bytes, write) => commit.run(bytes, write));
  return new SqlTasks(runner, createContentBox(secret));
}

/** Opens a separate store on the tables and records every statement that it runs. */
async function openSpied(): Promise<{ tasks: SqlTasks; database: Database; statements: string[] }> {
  await (await open()).close();
  const database = openConnection(path, 'FULL', true);
  const statements: string[] = [];
  const spied = new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...values: unknown[]) => {
        if (name === 'query' || name === 'run') statements.push(String(values[0]));
        return value.apply(target, values);
      };
    },
  });
  return { tasks: tasksOn(spied, SECRET), database, statements };
}

test('another process with the file open sees a change, and claims tasks that the first has released', async () => {
  const [one, other] = [await open(), await open()];
  await one.tasks.alive('one', 10);
  await one.tasks.create(sampleTask({ id: 'a', owner: 'one' }));
  await other.tasks.alive('other', 100);
  // Both are alive, since either may claim first.
  await one.tasks.alive('third', 100);
  expect(await other.tasks.claim('other', 9, 1)).toEqual([]);
  const claims = await Promise.all([other.tasks.claim('other', 10, 1), one.tasks.claim('third', 10, 1)]);
  expect(claims.flat()).toHaveLength(1);
  expect(await one.tasks.change('a', 1, { progress: 1 })).toBe(false);
  await Promise.all([one.close(), other.close()]);
});

test('the next gateway on the folder takes over all tasks at once, and a command beside it takes none', async () => {
  const before = await open();
  await before.tasks.alive('one', 1_000_000);
  await before.tasks.create(sampleTask({ id: 'a', owner: 'one' }));
  await before.close();
  const beside = await open();
  expect(await beside.tasks.claim('beside', 1, 10)).toEqual([]);
  await beside.close();
  const next = await openSqliteStore({ path, secret: SECRET, clock, logger, exclusive: true });
  expect(await next.tasks.claim('next', 1, 10)).toMatchObject([{ id: 'a', owner: 'next', claim: 2 }]);
  await next.close();
});

test('task requests and results are encrypted, and cannot be opened with another secret', async () => {
  const store = await open();
  await store.tasks.create(sampleTask({ id: 'a', ticket: { url: 'secret ticket' } }));
  const ending = { kind: 'failed', code: 'upstream_error', failureKind: 'x', message: 'secret words' } as const;
  await store.tasks.change('a', 1, { stage: 'closing', ending });
  await store.close();
  const bytes = readFileSync(path);
  expect([bytes.includes('req-1'), bytes.includes('secret ticket'), bytes.includes('secret words')]).toEqual([
    ...[true, false, false],
  ]);
  const other = tasksOn(new Database(path), 'another');
  await expect(other.find('a')).rejects.toThrow(SecretBoxError);
});

test('1,000 changes of one call, or of one turn of the event loop, are one transaction', async () => {
  const { tasks, database, statements } = await openSpied();
  const ids = Array.from({ length: 1_000 }, (_, index) => `task-${index}`);
  await Promise.all(ids.map((id) => tasks.create(sampleTask({ id }))));
  statements.length = 0;
  await tasks.changeAll(ids.map((id) => ({ id, claim: 1, changes: { progress: 1 } })));
  await Promise.all(ids.map((id) => tasks.change(id, 1, { progress: 2 })));
  expect(statements.filter((sql) => sql === 'COMMIT')).toHaveLength(2);
  database.close();
});

describe('among many ended tasks', () => {
  test.each<[string, (tasks: SqlTasks) => Promise<unknown>, string[]]>([
    ['one is found by its id', (tasks) => tasks.find('a'), ['sqlite_autoindex_tasks_1']],
    ['one is changed by its id', (tasks) => tasks.change('a', 1, { progress: 1 }), ['sqlite_autoindex_tasks_1']],
    ['one is taken back by its id', (tasks) => tasks.takeBack('a'), ['sqlite_autoindex_tasks_1']],
    [
      'open ones are claimed',
      (tasks) => tasks.claim('n', 1, 1),
      ['sqlite_autoindex_tasks_1', 'tasks_open_by_owner', 'tasks_open_by_time'],
    ],
    ['open ones are given back', (tasks) => tasks.giveBack('n'), ['tasks_open_by_owner']],
    ['open ones of an account are counted', (tasks) => tasks.countOpen('a'), ['tasks_open_by_account']],
    ['figures are of open ones', (tasks) => tasks.figures(), ['tasks_open_figures']],
    ['the newest are listed', (tasks) => tasks.list({}, 1), ['tasks_by_time']],
    ['the newest of an account are listed', (tasks) => tasks.list({ accountId: 'a' }, 1), ['tasks_by_account']],
    ['open ones are listed', (tasks) => tasks.list({ stages: ['closing'] }, 1), ['tasks_open_by_time']],
    [
      'open ones of an account are listed',
      (tasks) => tasks.list({ accountId: 'a', stages: ['created', 'closing'] }, 1),
      ['tasks_open_by_account'],
    ],
    ['expired ones are removed', (tasks) => tasks.removeExpired(1, 1), ['sqlite_autoindex_tasks_1', 'tasks_by_expiry']],
  ])('%s by an index', async (_name, use, indexes) => {
    const { tasks, database, statements } = await openSpied();
    await use(tasks);
    const plans = statements
      .filter((sql) => /\btasks\b/.test(sql))
      .flatMap((sql) => database.query<{ readonly detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all());
    const details = plans.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH) tasks\b/.test(detail));
    const used = details.map(
      (detail) => /(?:USING (?:COVERING )?INDEX|USING INTEGER) (\S+)/.exec(detail)?.[1] ?? detail,
    );
    expect([...new Set(used)].filter((index) => index !== 'PRIMARY').sort()).toEqual(indexes);
    database.close();
  });
});
