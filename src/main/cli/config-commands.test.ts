// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the notation of the files under test.

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
});

afterEach(() => fixture.remove());

const FILE = `
# The gateway of a company.
sandbox: false
server:
  public_url: \${PUBLIC_URL}
  metrics_token: \${METRICS_TOKEN}
retention: {request_log_days: 90}
mail:
  smtp_url: smtps://user:mail-password@mail.example.com
  from: Gate <gate@example.com>
sign_in:
  oidc: [{id: co, issuer: "https://login.example.com", client_id: c, client_secret: oidc-password}]
`;
const ENVIRONMENT = {
  PUBLIC_URL: 'https://ai.example.com',
  METRICS_TOKEN: 'metrics-token-of-16',
  REDIS_URL: 'redis://:redis-password@127.0.0.1',
  PORT: '9000',
};

const writeConfiguration = async (text = FILE) => {
  const path = fixture.path('switchyard.yaml');
  await writeFile(path, text);
  return path;
};

const shown = async (args: readonly string[] = [], environment: Record<string, string> = {}) => {
  const { exitCode, stdout, stderr } = await fixture.run(['config', 'show', '--json', ...args], environment);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

/** Changes settings as the dashboard does. */
const change = async (section: string, fields: Readonly<Record<string, unknown>>) => {
  await fixture.run(['accounts', 'list']);
  const secret = (await Bun.file(fixture.path('data/master-secret')).text()).trim();
  const store = await fixture.openStore(secret);
  await store.settings.change(
    section,
    () => fields,
    () => [],
  );
  await store.close();
};

test('without a file everything is a default, and nothing is created', async () => {
  const { file, process, settings } = await shown();
  expect(file).toBe(null);
  expect(process.PORT).toEqual({ value: 8787, source: 'default' });
  expect(process.SWITCHYARD_SECRET).toEqual({ value: null, source: 'default' });
  expect(settings.routing.strategy).toEqual({ value: 'weighted', source: 'default' });
  expect(settings[''].sandbox).toEqual({ value: null, source: 'default' });
  expect(await readdir(fixture.folder)).toEqual([]);
});

test('each value has its source: option, environment, line of the file, dashboard or default', async () => {
  const path = await writeConfiguration();
  await change('routing', { max_attempts: 7 });
  await writeFile(fixture.path('token'), 'metrics-token-of-16\n');
  const { METRICS_TOKEN: _, ...others } = ENVIRONMENT;
  const tokenFile = { METRICS_TOKEN_FILE: fixture.path('token') };
  const { process, settings } = await shown(['--config', path, '--host', '::1'], { ...others, ...tokenFile });
  expect(process).toMatchObject({
    HOST: { value: '::1', source: 'option --host' },
    PORT: { value: 9000, source: 'environment PORT' },
    SWITCHYARD_CONFIG: { value: path, source: 'option --config' },
    SWITCHYARD_DATA: { value: fixture.path('data'), source: 'environment SWITCHYARD_DATA' },
    SWITCHYARD_SECRET: { value: '(set)', source: `file ${fixture.path('data/master-secret')}` },
    REDIS_URL: { value: '(set)', source: 'environment REDIS_URL' },
  });
  expect(settings[''].sandbox).toEqual({ value: false, source: 'file', line: 3 });
  expect(settings.server).toMatchObject({
    public_url: { value: 'https://ai.example.com', source: 'file', line: 5, variables: ['PUBLIC_URL'] },
    metrics_token: {
      ...{ value: '(set)', source: 'file', line: 6 },
      variables: [`METRICS_TOKEN_FILE (${fixture.path('token')})`],
    },
    ping_interval_ms: { value: 15_000, source: 'default' },
  });
  expect(settings.retention.request_log_days).toEqual({ value: 90, source: 'file', line: 7 });
  expect(settings.routing).toMatchObject({ max_attempts: { value: 7, source: 'api' } });
});

test('the text is like a configuration file, and holds no secret', async () => {
  const path = await writeConfiguration();
  const { exitCode, stdout, stderr } = await fixture.run(
    ['config', 'show', '--config', path, '--changed'],
    ENVIRONMENT,
  );
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^# Environment and options\nPORT: 9000 +# environment PORT\n/);
  expect(stdout).toMatch(/\n# Settings\nsandbox: false +# .*switchyard\.yaml:3\n/);
  expect(stdout).toMatch(/\nserver:\n {2}metrics_token: "\(set\)" +# .*switchyard\.yaml:6, from METRICS_TOKEN\n/);
  expect(stdout).not.toContain('default');
  const everything = `${stdout}${JSON.stringify(await shown(['--config', path], ENVIRONMENT))}`;
  for (const secret of ['mail-password', 'oidc-password', 'metrics-token', 'redis-password']) {
    expect(everything).not.toContain(secret);
  }
});

test('settings of the database that contradict the file are ignored, with a notice', async () => {
  await change('cache', { semantic: { embeddings: '' } });
  const { exitCode, stdout, stderr } = await fixture.run(['config', 'show', '--json']);
  expect([exitCode, stderr]).toEqual([
    0,
    'notice: settings from the API conflict with the configuration file and are ignored\n',
  ]);
  expect(JSON.parse(stdout).settings.cache['semantic.embeddings'].source).toBe('default');
});

test('a database that cannot be read is a notice and a failure, and the rest is shown', async () => {
  await fixture.run(['accounts', 'list']);
  for (const suffix of ['-wal', '-shm']) await rm(fixture.path(`data/switchyard.sqlite${suffix}`), { force: true });
  await writeFile(fixture.path('data/switchyard.sqlite'), 'this is no database, whatever its name says');
  const { exitCode, stdout, stderr } = await fixture.run(['config', 'show']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^notice: settings that were changed in the dashboard are missing here, .*\n$/);
  expect(stdout).toContain('request_log_days: 30');
});

test('an invalid file is reported as at a start', async () => {
  const path = await writeConfiguration('chanels: []\n');
  expect(await fixture.run(['config', 'show', '--config', path])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: `${path}:1: chanels: unknown field (did you mean "channels"?)\n`,
  });
});
