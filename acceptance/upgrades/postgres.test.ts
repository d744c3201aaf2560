import { afterEach, beforeEach, expect, test } from 'bun:test';
import { checkRelease } from '../../conformance/releases/check.ts';
import { knownOf, loadRelease, releases } from '../../conformance/releases/release.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { type SharedTestPostgres, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const RELEASES = releases().map(({ version }) => version);

let server: SharedTestPostgres;
let url: string;
let space: Workspace;

beforeEach(async () => {
  server = await sharedTestPostgres();
  url = await server.createDatabase();
  space = await Workspace.create();
}, 600_000);
afterEach(async () => {
  await space.remove();
  await server.dropDatabase(url);
});

test.each(RELEASES)('this version works with the PostgreSQL database of %s', async (version) => {
  await loadRelease(version, url);
  await checkRelease(space, await knownOf(version, 'postgres'), { DATABASE_URL: url });
});

test.each(RELEASES)('a node that must not upgrade starts once the database of %s is upgraded', async (version) => {
  await loadRelease(version, url);
  const { secret } = await knownOf(version, 'postgres');
  const env = { DATABASE_URL: url, DATABASE_UPGRADE: 'refuse', SWITCHYARD_SECRET: secret };
  expect(await space.run(['migrate'], { env })).toMatchObject({ exitCode: 0, stderr: '' });
  const gateway = await space.serve({ env });
  expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(200);
});
