import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile, rm, stat } from 'node:fs/promises';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';

/* Commands that are killed with SIGKILL. */

const TIMEOUT_MS = 600_000;
/** Enough rows for a database that takes a while to copy. */
const FILLED_MIB = 24;

let space: ProcessWorkspace;
let secret: string;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  const filled = await space.runHere(['demo', '--requests', '200', '--days', '2']);
  expect(filled.exitCode).toBe(0);
  secret = (await readFile(space.path('data', 'master-secret'), 'utf8')).trim();
  const database = new Database(space.database);
  database.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${FILLED_MIB})
    INSERT INTO captures (request_id, account_id, at_ms, bytes, facts, request, answer)
    SELECT 'large-' || i, 'halyard', 1, 1, '{}', randomblob(1048576), randomblob(1) FROM n`);
  database.close();
}, TIMEOUT_MS);
afterAll(() => space.remove(), TIMEOUT_MS);

/** Starts a command and kills it as soon as the condition holds, or lets it end before that. */
async function killWhen(args: readonly string[], env: Record<string, string>, holds: () => Promise<boolean> | boolean) {
  const child = space.start(args, { env });
  await until(`"${args[0]}" has begun`, async () => child.exitCode !== null || (await holds()));
  child.kill('SIGKILL');
  await child.exited;
}

const partials = async () => (await readdir(space.folder)).filter((name) => name.endsWith('.partial'));

test(
  'a backup that is killed leaves the earlier one as it was',
  async () => {
    const file = space.path('backup.tar');
    expect((await space.runHere(['backup', '--no-media', file])).exitCode).toBe(0);
    const earlier = space.path('earlier.tar');
    await copyFile(file, earlier);
    for (const kind of ['.sqlite.partial', '.tar.partial']) {
      await killWhen(['backup', '--no-media', file], {}, async () => {
        const names = (await partials()).filter((name) => name.endsWith(kind));
        const sizes = await Promise.all(names.map((name) => stat(space.path(name)).catch(() => null)));
        return sizes.some((found) => (found?.size ?? 0) > 4096);
      });
      const checked = await space.runHere(['restore', '--check', file]);
      expect([checked.exitCode, checked.stderr]).toEqual([0, '']);
      for (const name of await partials()) await rm(space.path(name));
    }
    expect((await readFile(earlier)).length).toBeGreaterThan(FILLED_MIB * 1024 * 1024);
  },
  TIMEOUT_MS,
);

test(
  'a restore that is killed at any step can be run again',
  async () => {
    const file = space.path('whole.tar');
    expect((await space.runHere(['backup', file])).exitCode).toBe(0);
    const env = { SWITCHYARD_SECRET: secret };
    for (const step of [
      '.restore',
      '.restore/new/switchyard.sqlite',
      '.restore/new/switchyard.sqlite-wal',
      '.restore/journal.json',
    ]) {
      const data = space.path('restored');
      await killWhen(['restore', '--data', data, file], env, () => existsSync(`${data}/${step}`));
      const isComplete = existsSync(`${data}/switchyard.sqlite`);
      const again = await space.runHere(['restore', '--data', data, file], { env });
      if (isComplete) expect(again.stderr).toContain('is not empty');
      else expect([again.exitCode, again.stderr]).toEqual([0, '']);
      const verified = await space.runHere(['ledger', 'verify', '--data', data], { env });
      expect([verified.exitCode, verified.stdout]).toEqual([0, expect.stringContaining('ledger verified')]);
      expect(existsSync(`${data}/.restore`)).toBe(false);
      await rm(data, { recursive: true });
    }
  },
  TIMEOUT_MS,
);
