import { afterAll, setDefaultTimeout } from 'bun:test';
import { testOperators } from '../../conformance/tasks-operators/scenario.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

/* `switchyard tasks`: an operator beside a running gateway, on PostgreSQL. */

setDefaultTimeout(600_000);

let url = '';
testOperators(async () => {
  url = await (await sharedTestPostgres()).createMigratedDatabase();
  return { DATABASE_URL: url, SWITCHYARD_SECRET: 'the master secret of all nodes' };
});
afterAll(async () => (await sharedTestPostgres()).dropDatabase(url));
