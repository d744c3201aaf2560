import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chatBody } from '../../conformance/shared/answer.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { startTestPostgres, type TestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../src/upstream/testing/self-signed-certificate.ts';

/* The first day of one gateway, then two, on PostgreSQL, including an unavailable database. */

const SECRET = 'the master secret of all nodes';
const PAYER_KEY = 'sk-the-key-of-the-payer';

let server: TestPostgres;
let space: Workspace;
let other: Workspace;
let env: Record<string, string>;
let first: Serving;
let key: string;

beforeAll(async () => {
  server = await startTestPostgres();
  env = { DATABASE_URL: await server.createDatabase(), SWITCHYARD_SECRET: SECRET };
  space = await Workspace.create();
  other = await Workspace.create();
  first = await space.serve({ env });
  key = first.firstKey ?? '';
});
afterAll(async () => {
  await space?.remove();
  await other?.remove();
  await server?.stop();
});

/** Returns the model of the curl line that the first start printed. */
const model = () => /"model":"([^"]+)"/.exec(first.curlLine)?.[1] ?? '';

test('a start on an empty database prints a key, and the sandbox answers a chat', async () => {
  const answer = await first.chat(key, chatBody(model()));
  expect([answer.status, answer.json.object]).toEqual([200, 'chat.completion']);
  expect(await Bun.file(space.database).exists()).toBe(false);
});

test('commands create, list and revoke keys, and the running gateway applies the changes', async () => {
  const made = await space.run(['keys', 'create', '--account', 'default', '--name', 'laptop'], { env });
  expect([made.exitCode, made.stdout]).toEqual([0, expect.stringMatching(/^sk-\S+\n$/)]);
  const secret = made.stdout.trim();
  await until('the new key works', async () => (await first.chat(secret, chatBody(model()))).status === 200);
  const listed = await space.run(['keys', 'list'], { env });
  expect(listed.stdout).toContain('laptop');
  const revoked = await space.run(['keys', 'revoke', `${secret.slice(0, 5)}…${secret.slice(-4)}`], { env });
  expect([revoked.exitCode, revoked.stderr]).toEqual([0, expect.any(String)]);
  await until('the key is refused', async () => (await first.chat(secret, chatBody(model()))).status === 401);
});

test('doctor checks the database', async () => {
  const { exitCode, stdout } = await space.run(['doctor', '--port', '0'], { env });
  expect(stdout).toMatch(/^ok +database +PostgreSQL \(DATABASE_URL\) opens \(accounts 1, keys \d+, /m);
  expect(stdout).toMatch(/^ok +clock +agrees with the database$/m);
  expect(exitCode).toBe(0);
  const away = { ...env, DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/app' };
  const refused = await space.run(['doctor', '--port', '0'], { env: away });
  expect(refused.stdout).toMatch(
    /^FAIL +database +Cannot open the database app on 127\.0\.0\.1:1: nothing is listening there/m,
  );
  expect([refused.exitCode, refused.stdout.includes('hunter2')]).toEqual([1, false]);
});

test('a second node serves the same keys, and one without the master secret does not start', async () => {
  const second = await other.serve({ env });
  expect(second.firstKey).toBeNull();
  expect((await second.chat(key, chatBody(model()))).status).toBe(200);
  const made = await other.run(['keys', 'create', '--account', 'default'], { env });
  const secret = made.stdout.trim();
  await until('both nodes accept the key', async () => {
    const answers = await Promise.all([first, second].map((node) => node.chat(secret, chatBody(model()))));
    return answers.every(({ status }) => status === 200);
  });
  await second.stop();
  const stranger = await other.run(['keys', 'list'], { env: { DATABASE_URL: env.DATABASE_URL ?? '' } });
  expect([stranger.exitCode, stranger.stderr]).toEqual([
    1,
    expect.stringContaining('SWITCHYARD_SECRET: is required with DATABASE_URL'),
  ]);
});

test('the server certificate is checked unless the URL disables it', async () => {
  await server.offerTls(CERTIFICATE, CERTIFICATE_KEY);
  const authority = await space.write('authority.pem', CERTIFICATE);
  const listKeys = (parameters: string, host = '127.0.0.1') => {
    const url = `${env.DATABASE_URL?.replace('127.0.0.1', host)}?${parameters}`;
    return space.run(['keys', 'list'], { env: { ...env, DATABASE_URL: url } });
  };
  for (const mode of ['prefer', 'require', 'verify-full']) {
    const { exitCode, stderr } = await listKeys(`sslmode=${mode}`);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/^switchyard: .*its certificate is not trusted.*\n$/),
    ]);
  }
  expect((await listKeys(`sslmode=require&sslrootcert=${authority}`)).exitCode).toBe(0);
  const misnamed = await listKeys(`sslmode=verify-ca&sslrootcert=${authority}`, 'localhost');
  expect([misnamed.exitCode, misnamed.stderr]).toEqual([1, expect.stringContaining('for another host name')]);
  expect((await listKeys('sslmode=no-verify')).exitCode).toBe(0);
});

test('a gateway stays up and reports an unavailable database, and can charge again once it is back', async () => {
  const shop = await Workspace.create();
  try {
    const file = await shop.write('shop.yaml', {
      sandbox: true,
      models: [{ id: model(), pricing: { per_request: '0.001' } }],
      accounts: [{ id: 'payer', balance_usd: '1', keys: [{ id: 'main', secret: PAYER_KEY }] }],
    });
    const shopEnv = { ...env, DATABASE_URL: await server.createDatabase(), SWITCHYARD_CONFIG: file };
    const gateway = await shop.serve({ env: shopEnv });
    const ask = () => gateway.chat(PAYER_KEY, chatBody(model()));
    const buy = async () => (await ask()).status;
    const ready = async () => (await fetch(`${gateway.origin}/readyz`)).status;
    expect(await buy()).toBe(200);
    await until('ready', async () => (await ready()) === 200);
    await server.crash();
    const usage = () => fetch(`${gateway.origin}/v1/usage`, { headers: { authorization: `Bearer ${PAYER_KEY}` } });
    const reason = async () => (await fetch(`${gateway.origin}/readyz`)).text();
    await until('not ready', async () => (await reason()).includes('the database is unavailable'));
    const refused = await ask();
    expect([refused.status, refused.json]).toMatchObject([
      503,
      { error: { code: 'storage_unavailable', retryable: true, retry_after: 5 } },
    ]);
    const unread = await usage();
    expect([unread.status, await unread.json()]).toMatchObject([503, { error: { code: 'storage_unavailable' } }]);
    await server.restart();
    await until('ready again', async () => (await ready()) === 200);
    expect(await buy()).toBe(200);
    expect(await (await usage()).json()).toMatchObject({
      spent_usd: '0.002',
      period: { total: { cost_usd: '0.002' } },
    });
    await gateway.stop();
    const books = await shop.run(['ledger', 'verify'], { env: shopEnv });
    expect([books.exitCode, books.stdout]).toEqual([0, expect.stringMatching(/ charges 2\)/)]);
  } finally {
    await shop.remove();
  }
});
