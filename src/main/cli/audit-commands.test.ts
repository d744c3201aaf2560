import { afterEach, beforeEach, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { systemUser } from './system-user.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
});
afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.outputOf(args);

interface Line {
  readonly actor: { readonly kind: string; readonly name: string };
  readonly action: string;
  readonly object_id: string;
  readonly after: Record<string, unknown> | null;
}

const lines = async (...args: string[]) =>
  (await run('audit', 'export', ...args))
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

test('each change by a command is recorded once, for the system user who ran it', async () => {
  await run('accounts', 'create', 'acme', '--balance-usd', '5');
  await run('accounts', 'create', 'acme', '--balance-usd', '5');
  await run('accounts', 'grant', 'acme', '10', '--note', 'invoice 1', '--idempotency-key', 'i1');
  await run('accounts', 'grant', 'acme', '10', '--note', 'invoice 1', '--idempotency-key', 'i1');
  await run('accounts', 'adjust', 'acme', '-2.5', '--note', 'twice');
  const secret = (await run('keys', 'create', '--account', 'acme', '--id', 'ci')).trim();
  await run('keys', 'revoke', 'acme/ci');
  await run('cache', 'clear', '--account', 'acme', '--yes');
  const told = await lines();
  expect(told.map(({ action, object_id }) => [action, object_id])).toEqual([
    ['account.create', 'acme'],
    ['balance.grant', 'acme'],
    ['balance.grant', 'acme'],
    ['balance.adjust', 'acme'],
    ['key.create', 'ci'],
    ['key.revoke', 'ci'],
    ['cache.clear', 'acme'],
  ]);
  expect(new Set(told.map(({ actor }) => `${actor.kind} ${actor.name}`))).toEqual(
    new Set([`command_line ${systemUser()}`]),
  );
  expect(told.map(({ after }) => after?.amount_usd).slice(1, 4)).toEqual(['5', '10', '-2.5']);
  expect(JSON.stringify(told)).not.toContain(secret);
  expect((await lines('--action', 'balance')).length).toBe(3);
  expect(await run('audit', 'list', '--object', 'ci', '--limit', '1')).toContain('key.revoke');
  expect(await run('audit', 'list', '--since', '2020-01-01', '--until', '2020-02-01')).toBe('No changes found.\n');
});

test('applying a file again records nothing', async () => {
  const path = fixture.path('switchyard.yaml');
  const channel = '{ id: main, provider: openai, api_key: key-of-the-upstream-0123, models: [m] }';
  await writeFile(path, `accounts: [{ id: acme, balance_usd: "3" }]\nchannels: [${channel}]\n`);
  await run('apply', path);
  const told = await lines();
  expect(told.map(({ action }) => action)).toEqual(['account.create', 'channel.create', 'balance.grant']);
  expect(told.every(({ actor }) => actor.kind === 'file' && actor.name.startsWith(path))).toBe(true);
  expect(JSON.stringify(told)).not.toContain('key-of-the-upstream');
  await run('apply', path);
  expect(await lines()).toEqual(told);
  await writeFile(path, `accounts: [{ id: acme, name: Acme }]\nchannels: [${channel}]\n`);
  await run('apply', path);
  expect((await lines()).slice(told.length)).toMatchObject([
    { action: 'account.change', object_id: 'acme', before: { name: 'acme' }, after: { name: 'Acme' } },
  ]);
});
