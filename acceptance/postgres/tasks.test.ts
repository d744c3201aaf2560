import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import type pg from 'pg';
import { sampleTask } from '../../src/engine/ports/testing/samples.ts';
import { openPool, query } from '../../src/stores/postgres/connection.ts';
import { DatabaseAwayError } from '../../src/stores/postgres/database-away-error.ts';
import { PostgresRunner } from '../../src/stores/postgres/runner.ts';
import { createContentBox } from '../../src/stores/shared/content-box.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { SqlTasks } from '../../src/stores/sql/tasks/sql-tasks.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const box = createContentBox('a long master secret');

let server: SharedTestPostgres;
/** A database whose rows are deleted before each test. */
let url: string;
let pools: pg.Pool[] = [];

beforeAll(async () => {
  server = await sharedTestPostgres();
  url = await server.createMigratedDatabase();
}, 600_000);
afterAll(() => server.dropDatabase(url));

beforeEach(() => server.emptyDatabase(url));
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  pools = [];
});

function newPool(ofUrl = url): pg.Pool {
  const pool = openPool({ url: ofUrl, logger });
  pools.push(pool);
  return pool;
}

/** Opens tasks as another node, with its own connections. */
function openTasks(pool = newPool()): SqlTasks {
  return new SqlTasks(new PostgresRunner(pool), box);
}

/** Returns a pool whose connection breaks after the server has run a statement for which `isLost` is true. */
function losingAnswers(pool: pg.Pool, isLost: (sql: string) => boolean): pg.Pool {
  const losing = {
    get waitingCount() {
      return pool.waitingCount;
    },
    async connect() {
      const client = await pool.connect();
      return {
        async query(sql: string, values: unknown[]) {
          const result = await client.query(sql, values);
          if (isLost(sql)) throw new Error('Connection terminated unexpectedly');
          return result;
        },
        release: (isBroken: boolean) => client.release(isBroken),
      };
    },
  };
  // The parts of a pool that the store uses.
  return losing as unknown as pg.Pool;
}

/** Returns a predicate that is true for the first statement with this start only. */
function once(start: string): (sql: string) => boolean {
  let isDone = false;
  return (sql) => {
    if (isDone || !sql.trim().startsWith(start)) return false;
    isDone = true;
    return true;
  };
}

test('a task goes to one of several nodes that claim at once', async () => {
  const nodes = [openTasks(), openTasks(), openTasks()];
  const ids = Array.from({ length: 300 }, (_, index) => `t${String(index).padStart(3, '0')}`);
  await Promise.all(
    ids.map((id, index) => nodes[index % 3]?.create(sampleTask({ id, owner: index % 2 === 0 ? null : 'dead' }))),
  );
  await Promise.all(nodes.map((node, index) => node.alive(`node-${index}`, 100)));
  const claims = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const node = nodes[index % 3] ?? openTasks();
      return node.claim(`node-${index % 3}`, 1, 15);
    }),
  );
  const rest = (await openTasks().claim('node-0', 1, 1_000)).map(({ id }) => id);
  const got = claims.flat();
  expect([...got.map(({ id }) => id), ...rest].sort()).toEqual(ids);
  for (const task of got) expect(await nodes[0]?.find(task.id)).toEqual(task);
});

test('changes of a node that lost its tasks do not mix with those of their new owner', async () => {
  const [old, next] = [openTasks(), openTasks()];
  const ids = Array.from({ length: 50 }, (_, index) => `t${index}`);
  for (const id of ids) await old.create(sampleTask({ id, owner: 'old' }));
  await next.alive('next', 100);
  const changesOf = (claim: number, progress: number) => ids.map((id) => ({ id, claim, changes: { progress } }));
  // Uses the reverse order, so that the two wait for each other's rows.
  const zombie = Array.from({ length: 20 }, () => old.changeAll(changesOf(1, 1).reverse()));
  // Rows that are being written now are skipped until the next claim.
  for (let claimed = 0; claimed < ids.length; ) claimed += (await next.claim('next', 1, 100)).length;
  const done = await Promise.all(Array.from({ length: 20 }, () => next.changeAll(changesOf(2, 2))));
  expect(done.flat().every((isDone) => isDone)).toBe(true);
  await Promise.all(zombie);
  expect(new Set(await old.changeAll(changesOf(1, 3)))).toEqual(new Set([false]));
  for (const { progress } of await next.list({}, 100)) expect(progress).toBe(2);
});

test('a claim whose response is lost is returned by the next claim, once', async () => {
  const pool = newPool();
  const others = openTasks();
  for (const id of ['a', 'b', 'c']) await others.create(sampleTask({ id, owner: null }));
  const tasks = openTasks(losingAnswers(pool, once('COMMIT')));
  await tasks.alive('one', 100);
  await expect(tasks.claim('one', 1, 3)).rejects.toThrow(DatabaseAwayError);
  await others.takeBack('b');
  await others.create(sampleTask({ id: 'd', owner: null }));
  await others.alive('other', 100);
  expect((await others.claim('other', 1, 1)).map(({ id }) => id)).toEqual(['b']);
  const next = await tasks.claim('one', 1, 3);
  expect(next.map(({ id, claim, owner }) => [id, claim, owner])).toEqual([
    ['a', 2, 'one'],
    ['c', 2, 'one'],
    ['d', 2, 'one'],
  ]);
  expect(await tasks.claim('one', 1, 3)).toEqual([]);
});

test('creating a task is idempotent when the response is lost, and another task with its id is refused', async () => {
  const tasks = openTasks(losingAnswers(newPool(), once('COMMIT')));
  await tasks.create(sampleTask());
  expect(await tasks.list({}, 10)).toEqual([sampleTask()]);
  const colliding = openTasks(losingAnswers(newPool(), once('UPDATE')));
  await expect(colliding.create(sampleTask())).rejects.toThrow('already a task');
});

test('a change whose response is lost fails, and is not retried', async () => {
  await openTasks().create(sampleTask({ id: 'a' }));
  const tasks = openTasks(losingAnswers(newPool(), once('COMMIT')));
  await expect(tasks.change('a', 1, { stage: 'closing' })).rejects.toThrow(DatabaseAwayError);
  expect((await tasks.find('a'))?.stage).toBe('closing');
});

test('withdrawing and releasing tasks succeed although a response is lost', async () => {
  const tasks = openTasks(losingAnswers(newPool(), once('UPDATE tasks SET owner = NULL')));
  await tasks.create(sampleTask({ id: 'a' }));
  expect(await tasks.takeBack('a')).toBe(true);
  expect((await tasks.find('a'))?.owner).toBeNull();
  const ending = openTasks(losingAnswers(newPool(), once('COMMIT')));
  await tasks.create(sampleTask({ id: 'b' }));
  await ending.giveBack('node-a');
  expect((await ending.find('b'))?.owner).toBeNull();
});

test('tasks are durable even if the database is set to commit before the disk', async () => {
  const ownUrl = await server.createMigratedDatabase();
  const pool = newPool(ownUrl);
  await query(pool, `create table seen (setting text)`);
  await query(
    pool,
    `create function note_setting() returns trigger language plpgsql as $$
      begin
        insert into seen values (current_setting('synchronous_commit'));
        return null;
      end
    $$`,
  );
  await query(
    pool,
    `create constraint trigger note after insert or update on tasks deferrable initially deferred
      for each row execute function note_setting()`,
  );
  const name = new URL(ownUrl).pathname.slice(1);
  await query(pool, `alter database ${name} set synchronous_commit = off`);
  const tasks = openTasks(newPool(ownUrl));
  await tasks.create(sampleTask({ id: 'a', owner: null }));
  await tasks.claim('one', 1, 1);
  await tasks.change('a', 2, { stage: 'closing' });
  const { rows } = await query<{ setting: string }>(pool, 'select setting from seen');
  expect(rows.map(({ setting }) => setting)).toEqual(['on', 'on', 'on']);
});

test('task requests and results are encrypted', async () => {
  const pool = newPool();
  const tasks = openTasks(pool);
  const ending = { kind: 'failed', code: 'upstream_error', failureKind: 'x', message: 'secret words' } as const;
  await tasks.create(sampleTask({ id: 'a', ticket: { url: 'secret ticket' } }));
  await tasks.change('a', 1, { stage: 'closing', ending });
  const sql = `select tasks::text || encode(sealed_ticket || sealed_ending, 'escape') as seen from tasks`;
  const { rows } = await query<{ seen: string }>(pool, sql);
  expect(rows[0]?.seen).toContain('veo-3');
  expect(rows[0]?.seen).not.toContain('secret');
});
