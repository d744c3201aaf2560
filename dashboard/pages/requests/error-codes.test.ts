import { expect, test } from 'bun:test';
import { ERROR_CODES as OWN } from '../../../src/domain/failure/error-codes.ts';
import { ERROR_CODES } from './error-codes.ts';

test('the filter offers every error code of the gateway', () => {
  expect<readonly string[]>(ERROR_CODES).toEqual(Object.keys(OWN));
});
