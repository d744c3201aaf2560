import { afterAll, beforeAll } from 'bun:test';
import { describeSignIn } from '../../src/sign-in/testing/sign-in-contract.ts';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

let postgres: SharedTestPostgres;
let url: string;

beforeAll(async () => {
  postgres = await sharedTestPostgres();
  url = await postgres.createMigratedDatabase();
}, 600_000);
afterAll(() => postgres.dropDatabase(url));

describeSignIn('PostgreSQL', async (options) => {
  await postgres.emptyDatabase(url);
  return openPostgresStore({ url, ...options });
});
