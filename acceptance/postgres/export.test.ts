import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chatBody } from '../../conformance/shared/answer.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { startTestPostgres, type TestPostgres } from '../../src/stores/shared/testing/postgres.ts';

/* Settings and exports on PostgreSQL, while a gateway runs. */

let server: TestPostgres;
let space: Workspace;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startTestPostgres();
  space = await Workspace.create();
  const url = await space.write('secrets/database', `${await server.createDatabase()}\n`);
  env = { DATABASE_URL_FILE: url, SWITCHYARD_SECRET: 'the master secret of all nodes' };
});
afterAll(async () => {
  await space?.remove();
  await server?.stop();
});

const lines = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await space.run(['export', ...args, '--to', '2100-01-01'], { env });
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout.trimEnd().split('\n');
};

test('requests and entries of a running gateway are exported', async () => {
  const serving = await space.serve({ env });
  const model = /"model":"([^"]+)"/.exec(serving.curlLine)?.[1] ?? '';
  const { status } = await serving.chat(serving.firstKey ?? '', chatBody(model));
  expect(status).toBe(200);
  await until('the line is written', async () => (await lines('requests'))[0] !== '');
  const [line = ''] = await lines('requests');
  expect(JSON.parse(line)).toMatchObject({ object: 'request', account: 'default', status: 200 });
  await space.run(['accounts', 'create', 'acme'], { env });
  await space.run(['accounts', 'grant', 'acme', '0.000000001'], { env });
  const entries = await lines('ledger', '--account', 'acme', '--format', 'csv');
  expect(entries).toHaveLength(2);
  expect(entries[1]).toContain(',grant,0.000000001,');
});

test('the settings in force name the file that holds the address of the database', async () => {
  const { exitCode, stdout, stderr } = await space.run(['config', 'show', '--changed'], { env });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`environment DATABASE_URL_FILE (${env.DATABASE_URL_FILE})`);
  expect(stdout).not.toContain('postgres://');
});
