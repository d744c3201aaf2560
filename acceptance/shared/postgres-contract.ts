import { afterAll, beforeAll } from 'bun:test';
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { describeStoreContract, describeStoreLaws } from '../../src/stores/shared/testing/contract.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Tests the stores on the shared PostgreSQL: their contract, and their laws with this number of random histories. */
export function describePostgresStores(histories: number): void {
  let server: SharedTestPostgres;
  let url: string;

  beforeAll(async () => {
    server = await sharedTestPostgres();
    url = await server.createMigratedDatabase();
  }, 60_000);
  afterAll(() => server.dropDatabase(url));

  async function openEmpty(clock: Parameters<typeof openPostgresStore>[0]['clock']) {
    await server.emptyDatabase(url);
    return openPostgresStore({ url, secret: 'a long master secret', clock, logger });
  }

  describeStoreContract('PostgreSQL', openEmpty);
  describeStoreLaws('PostgreSQL', openEmpty, histories);
}
