import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { copyOldDatabase, OLD_DATABASE } from '../../stores/sqlite/testing/2026-11-28/index.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;
let path: string;
beforeEach(async () => {
  fixture = await CommandFixture.create();
  path = fixture.path('data/switchyard.sqlite');
});
afterEach(() => fixture.remove());

test('a check of an empty folder says what would be created, with exit code 10', async () => {
  expect(await fixture.run(['migrate', '--check'])).toEqual({
    exitCode: 10,
    stdout: `The database ${path} has no tables of Switchyard yet: they will be created.\n`,
    stderr: '',
  });
  expect(await fixture.run(['migrate'])).toEqual({
    exitCode: 0,
    stdout: `The tables of the database ${path} were created.\n`,
    stderr: '',
  });
  const done = { exitCode: 0, stdout: `The database ${path} is up to date.\n`, stderr: '' };
  expect(await fixture.run(['migrate', '--check'])).toEqual(done);
  expect(await fixture.run(['migrate'])).toEqual(done);
});

test('a check of an earlier database lists the changes and leaves them to be done', async () => {
  await mkdir(fixture.path('data'));
  await copyOldDatabase(path);
  const check = await fixture.run(['migrate', '--check']);
  expect(check.exitCode).toBe(10);
  expect(check.stdout).toMatch(/must be upgraded:\nCHANGE +RUNS +ROWS\n0033-retention +at once +0\n/);
  expect(check.stdout).toEndWith('Stop the gateway for the upgrade, which is one transaction.\n');
  const { stdout, exitCode } = await fixture.run(['migrate', '--check', '--json']);
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    10,
    expect.objectContaining({ database: path, kind: 'sqlite', state: 'due', used_by: null }),
  ]);
  const doctor = await fixture.run(['doctor', '--port', '0'], { SWITCHYARD_SECRET: OLD_DATABASE.secret });
  expect(doctor.stdout).toMatch(/^warn +database .* was not opened: an earlier version has made it/m);
  expect((await fixture.run(['migrate', '--check'])).exitCode).toBe(10);
  const secrets = { SWITCHYARD_SECRET: OLD_DATABASE.secret, SWITCHYARD_NEW_SECRET: 'another master secret' };
  const rotated = await fixture.run(['secret', 'rotate'], { ...secrets, DATABASE_UPGRADE: 'refuse' });
  expect(rotated).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('it must be upgraded first (') });
  expect(await fixture.run(['migrate'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/ was upgraded: 0033-retention, .*0006-request-identity/),
  });
  expect((await fixture.run(['migrate', '--check'])).exitCode).toBe(0);
});

test('a database that cannot be upgraded and a wrong DATABASE_UPGRADE are errors', async () => {
  await mkdir(fixture.path('data'));
  await Bun.write(path, 'this is no database, and long enough to be sure of that'.repeat(50));
  const refused = await fixture.run(['migrate', '--check']);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('damaged or not a Switchyard')]);
  expect(await fixture.run(['migrate'], { DATABASE_UPGRADE: 'later' })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'switchyard: DATABASE_UPGRADE: must be auto or refuse (got "later")\n',
  });
});
