import { afterAll, beforeAll, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_STORE, filled, proven } from '../../src/demo/testing/filled-demo.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-demo-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('a demo in PostgreSQL has correct books, and roll-ups that equal them', async () => {
  const server = await sharedTestPostgres();
  const url = await server.createMigratedDatabase();
  const store = await openPostgresStore({ ...DEMO_STORE, url });
  await proven(await filled(store, folder));
  await store.close();
  await server.dropDatabase(url);
}, 600_000);
