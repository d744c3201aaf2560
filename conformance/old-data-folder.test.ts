import { afterAll, beforeAll, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { copyOldDatabase, OLD_DATABASE } from '../src/stores/sqlite/testing/2026-11-28/index.ts';
import { checkImportedStore } from './shared/imported-store.ts';
import { Workspace } from './shared/workspace.ts';

let space: Workspace;

beforeAll(async () => {
  space = await Workspace.create();
});
afterAll(() => space.remove());

test('a gateway opens a data folder of 2026-11-28 with everything in it', async () => {
  await mkdir(space.data, { mode: 0o700 });
  await copyOldDatabase(space.database);
  await checkImportedStore(space, OLD_DATABASE);
});
