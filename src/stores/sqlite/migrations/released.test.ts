import { expect, test } from 'bun:test';
import { migrationHashes } from '../../shared/testing/migration-hashes.ts';
import { MIGRATIONS } from './index.ts';
import released from './released.json';

/**
 * A database that was made with the earlier text never gets the later one: write another migration instead. The hash of a new one is
 * added to released.json, where nothing else ever changes.
 */
test('the statements of a released migration never change', async () => {
  expect(await migrationHashes(MIGRATIONS)).toEqual(released);
});
