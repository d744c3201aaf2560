import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { oldestPrograms, sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const TIMEOUT_MS = 600_000;
const SWITCHYARD_SECRET = 'the secret of a dumped database 0123456789';

let space: Workspace;

beforeAll(async () => {
  space = await Workspace.create();
});
afterAll(() => space.remove());

/** Runs a printed command line, with PostgreSQL's programs of the oldest supported version. */
function run(line: string): { readonly success: boolean; readonly stderr: string } {
  const env = { ...process.env, PATH: `${oldestPrograms()}:${process.env.PATH}` };
  const { success, stderr } = Bun.spawnSync(['sh', '-c', line], { cwd: space.folder, env });
  return { success, stderr: stderr.toString() };
}

test(
  'the printed commands back up a database and restore it',
  async () => {
    const server = await sharedTestPostgres();
    const [DATABASE_URL, empty] = [await server.createMigratedDatabase(), await server.createDatabase()];
    const env = { DATABASE_URL, SWITCHYARD_SECRET };
    await space.run(['accounts', 'create', 'acme'], { env });
    await space.run(['accounts', 'grant', 'acme', '12'], { env });
    const { stdout } = await space.run(['backup', space.path('b.tar')], { env });
    const [dump = '', restore = ''] = stdout.split('\n').filter((line) => /^ {2}pg_/.test(line));
    expect(run(dump)).toEqual({ success: true, stderr: '' });
    expect(run(restore.replace('URL of the empty database', empty))).toEqual({ success: true, stderr: '' });
    const restored = { DATABASE_URL: empty, SWITCHYARD_SECRET };
    expect((await space.run(['ledger', 'verify'], { env: restored })).stdout).toContain('entries 1');
    expect((await space.run(['accounts', 'balance', 'acme'], { env: restored })).stdout).toContain('12');
    await server.dropDatabase(DATABASE_URL);
    await server.dropDatabase(empty);
  },
  TIMEOUT_MS,
);
