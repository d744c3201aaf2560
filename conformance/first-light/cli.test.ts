import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chatBody } from '../shared/answer.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

const upstream = startUpstream();
let space: Workspace;

beforeAll(async () => {
  space = await Workspace.create();
});

afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

const configuration = (models: readonly string[]) => ({
  channels: [channelTo(upstream, { models })],
  accounts: [accountWith('acme', [keyNamed('ci')])],
});

describe('help', () => {
  const COMMANDS = ['', 'serve', 'apply', 'keys', 'keys create', 'keys list', 'keys revoke'];
  COMMANDS.push(
    'accounts',
    'accounts create',
    'accounts list',
    'accounts balance',
    'accounts grant',
    'accounts adjust',
  );
  COMMANDS.push('ledger', 'ledger list', 'ledger verify', 'doctor');
  COMMANDS.push('tasks', 'tasks list', 'tasks show', 'tasks retry-poll', 'tasks fail');

  test('of every command has an example', async () => {
    const results = await Promise.all(
      COMMANDS.map((command) => space.run([...command.split(' ').filter(Boolean), '--help'])),
    );
    for (const [index, command] of COMMANDS.entries()) {
      const { exitCode, stdout, stderr } = results[index]!;
      expect([command, exitCode, stderr]).toEqual([command, 0, '']);
      expect(stdout).toContain(`Usage: switchyard ${command}`.trim());
      expect(stdout).toMatch(/Examples:\n {2}switchyard /);
    }
  });

  test('an unknown command is reported in one line, with exit code 2', async () => {
    const { exitCode, stdout, stderr } = await space.run(['sevre']);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^switchyard: unknown command 'sevre'[^\n]*\n$/);
  });
});

describe('apply', () => {
  test('changes nothing the second time', async () => {
    const file = await space.write('apply.yaml', configuration(['alpha', 'beta']));
    const data = ['--data', space.path('applied')];
    const first = await space.run(['apply', file, ...data]);
    expect([first.exitCode, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(/^3 created, 0 updated, 0 unchanged, 0 removed$/m);
    expect(await space.run(['apply', file, ...data])).toEqual({
      exitCode: 0,
      stdout: '0 created, 0 updated, 3 unchanged, 0 removed\n',
      stderr: '',
    });
  });

  test('validates a file with --check and changes nothing', async () => {
    const right = await space.write('right.yaml', configuration(['alpha']));
    const data = ['--data', space.path('unchecked')];
    const ok = await space.run(['apply', right, '--check', ...data]);
    expect([ok.exitCode, ok.stdout]).toEqual([0, `${right}: ok (channels 1, models 1, accounts 1, keys 1)\n`]);
    const wrong = await space.write('wrong.yaml', { accounts: [{ id: 'acme', role: 'Boss' }] });
    const failed = await space.run(['apply', wrong, '--check', ...data]);
    expect([failed.exitCode, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr).toMatch(/wrong\.yaml:\d+: accounts\[0\]\.role[^\n]+\n$/);
    expect(await Bun.file(space.path('unchecked', 'switchyard.sqlite')).exists()).toBe(false);
  });
});

describe('commands beside a running gateway', () => {
  let serving: Serving;
  let file: string;

  beforeAll(async () => {
    file = await space.write('switchyard.yaml', configuration(['alpha']));
    serving = await space.serve({ env: { SWITCHYARD_CONFIG: file } });
  });

  const status = async (key: string, model = 'alpha') => (await serving.chat(key, chatBody(model))).status;

  test('an account and its key can be created, listed, used and revoked', async () => {
    const account = await space.run(['accounts', 'create', 'globex', '--role', 'Partner', '--billing', 'unlimited']);
    expect([account.exitCode, account.stderr]).toEqual([0, '']);
    const accounts = asArray(parseJson((await space.run(['accounts', 'list', '--json'])).stdout)).map(asObject);
    expect(accounts.find(({ id }) => id === 'globex')).toMatchObject({ role: 'Partner', billing: 'unlimited' });
    expect((await space.run(['accounts', 'list'])).stdout).toMatch(/^globex +globex +Partner /m);

    const created = await space.run(['keys', 'create', '--account', 'globex', '--name', 'laptop']);
    const secret = created.stdout.trim();
    expect(secret).toMatch(/^sk-\w{32,}$/);
    const list = async () =>
      asArray(parseJson((await space.run(['keys', 'list', '--account', 'globex', '--json'])).stdout)).map(asObject);
    const [listed] = await list();
    expect(listed).toMatchObject({ account: 'globex', name: 'laptop', state: 'active' });
    expect(JSON.stringify(listed)).not.toContain(secret);
    await until('the new key works', async () => (await status(secret)) === 200);

    const revoked = await space.run(['keys', 'revoke', String(listed?.id)]);
    expect([revoked.exitCode, revoked.stdout]).toEqual([0, expect.stringContaining('revoked globex/')]);
    expect(await list()).toMatchObject([{ state: 'revoked' }]);
    await until('the revoked key is refused', async () => (await status(secret)) === 401);
  });

  test('apply makes a changed file take effect soon', async () => {
    expect(await status(clientKey('ci'), 'beta')).toBe(404);
    await space.write('switchyard.yaml', configuration(['alpha', 'beta']));
    const { exitCode, stdout } = await space.run(['apply', file]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('updated  channel main')]);
    await until('the new model works', async () => (await status(clientKey('ci'), 'beta')) === 200);
  });

  test('doctor succeeds, and recognises this gateway as the owner of the port', async () => {
    const { exitCode, stdout } = await space.run(['doctor', '--config', file, '--port', String(serving.port)]);
    expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining('FAIL')]);
    expect(stdout).toMatch(/^ok +port .*in use by a running gateway$/m);
    expect(stdout).toMatch(/^ok +channel main /m);
  });

  test('doctor fails, with its exit code and a message, if something would prevent a start', async () => {
    const port = String(new URL(upstream.baseUrl).port);
    const { exitCode, stdout } = await space.run(['doctor', '--config', space.path('nothing.yaml'), '--port', port]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^FAIL +configuration /m);
    expect(stdout).toMatch(/^FAIL +port .*in use by another program/m);
  });
});
