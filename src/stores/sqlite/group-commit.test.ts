import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../domain/testing/until.ts';
import { openConnection } from './connection.ts';
import { GroupCommit } from './group-commit.ts';

let folder: string;
let database: Database;
let other: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-commit-'));
  database = openConnection(join(folder, 'test.db'), 'FULL');
  database.run('CREATE TABLE numbers (number INTEGER NOT NULL) STRICT');
  other = openConnection(join(folder, 'test.db'), 'FULL');
});

afterEach(() => {
  database.close();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (number: unknown) => () =>
  database.query('INSERT INTO numbers VALUES (?) RETURNING number').get(number as number);

/** Returns the committed rows, as seen by another connection. */
function committed(): number[] {
  return other
    .query<{ number: number }, []>('SELECT number FROM numbers ORDER BY rowid')
    .all()
    .map(({ number }) => number);
}

test('a write is committed when it resolves, with its result', async () => {
  const writes = new GroupCommit(database);
  expect(await writes.run(0, insert(1))).toEqual({ number: 1 });
  expect(committed()).toEqual([1]);
});

test('the writes of one turn share a transaction, in the order of the calls', async () => {
  const run = spyOn(database, 'run');
  const writes = new GroupCommit(database);
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  await Promise.all(numbers.map((number) => writes.run(0, insert(number))));
  expect(committed()).toEqual(numbers);
  expect(run.mock.calls.filter(([sql]) => sql === 'COMMIT')).toHaveLength(1);
});

test('many large writes are spread over several transactions', async () => {
  const run = spyOn(database, 'run');
  const writes = new GroupCommit(database);
  await Promise.all([1, 2, 3, 4, 5].map((number) => writes.run(2 * 1024 * 1024, insert(number))));
  expect(committed()).toEqual([1, 2, 3, 4, 5]);
  expect(run.mock.calls.filter(([sql]) => sql === 'COMMIT')).toHaveLength(3);
});

test('a write that throws rejects alone', async () => {
  const writes = new GroupCommit(database);
  const outcomes = await Promise.allSettled([1, 'two', 3].map((number) => writes.run(0, insert(number))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(committed()).toEqual([1, 3]);
});

test('writes wait, without blocking, while another connection holds the lock', async () => {
  const writes = new GroupCommit(database);
  other.run('BEGIN IMMEDIATE');
  const run = spyOn(database, 'run');
  const first = writes.run(0, insert(1));
  await until('it has been tried', () => run.mock.calls.length > 0);
  const second = writes.run(0, insert(2));
  other.run('COMMIT');
  await Promise.all([first, second]);
  expect(committed()).toEqual([1, 2]);
});

test('a write that does not fit into the queue is refused, but a single one always fits', async () => {
  const writes = new GroupCommit(database, 10_000);
  const first = writes.run(20_000, insert(1));
  await expect(writes.run(1, insert(2))).rejects.toThrow('cannot keep up');
  await first;
  await writes.run(1, insert(3));
  expect(committed()).toEqual([1, 3]);
});

test('close commits pending writes and rejects new ones', async () => {
  const writes = new GroupCommit(database);
  const waiting = writes.run(0, insert(1));
  await writes.close();
  expect(committed()).toEqual([1]);
  await waiting;
  await expect(writes.run(0, insert(2))).rejects.toThrow('closed');
});
