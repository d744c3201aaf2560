import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import packageJson from '../../../package.json' with { type: 'json' };
import { FakeS3, s3Place } from '../../stores/media/testing/fake-s3.ts';
import { copyOldDatabase } from '../../stores/sqlite/testing/2026-11-28/index.ts';
import { COMMANDS } from './commands.ts';
import { randomSecret } from './master-secret.ts';
import { UPGRADE_DUE } from './migrate-command.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
});

afterEach(() => fixture.remove());

const CONFIGURATION = `
channels:
  - {id: local, provider: ollama, base_url: http://127.0.0.1:9, models: [llama]}
accounts:
  - id: acme
    keys: [{id: ci, name: CI, secret: sk-the-secret-of-ci, limit_usd: "5"}]
`;

const writeConfiguration = async (text = CONFIGURATION) => {
  const path = fixture.path('switchyard.yaml');
  await writeFile(path, text);
  return path;
};

describe('help and usage', () => {
  const WITH_EXAMPLES = [
    [],
    ['serve'],
    ['apply'],
    ['keys'],
    ['keys', 'create'],
    ['keys', 'list'],
    ['keys', 'revoke'],
    ['accounts'],
    ['accounts', 'create'],
    ['accounts', 'list'],
    ['accounts', 'balance'],
    ['accounts', 'grant'],
    ['accounts', 'adjust'],
    ['ledger'],
    ['ledger', 'list'],
    ['ledger', 'verify'],
    ['channels'],
    ['channels', 'list'],
    ['channels', 'test'],
    ['channels', 'disable'],
    ['channels', 'enable'],
    ['channels', 'reset'],
    ['doctor'],
  ];
  test.each(WITH_EXAMPLES.map((command) => [command.join(' ')]))(
    '"switchyard %s --help" has examples',
    async (command) => {
      const args = [...command.split(' ').filter(Boolean), '--help'];
      const { exitCode, stdout, stderr } = await fixture.run(args);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`Usage: switchyard${command === '' ? '' : ' '}${command}`);
      expect(stdout).toContain('Examples:\n  switchyard');
      expect(stdout).toContain('--data <folder>');
    },
  );

  test('the help lists exactly the commands that are loaded by their names', async () => {
    const { stdout } = await fixture.run(['--help']);
    const [, section = ''] = stdout.split(/\nCommands:\n|\nEnvironment:\n/);
    const listed = [...section.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name);
    expect(listed.filter((name) => name !== 'help')).toEqual([...COMMANDS.keys()]);
    for (const name of COMMANDS.keys()) {
      expect((await fixture.run([name, '--help'])).stdout).toContain(`Usage: switchyard ${name}`);
    }
  });

  test('the version is that of the package', async () => {
    expect(await fixture.run(['--version'])).toEqual({ exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' });
  });

  test.each([
    [['serv'], "switchyard: unknown command 'serv' (Did you mean serve?)\n"],
    [['keys', 'lst'], "switchyard: unknown command 'lst' (Did you mean list?)\n"],
    [['keys', 'list', '--jsn'], "switchyard: unknown option '--jsn' (Did you mean --json?)\n"],
    [['keys', 'revoke'], "switchyard: missing required argument 'key'\n"],
    [
      ['accounts', 'create', 'a', '--requests-per-minute', 'many'],
      "switchyard: option '--requests-per-minute <number>' argument 'many' is invalid. It must be a whole number.\n",
    ],
    [['apply'], 'switchyard: name a configuration file or set SWITCHYARD_CONFIG\n'],
    [['serve', '--port', '70000'], 'switchyard: --port: must be a port from 0 to 65535 (got "70000")\n'],
  ])('%p is a usage error: one line and exit code 2', async (args, stderr) => {
    expect(await fixture.run(args)).toEqual({ exitCode: 2, stdout: '', stderr });
  });

  test('without a command the help is printed with a failure', async () => {
    const { exitCode, stderr } = await fixture.run([]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Usage: switchyard');
  });
});

describe('serve', () => {
  test('reads its settings from the environment', async () => {
    const path = await writeConfiguration();
    const { exitCode } = await fixture.run(['serve'], { PORT: '9000', HOST: '::1', SWITCHYARD_CONFIG: path });
    expect(exitCode).toBe(0);
    expect(fixture.served).toMatchObject([{ port: 9000, host: '::1', configuration: { accounts: [{ id: 'acme' }] } }]);
  });

  test('prefers an option to the environment, before or after the command', async () => {
    await fixture.run(['serve', '--port', '1', '--data', fixture.path('b')], { PORT: '2' });
    await fixture.run(['--data', fixture.path('c'), 'serve'], { HOST: '' });
    expect(fixture.served).toMatchObject([
      { port: 1, host: '127.0.0.1', settings: { dataDirectory: fixture.path('b') } },
      {
        port: 8787,
        host: '127.0.0.1',
        settings: { dataDirectory: fixture.path('c') },
        configuration: { path: null },
        storedSettings: {},
      },
    ]);
  });

  test('does not start with an invalid file, and creates nothing', async () => {
    const path = await writeConfiguration('chanels: []\n');
    expect(await fixture.run(['serve', '--config', path])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `${path}:1: chanels: unknown field (did you mean "channels"?)\n`,
    });
    expect(fixture.served).toEqual([]);
    await expect(readFile(fixture.path('data/master-secret'))).rejects.toThrow();
  });

  test('reports an invalid PORT in one line', async () => {
    expect(await fixture.run(['serve'], { PORT: 'http' })).toMatchObject({
      exitCode: 2,
      stderr: 'switchyard: PORT: must be a port from 0 to 65535 (got "http")\n',
    });
  });

  test('reports in one line that the data folder cannot be created', async () => {
    await writeFile(fixture.path('file'), '');
    const { exitCode, stderr } = await fixture.run(['serve', '--data', fixture.path('file/data')]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^switchyard: .*master-secret: the master secret cannot be (made|read) \(ENOTDIR\).*\n$/);
  });
});

describe('apply', () => {
  test('prints the changes, and only the count the second time', async () => {
    const path = await writeConfiguration();
    expect(await fixture.run(['apply', path])).toEqual({
      exitCode: 0,
      stdout:
        'created  account acme\ncreated  key acme/ci\ncreated  channel local\n' +
        '3 created, 0 updated, 0 unchanged, 0 removed\n',
      stderr: '',
    });
    expect(await fixture.run(['apply'], { SWITCHYARD_CONFIG: path })).toMatchObject({
      stdout: '0 created, 0 updated, 3 unchanged, 0 removed\n',
    });
    await writeConfiguration('sandbox: true\n');
    expect((await fixture.run(['apply', path])).stdout).toBe(
      'created  channel sandbox\nremoved  key acme/ci\nremoved  channel local\n' +
        'kept     account acme (not in the file; accounts are never removed)\n' +
        '1 created, 0 updated, 0 unchanged, 2 removed\n',
    );
  });

  test('removes most objects of a large set only if allowed', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `c${at}`);
    const channels = ids.map(
      (id) => `  - {id: ${id}, provider: ollama, base_url: "http://127.0.0.1:9", models: [m]}\n`,
    );
    const path = await writeConfiguration(`channels:\n${channels.join('')}`);
    await fixture.run(['apply', path]);
    await writeConfiguration('');
    expect(await fixture.run(['apply', path])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is empty'),
    });
    await writeConfiguration('channels: []');
    const refused = await fixture.run(['apply', path]);
    expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('would remove 12 of 12 channels');
    const allowed = await fixture.run(['apply', path, '--allow-removals']);
    expect([allowed.exitCode, allowed.stderr]).toEqual([0, '']);
    expect(allowed.stdout).toContain('12 removed');
  });

  test('with --check only checks', async () => {
    const path = await writeConfiguration();
    expect(await fixture.run(['apply', path, '--check'])).toEqual({
      exitCode: 0,
      stdout: `${path}: ok (channels 1, models 1, accounts 1, keys 1)\n`,
      stderr: '',
    });
    await expect(readFile(fixture.path('data/master-secret'))).rejects.toThrow();
  });

  test('prints every problem of an invalid file', async () => {
    const path = await writeConfiguration('accounts:\n  - id: a b\n  - role: x\n');
    const { exitCode, stderr } = await fixture.run(['apply', path, '--check']);
    expect(exitCode).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(3);
  });
});

describe('accounts and keys', () => {
  test('a key can be created, listed and revoked; its secret is printed once', async () => {
    await fixture.run(['accounts', 'create', 'acme', '--role', 'VIP', '--requests-per-minute', '5']);
    const created = await fixture.run([
      'keys',
      'create',
      '--account',
      'acme',
      '--name',
      'laptop',
      '--limit-usd',
      '0.25',
      '--budget',
      '0.1/day',
      '--models',
      'a, b-*',
    ]);
    expect(created.stdout).toMatch(/^sk-[0-9A-Za-z]{48}\n$/);
    const secret = created.stdout.trim();
    const list = (await fixture.run(['keys', 'list'])).stdout;
    expect(list).not.toContain(secret);
    const [headings, row] = list.split('\n').map((line) => line.split(/ {2,}/));
    expect(headings?.join(' ')).toBe(
      'ID ACCOUNT NAME PREVIEW SPENT LIMIT BUDGET MODELS REQUESTS/MIN STATE LAST USED EXPIRES CREATED',
    );
    const preview = `${secret.slice(0, 5)}…${secret.slice(-4)}`;
    expect(row?.slice(1, 7)).toEqual(['acme', 'laptop', preview, '$0', '$0.25', '$0.1/day']);
    expect(row?.slice(7, 10)).toEqual(['a,b-*', '-', 'active']);
    expect(row?.slice(10)).toEqual(['never', 'never', '2023-11-14T22:13:20Z']);

    expect((await fixture.run(['keys', 'revoke', preview])).stdout).toMatch(/^revoked acme\/key_\w{10} \(sk-/);
    expect((await fixture.run(['keys', 'revoke', secret])).stdout).toContain('is already revoked since 2023-11-14');
    const json = JSON.parse((await fixture.run(['keys', 'list', '--account', 'acme', '--json'])).stdout);
    expect(json).toMatchObject([{ limit_usd: '0.25', models: ['a', 'b-*'], state: 'revoked', kind: 'inference' }]);
  });

  test('a management token can be created, and both can be printed as JSON', async () => {
    const account = await fixture.run(['accounts', 'create', 'acme', '--json']);
    expect(JSON.parse(account.stdout)).toMatchObject({ id: 'acme', billing: 'prepaid', requests_per_minute: null });
    const token = await fixture.run(['keys', 'create', '--account', 'acme', '--management', '--json']);
    expect(JSON.parse(token.stdout)).toMatchObject({ account: 'acme', secret: expect.stringMatching(/^mt-\w{48}$/) });
    expect((await fixture.run(['accounts', 'list'])).stdout).toBe(
      'ID    NAME  ROLE  ADMIN  BILLING  BALANCE  REQUESTS/MIN  TOKENS/MIN  CONCURRENT  BUDGET  ORIGIN    CREATED\n' +
        'acme  acme  User  no     prepaid  $0       by role       -           -           -       operator  2023-11-14T22:13:20Z\n',
    );
  });

  test('empty lists explain how to fill them', async () => {
    expect((await fixture.run(['keys', 'list'])).stdout).toBe(
      'No keys yet. Create one with "switchyard keys create".\n',
    );
    expect((await fixture.run(['accounts', 'list', '--json'])).stdout).toBe('[]\n');
  });

  test.each([
    [['keys', 'create', '--account', 'nobody'], 'account: there is no account "nobody"'],
    [['keys', 'revoke', 'nope'], 'key: no key matches "nope"'],
    [['keys', 'list', '--account', 'nobody'], 'account: there is no account "nobody"'],
    [
      ['accounts', 'create', 'a b'],
      'id: must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit',
    ],
    [['accounts', 'create', 'a', '--role', 'Boss'], 'role: must be one of User, Partner, VIP'],
  ])('%p fails in one line', async (args, message) => {
    expect(await fixture.run(args)).toEqual({ exitCode: 1, stdout: '', stderr: `switchyard: ${message}\n` });
  });
});

describe('doctor', () => {
  const lines = async (args: readonly string[] = [], environment: Record<string, string> = {}) => {
    const { exitCode, stdout } = await fixture.run(['doctor', ...args], { PORT: '0', ...environment });
    const findings = stdout
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, level, subject, message] = /^(\S+) +(\S.*?) {2,}(.*)$/.exec(line) ?? [];
        return { level, subject, message };
      });
    const of = (subject: string) => findings.find((finding) => finding.subject === subject);
    return { exitCode, findings, of };
  };

  test('before the first start finds no problem, and creates nothing', async () => {
    const { exitCode, findings, of } = await lines();
    expect(exitCode).toBe(0);
    expect(findings.some((finding) => finding.level === 'FAIL')).toBe(false);
    expect(of('master secret')?.message).toContain('will be created at the first start');
    expect(of('sandbox')).toMatchObject({ level: 'warn' });
    await expect(readFile(fixture.path('data'))).rejects.toThrow('ENOENT');
  });

  test('opens the database after a start', async () => {
    await fixture.run(['accounts', 'create', 'acme']);
    expect((await lines()).of('database')).toMatchObject({
      level: 'ok',
      message: `${fixture.path('data/switchyard.sqlite')} opens (accounts 1, keys 0, models 0, channels 0)`,
    });
  });

  test('does not upgrade a database of an earlier version', async () => {
    await mkdir(fixture.path('data'));
    await copyOldDatabase(fixture.path('data/switchyard.sqlite'));
    const { of } = await lines([], { SWITCHYARD_SECRET: randomSecret() });
    expect(of('database')).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('"switchyard migrate --check"'),
    });
    expect((await fixture.run(['migrate', '--check'])).exitCode).toBe(UPGRADE_DUE);
  });

  test('fails for a master secret that others can read', async () => {
    await fixture.run(['accounts', 'create', 'acme']);
    await chmod(fixture.path('data/master-secret'), 0o644);
    const { exitCode, of } = await lines();
    expect(exitCode).toBe(1);
    expect(of('master secret')).toMatchObject({ level: 'FAIL', message: expect.stringContaining('run "chmod 600') });
    expect(of('database')?.level).toBe('ok');
  });

  test('fails for a lost master secret, and does not create another', async () => {
    await fixture.run(['accounts', 'create', 'acme']);
    await rm(fixture.path('data/master-secret'));
    const { exitCode, of } = await lines();
    expect(exitCode).toBe(1);
    expect(of('master secret')).toMatchObject({ level: 'FAIL', message: expect.stringContaining('restore it') });
    await expect(readFile(fixture.path('data/master-secret'))).rejects.toThrow('ENOENT');
  });

  test('fails for a corrupt database', async () => {
    await fixture.run(['accounts', 'create', 'acme']);
    for (const suffix of ['-wal', '-shm']) await rm(fixture.path(`data/switchyard.sqlite${suffix}`), { force: true });
    await writeFile(fixture.path('data/switchyard.sqlite'), 'this is no database, whatever its name says');
    const { exitCode, of } = await lines();
    expect([exitCode, of('database')?.level]).toEqual([1, 'FAIL']);
  });

  test('fails for a data folder that is a file', async () => {
    await writeFile(fixture.path('data'), '');
    const { exitCode, of } = await lines();
    expect([exitCode, of('data folder')?.level]).toEqual([1, 'FAIL']);
  });

  test('fails for an unreachable object store, and warns of a disk with too little space', async () => {
    const s3 = new FakeS3();
    const { endpoint, bucket, region, accessKeyId, secretAccessKey } = s3Place(s3);
    const store = (key: string) =>
      `media_store: {kind: s3, s3: {endpoint: "${endpoint}", bucket: ${bucket}, region: ${region}, access_key_id: ${accessKeyId}, secret_access_key: "${key}"}}`;
    const found = async (text: string) => (await lines(['--config', await writeConfiguration(text)])).of('media store');
    expect(await found(store(secretAccessKey))).toMatchObject({ level: 'ok' });
    const refused = await found(store('another-secret'));
    expect(refused?.level).toBe('FAIL');
    expect(refused?.message).toContain(`bucket ${bucket} at ${endpoint}`);
    expect(refused?.message).not.toContain('another-secret');
    await s3.close();
    expect(await found(store(secretAccessKey))).toMatchObject({ level: 'FAIL' });
    expect(await found('media_store: {min_free_bytes: 1125899906842624}')).toMatchObject({ level: 'warn' });
    expect(await found(`media_store: {folder: ${fixture.path('switchyard.yaml')}}`)).toMatchObject({ level: 'FAIL' });
    expect(await found('media_store: {kind: none}')).toMatchObject({ level: 'ok' });
  });

  test('fails for each problem of the configuration', async () => {
    const path = await writeConfiguration('chanels: []\nmodles: []\n');
    const { exitCode, findings } = await lines(['--config', path]);
    expect(exitCode).toBe(1);
    expect(findings.filter((finding) => finding.subject === 'configuration' && finding.level === 'FAIL')).toHaveLength(
      2,
    );
  });

  test('distinguishes a port held by a gateway from one held by another program', async () => {
    const gateway = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => Response.json({ status: request.url.endsWith('/healthz') ? 'ok' : 'ready' }),
    });
    const stranger = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') });
    try {
      const held = (await lines(['--port', String(gateway.port)])).of('port');
      expect(held).toMatchObject({ level: 'ok', message: `127.0.0.1:${gateway.port} is in use by a running gateway` });
      const { exitCode, of } = await lines(['--port', String(stranger.port)]);
      expect([exitCode, of('port')?.level]).toEqual([1, 'FAIL']);
      const free = stranger.port;
      await stranger.stop(true);
      expect((await lines(['--port', String(free)])).of('port')).toMatchObject({
        level: 'ok',
        message: `127.0.0.1:${free} is free`,
      });
    } finally {
      await gateway.stop(true);
      await stranger.stop(true);
    }
  });

  test('checks that each upstream is reachable, without sending the key', async () => {
    const seen: Request[] = [];
    const upstream = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        seen.push(request);
        return new Response('not here', { status: 404 });
      },
    });
    try {
      const base = `http://127.0.0.1:${upstream.port}/v1`;
      const path = await writeConfiguration(`channels:
  - {id: there, provider: openai, api_key: hidden-key, base_url: "${base}", models: [m]}
  - {id: gone, provider: ollama, base_url: "http://127.0.0.1:9/v1", models: [m]}
  - {id: inside, provider: sandbox, models: [sandbox-chat]}
sandbox: true
`);
      const { exitCode, of } = await lines(['--config', path]);
      expect(exitCode).toBe(0);
      expect(of('channel there')).toMatchObject({
        level: 'ok',
        message: `${base} responds (HTTP 404); the key was not sent`,
      });
      expect(of('channel gone')?.level).toBe('warn');
      expect(of('channel inside')).toMatchObject({ level: 'ok' });
      expect(of('sandbox')).toMatchObject({ level: 'warn' });
      expect(seen).toHaveLength(1);
      expect(JSON.stringify([...(seen[0]?.headers ?? [])])).not.toContain('hidden-key');
    } finally {
      await upstream.stop(true);
    }
  });

  test('can print JSON', async () => {
    await mkdir(fixture.path('data'));
    const { stdout } = await fixture.run(['doctor', '--json'], { PORT: '0' });
    expect(JSON.parse(stdout)[0]).toMatchObject({ level: expect.any(String), subject: 'runtime' });
  });
});
