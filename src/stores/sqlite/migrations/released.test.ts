import { expect, test } from 'bun:test';
import { chainHashes } from '../../shared/testing/migration-hashes.ts';
import { SQLITE_CHAIN } from './index.ts';
import released from './released.json';

/**
 * A database created with the earlier text never receives a later edit: write another migration instead. Add the hash of a new migration to
 * released.json, where nothing else ever changes.
 */
test('the statements of a released migration never change', async () => {
  expect(await chainHashes(SQLITE_CHAIN)).toEqual(released);
});
