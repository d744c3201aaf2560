import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { providers } from '../../providers/index.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  fixture.providers = providers;
});
afterEach(() => fixture.remove());

test('a demo fills an empty folder once, and prints how to start it and who can sign in', async () => {
  const { exitCode, stdout, stderr } = await fixture.run(['demo', '--requests', '100', '--days', '3']);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`switchyard serve --data '${fixture.path('data')}'`);
  expect(stdout).toMatch(
    /operator@switchyard\.example\n {2}[0-9A-Za-z]{16}\n.*\n {2}mara@halyard\.example\n {2}\w{16}\n/s,
  );
  expect((await fixture.run(['ledger', 'verify'])).stdout).toContain('ledger verified');
  const again = await fixture.run(['demo', '--requests', '100']);
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('is not empty (')]);
}, 600_000);

test('a folder that is not empty is left alone', async () => {
  await mkdir(fixture.path('data'), { recursive: true });
  await writeFile(fixture.path('data/notes.txt'), 'mine');
  const { exitCode, stderr } = await fixture.run(['demo']);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is not empty (notes.txt)')]);
  expect(await readdir(fixture.path('data'))).toEqual(['notes.txt']);
});

test('a database that is not empty is left alone', async () => {
  await fixture.run(['accounts', 'create', 'acme']);
  const elsewhere = fixture.path('empty');
  const real = fixture.openStore.bind(fixture);
  fixture.openStore = (secret) => real(secret);
  const { exitCode, stderr } = await fixture.run(['demo', '--data', elsewhere], {
    SWITCHYARD_SECRET: 'the secret of another folder',
  });
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the database is not empty')]);
});

test.each([
  ['--days', '31'],
  ['--days', '0'],
  ['--requests', '2000000'],
])('%s %s is refused', async (option, value) => {
  const { exitCode, stderr } = await fixture.run(['demo', option, value]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${option}: must be a whole number from 1 to`)]);
});
