import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { hashSecret } from '../../engine/access/secrets.ts';
import type { Store } from '../../engine/ports/store.ts';
import { sampleBatch } from '../../engine/ports/testing/batch-samples.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  await run('accounts', 'create', 'acme', '--role', 'vip');
});

afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.outputOf(args);

async function inStore<Result>(use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await fixture.openStore((await readFile(fixture.path('data/master-secret'), 'utf8')).trim());
  return use(store).finally(() => store.close());
}

test('an account that is created again with the same content exists already', async () => {
  expect(await run('accounts', 'create', 'acme', '--role', 'VIP')).toBe(
    'account acme already exists with the same content; nothing changed\n',
  );
  expect((await fixture.run(['accounts', 'create', 'acme'])).stderr).toBe(
    'switchyard: id: the account "acme" already exists with a different role; change it, or choose another id\n',
  );
});

test('an account is archived and restored, each once', async () => {
  const archived = 'archived acme: its keys are refused; "switchyard accounts restore acme" undoes it\n';
  expect(await run('accounts', 'archive', 'acme')).toBe(archived);
  expect(await run('accounts', 'archive', 'acme')).toBe('acme is already archived; nothing changed\n');
  expect(JSON.parse(await run('accounts', 'show', 'acme'))).toMatchObject({
    id: 'acme',
    state: 'archived',
    archived_at: '2023-11-14T22:13:20Z',
  });
  expect((await fixture.run(['keys', 'create', '--account', 'acme'])).stderr).toBe(
    'switchyard: account: "acme" is archived: restore it first, or name another account\n',
  );
  expect(await run('accounts', 'restore', 'acme')).toBe('restored acme\n');
  expect(await run('accounts', 'restore', 'acme')).toBe('acme is not archived; nothing changed\n');
});

test('an archived account is erased only with --yes', async () => {
  await run('keys', 'create', '--account', 'acme', '--id', 'ci', '--name', 'Laptop of Ann');
  await run('accounts', 'grant', 'acme', '5', '--note', 'order 4711');
  expect((await fixture.run(['accounts', 'erase', 'acme', '--yes'])).stderr).toContain('is in use: archive it first');
  await run('accounts', 'archive', 'acme');
  await inStore(({ batches }) => batches.create(sampleBatch({ accountId: 'acme' })));
  const open = await fixture.run(['accounts', 'erase', 'acme', '--yes']);
  expect([open.exitCode, open.stderr]).toEqual([1, expect.stringContaining('1 unfinished batches: cancel them, and')]);
  await inStore(({ batches }) => batches.change('batch_1', 0, { stage: 'cancelled', expiresAtMs: 0 }));
  await inStore(({ batches }) => batches.removeExpired(1, 9));
  const counts = (notes: string) => `  key names: 1\n  ledger notes: 1\n  audit entries: ${notes}\n`;
  const asked = await run('accounts', 'erase', 'acme');
  expect(asked).toBe(`nothing changed; add --yes to erase acme:\n${counts('2')}`);
  const done = await run('accounts', 'erase', 'acme', '--yes');
  expect(done).toMatch(/^erased acme; its names and notes are now erased-[0-9a-f]{8}:\n/);
  expect(done).toEndWith(counts('2'));
  expect(await run('keys', 'list', '--account', 'acme', '--json')).not.toContain('Laptop');
  expect(await run('ledger', 'list', 'acme')).toMatch(/erased-[0-9a-f]{8}/);
  expect(await run('ledger', 'verify')).toStartWith('ledger verified');
});

test('a key is created once per id, and rotated', async () => {
  const made = await run('keys', 'create', '--account', 'acme', '--id', 'ci');
  const again = await fixture.run(['keys', 'create', '--account', 'acme', '--id', 'ci']);
  expect([again.exitCode, again.stdout, again.stderr]).toEqual([
    0,
    '',
    'Key ci already exists with the same content; its secret is not shown again\n',
  ]);
  const rotated = await run('keys', 'rotate', 'acme/ci');
  expect(rotated).toMatch(/^sk-\w{48}\n$/);
  const holders = await inStore(({ directory }) =>
    Promise.all([made, rotated].map((secret) => directory.principal(hashSecret(secret.trim())))),
  );
  expect(holders.map((holder) => [holder?.credential.id, holder?.secretEndsAtMs])).toEqual([
    ['ci', 0],
    ['ci', undefined],
  ]);
  const { stderr, exitCode } = await fixture.run(['keys', 'rotate', 'acme/ci', '--grace', '90m']);
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/valid until \d{4}-/)]);
  expect((await fixture.run(['keys', 'rotate', 'acme/ci', '--grace', '31d'])).stderr).toContain('30 days');
  expect((await fixture.run(['keys', 'rotate', 'acme/ci', '--management'])).stderr).toContain('no management token');
  expect((await fixture.run(['keys', 'rotate', 'ci'])).exitCode).toBe(2);
});

test('a token is created with scopes, which the list shows', async () => {
  const make = ['keys', 'create', '--account', 'acme', '--management', '--id', 'ops', '--scopes'];
  expect((await fixture.run([...make, 'usage:read,key:write'])).stderr).toContain('scopes[1]');
  await run(...make, 'usage:read, keys:read, keys:write');
  const listed = JSON.parse(await run('keys', 'list', '--account', 'acme', '--json'));
  expect(listed.find(({ id }: { readonly id: string }) => id === 'ops')).toMatchObject({
    scopes: ['keys:write', 'usage:read'],
    managed_by: 'api',
  });
});

test('keys are listed by age, across accounts and kinds', async () => {
  await run('accounts', 'create', 'zeta');
  for (const [account, id, ...more] of [
    ['zeta', 'first'],
    ['acme', 'second', '--management'],
    ['acme', 'another'],
  ] as const) {
    await run('keys', 'create', '--account', account, '--id', id, ...more);
    fixture.clock.advance(1_000);
  }
  const listed: { readonly id: string }[] = JSON.parse(await run('keys', 'list', '--json'));
  expect(listed.map(({ id }) => id)).toEqual(['first', 'second', 'another']);
});
