import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../conformance/shared/free-port.ts';
import { PROJECT, temporaryFolder } from '../../conformance/shared/workspace.ts';
import { builtExecutable } from '../shared/builds.ts';
import { runChecks, type ScriptChecks } from '../shared/script-checks.ts';

/* deploy/test/image.sh builds the image and uses it. */

setDefaultTimeout(600_000);

const CHECKS = [
  'two builds have the same digest',
  'the image has at most 200 MB',
  'the packages of the base are listed for the bill of materials',
  'the user is not root',
  'the data folder is a volume',
  'the health check runs the health command',
  'the labels name version, revision, date, license and source',
  'there is no shell and no file with a setuid bit',
  'only the data folder and folders for temporary files are writable',
  'it is ready with chroot isolation',
  'it prints a first key with chroot isolation',
  'it gives a first answer with chroot isolation',
  'it is ready as the first process on a read-only root',
  'a command makes the first key on a read-only root',
  'it gives a first answer on a read-only root',
  'the health command finds it',
  'it stops with exit code 0 on SIGTERM',
  'nothing answers when it has stopped',
  'it is ready on the same data folder',
  'the first key still works',
  'it stops again',
  'the database listens',
  'it waits for its database',
  'it can be stopped while it starts',
];

let folder: string;
let checks: ScriptChecks;

beforeAll(async () => {
  folder = await temporaryFolder();
  const context = path.join(folder, 'context');
  await mkdir(path.join(context, 'dist'), { recursive: true });
  await copyFile(await builtExecutable(), path.join(context, 'dist', 'switchyard'));
  await copyFile(path.join(PROJECT, 'LICENSE'), path.join(context, 'LICENSE'));
  checks = await runChecks(['bash', 'deploy/test/image.sh', folder], {
    CONTEXT: context,
    PORT: String(await freePort()),
    BASE_ARCHIVE: process.env.SWITCHYARD_TEST_IMAGE_BASE ?? path.join(folder, 'base.tar'),
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(CHECKS)('%s', (name) => {
  expect(checks.passed, checks.output).toContain(name);
});

test('the script has no other checks', () => {
  expect([checks.exitCode, checks.passed.length], checks.output).toEqual([0, CHECKS.length]);
});
