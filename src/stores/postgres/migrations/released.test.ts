import { expect, test } from 'bun:test';
import { chainHashes, sqlHash } from '../../shared/testing/migration-hashes.ts';
import { FUNCTIONS } from '../functions/index.ts';
import { POSTGRES_CHAIN } from './index.ts';
import released from './released.json';

/**
 * A database created with the earlier text never receives a later edit: write another migration instead. Add the hash of a new migration to
 * released.json, where nothing else ever changes.
 */
test('the statements of a released migration never change', async () => {
  const { migrations, unreleased } = released;
  expect(await chainHashes(POSTGRES_CHAIN)).toEqual({ migrations, unreleased });
});

/** A running database replaces its functions only by those of a higher version. */
test('a change of the functions has a new version', () => {
  const hashes: Readonly<Record<string, string>> = released.functions;
  expect(hashes[FUNCTIONS.version]).toBe(sqlHash(FUNCTIONS.sql));
});
