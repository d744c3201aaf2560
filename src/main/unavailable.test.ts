import { expect, test } from 'bun:test';
import { DatabaseAwayError, StatementTimeoutError } from '../stores/postgres/database-away-error.ts';
import { unavailable } from './unavailable.ts';

test.each([
  ['a database that is away', new DatabaseAwayError('away'), 'The gateway cannot reach its database just now.'],
  ['a statement that took too long', new StatementTimeoutError('slow'), 'The database took too long to find this.'],
])('%s is answered with 503 and what to do', async (_what, error, message) => {
  const answer = unavailable(error);
  const { error: body } = (await answer.json()) as { error: { message: string; code: string } };
  expect([answer.status, body.code]).toEqual([503, 'storage_unavailable']);
  expect(body.message).toStartWith(message);
});

test('what is no fault of the database is thrown', () => {
  expect(() => unavailable(new RangeError('a defect'))).toThrow('a defect');
});
