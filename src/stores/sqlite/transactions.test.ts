import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { Transactions } from './transactions.ts';

const INSERT = { sql: 'INSERT INTO notes (note) VALUES (?)', values: ['kept'] };
const COUNT = { sql: 'SELECT count(*) AS notes FROM notes', values: [] };

let database: Database;
let transactions: Transactions;

beforeEach(() => {
  jest.useFakeTimers();
  database = new Database(':memory:');
  database.run('CREATE TABLE notes (note TEXT)');
  transactions = new Transactions(database);
});

afterEach(() => {
  database.close();
  jest.useRealTimers();
});

test('a transaction lasts as long as its owner asks something within five seconds', async () => {
  const id = await transactions.begin();
  for (let step = 0; step < 6; step++) {
    transactions.ask(id, INSERT);
    jest.advanceTimersByTime(4_900);
  }
  transactions.commit(id, []);
  expect(transactions.ask(await transactions.begin(), COUNT)).toEqual([{ notes: 6 }]);
});

test('a transaction is rolled back when its owner has asked nothing for five seconds', async () => {
  const id = await transactions.begin();
  transactions.ask(id, INSERT);
  jest.advanceTimersByTime(5_000);
  expect(transactions.whenFree()).toBeUndefined();
  expect(() => transactions.commit(id, [])).toThrow('took too long');
  expect(transactions.ask(await transactions.begin(), COUNT)).toEqual([{ notes: 0 }]);
});

test('a transaction is rolled back after thirty seconds, however much its owner asks', async () => {
  const id = await transactions.begin();
  for (let step = 0; step < 8; step++) {
    if (transactions.whenFree() !== undefined) transactions.ask(id, INSERT);
    jest.advanceTimersByTime(4_000);
  }
  expect(() => transactions.commit(id, [])).toThrow('took too long');
  expect(transactions.ask(await transactions.begin(), COUNT)).toEqual([{ notes: 0 }]);
});
