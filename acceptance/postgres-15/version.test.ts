import { expect, test } from 'bun:test';
import { Client } from 'pg';
import { OLDEST_POSTGRES } from '../../src/stores/postgres/server-version.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

test('this suite runs on the oldest supported version; start it with "npm test -- acceptance/postgres-15"', async () => {
  const client = new Client({ connectionString: (await sharedTestPostgres()).url });
  await client.connect();
  const { rows } = await client.query(`SELECT current_setting('server_version_num')::integer / 10000 AS major`);
  await client.end();
  expect(rows).toEqual([{ major: OLDEST_POSTGRES }]);
});
