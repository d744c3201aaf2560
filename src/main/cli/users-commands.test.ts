import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DEFAULT_QUOTAS } from '../../domain/access/object-quotas.ts';
import { acceptInvitation } from '../../engine/admin/people/accept.ts';
import { DEFAULT_BRANDING, DEFAULT_SIGN_IN } from '../../engine/settings/settings.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
});
afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.outputOf(args);

const passwords = { hash: async (password: string) => `hash of ${password}`, verify: async () => false };

async function accept(told: string, email: string): Promise<void> {
  const token = told.split('#')[1]?.trim() ?? '';
  const store = await fixture.openStore('people need no secret');
  try {
    const { people, directory } = store;
    const ports = {
      people,
      directory,
      clock: fixture.clock,
      passwords,
      mailer: null,
      branding: async () => DEFAULT_BRANDING,
      settings: DEFAULT_SIGN_IN,
      quotas: DEFAULT_QUOTAS,
    };
    const input = { token, email, name: 'Ann', password: 'correct horse' };
    await acceptInvitation(ports, { address: null, requestId: null }, null, input);
  } finally {
    await store.close();
  }
}

test('people are invited, listed, disabled and enabled again', async () => {
  expect(await run('users', 'list')).toContain('switchyard users invite --operator');
  await run('accounts', 'create', 'acme');
  const told = await run('users', 'invite', '--operator');
  expect(told).toMatch(/^the link works once, until .*:\n {2}http:\/\/127\.0\.0\.1:8787\/welcome#[0-9A-Za-z]{40}\n$/);
  await accept(told, 'op@example.com');
  await accept(
    await run('users', 'invite', '--account', 'acme', '--role', 'owner', '--email', 'Ann@example.com'),
    'ann@example.com',
  );
  expect(await run('users', 'list')).toMatch(/ann@example\.com .*acme \(owner\) .*\n.*op@example\.com .*yes/);
  const listed = JSON.parse(await run('users', 'list', '--account', 'acme', '--json'));
  expect(listed).toMatchObject([{ email: 'ann@example.com', operator: false, disabled_at: null }]);
  expect(await run('users', 'disable', 'ANN@example.com')).toBe('ann@example.com is disabled\n');
  expect(await run('users', 'enable', listed[0].id)).toBe('ann@example.com is enabled\n');
  expect(await run('users', 'reset-link', 'ann@example.com')).toContain('/welcome#');
  expect(await run('users', 'revoke-sessions', 'ann@example.com')).toBe('0 sessions ended\n');
});

test.each([
  ['an unknown name', ['users', 'disable', 'nobody@example.com'], 'user: there is no user "nobody@example.com"'],
  ['neither an account nor operator', ['users', 'invite'], 'account: must name the account'],
  ['an unknown account', ['users', 'invite', '--account', 'acm'], 'account: there is no account "acm"'],
  ['no address', ['users', 'invite', '--operator', '--email', 'ann'], 'email: must be an email address'],
])('%s is reported', async (_what, args, problem) => {
  const { exitCode, stderr } = await fixture.run(args);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining(problem)]);
});

test('a person is erased only with --yes, and the address is free again', async () => {
  await accept(await run('users', 'invite', '--operator', '--email', 'ann@example.com'), 'ann@example.com');
  await accept(await run('users', 'invite', '--operator'), 'op@example.com');
  const COUNTS = '  passwords: 1\n  invitations: 1\n  audit entries: 2\n';
  const asked = await run('users', 'erase', 'Ann@example.com');
  expect(asked).toMatch(/^nothing changed; add --yes to erase user_\w+:\n/);
  expect(asked).toEndWith(COUNTS);
  const done = await run('users', 'erase', 'ann@example.com', '--yes');
  expect(done).toMatch(/^erased user_\w+; the audit log now shows erased-[0-9a-f]{8}:\n/);
  expect(done).toEndWith(COUNTS);
  expect(await run('users', 'list')).not.toContain('ann@example.com');
  await accept(await run('users', 'invite', '--operator', '--email', 'ann@example.com'), 'ann@example.com');
});

test('the last operator cannot be disabled', async () => {
  await accept(await run('users', 'invite', '--operator'), 'op@example.com');
  const { stderr } = await fixture.run(['users', 'disable', 'op@example.com']);
  expect(stderr).toContain('is the last admin who can sign in');
});
