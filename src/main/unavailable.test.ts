import { expect, test } from 'bun:test';
import { DatabaseAwayError, StatementTimeoutError } from '../stores/postgres/database-away-error.ts';
import { unavailable } from './unavailable.ts';

test.each([
  ['an unavailable database', new DatabaseAwayError('away'), 'The gateway cannot reach its database.'],
  ['a slow statement', new StatementTimeoutError('slow'), 'The database query took too long.'],
])('%s gives a 503 with advice', async (_what, error, message) => {
  const answer = unavailable(error);
  const { error: body } = (await answer.json()) as { error: { message: string; code: string } };
  expect([answer.status, body.code]).toEqual([503, 'storage_unavailable']);
  expect(body.message).toStartWith(message);
});

test('an error not caused by the database is thrown', () => {
  expect(() => unavailable(new RangeError('a defect'))).toThrow('a defect');
});
