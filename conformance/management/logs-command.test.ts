import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* `switchyard logs` against a running gateway. */

const OPERATOR = 'mt-operator-of-the-logs-000000000001';
const TENANT = 'mt-tenant-of-the-logs-00000000000001';
const SCOPELESS = 'mt-tenant-without-requests-000000001';
const KEYS = { acme: 'sk-acme-of-the-logs-0000000000000001', other: 'sk-other-of-the-logs-000000000000001' };

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const tokens = (...pairs: [string, string, string[]?][]) =>
    pairs.map(([id, secret, scopes]) => ({ id, name: id, secret, ...(scopes && { scopes }) }));
  const account = (id: keyof typeof KEYS) => ({
    ...{ id, name: id, billing: 'unlimited', requests_per_minute: 1_000_000 },
    keys: [{ id: 'laptop', name: 'Laptop', secret: KEYS[id] }],
  });
  const file = await space.write('switchyard.yaml', {
    sandbox: true,
    accounts: [
      { id: 'house', name: 'House', admin: true, keys: [], management_tokens: tokens(['ops', OPERATOR]) },
      { ...account('acme'), management_tokens: tokens(['own', TENANT], ['none', SCOPELESS, ['usage:read']]) },
      account('other'),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG: file } });
});

afterAll(() => space.remove());

function run(args: readonly string[], token = OPERATOR) {
  return space.run(['logs', '--url', serving.origin, ...args], { env: { SWITCHYARD_TOKEN: token } });
}

function begin(args: readonly string[], token = OPERATOR): Serving {
  return space.begun(['logs', '--url', serving.origin, ...args], { env: { SWITCHYARD_TOKEN: token } });
}

/** Sends a request and resolves to its id. */
async function send(account: keyof typeof KEYS, model = 'sandbox-chat'): Promise<string> {
  const answer = await fetch(`${serving.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYS[account]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: `hello ${crypto.randomUUID()}` }] }),
  });
  await answer.text();
  return answer.headers.get('x-request-id') ?? '';
}

const idsIn = (text: string) => [...text.matchAll(/req_[\w-]+/g)].map(([id]) => id);

test('the newest requests are printed, the oldest of them first, with filters', async () => {
  const [first, failed, second] = [await send('acme'), await send('acme', 'no-such-model'), await send('other')];
  const all = await run([]);
  expect(all).toMatchObject({ exitCode: 0, stderr: '' });
  expect(idsIn(all.stdout).slice(-3)).toEqual([first, failed, second]);
  expect(all.stdout).not.toContain('\u001b');
  expect(idsIn((await run(['--failed'])).stdout)).toEqual([failed]);
  expect((await run(['--failed'])).stdout).toContain('model_not_found');
  expect(idsIn((await run(['--account', 'other'])).stdout)).toEqual([second]);
  expect(idsIn((await run(['--status', '2xx', '--limit', '1'])).stdout)).toEqual([second]);
  expect(idsIn((await run(['--slow', '3600000'])).stdout)).toEqual([]);
  expect(idsIn((await run(['--since', '1h'])).stdout)).toHaveLength(3);
  const json = (await run(['--json', '--key', 'laptop'])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(json.map(({ id }) => id)).toEqual([first, failed, second]);
});

test('the token of an account sees its own requests only, and needs the scope', async () => {
  const [own, others] = [await send('acme'), await send('other')];
  const { stdout } = await run([], TENANT);
  expect(idsIn(stdout)).toContain(own);
  expect(idsIn(stdout)).not.toContain(others);
  expect(await run([], SCOPELESS)).toMatchObject({ exitCode: 1, stdout: '' });
  expect((await run([], SCOPELESS)).stderr).toContain('requests:read');
  expect((await run([], 'mt-unknown')).stderr).toContain('The management token is not valid.');
});

test('wrong usage is refused before anything is sent', async () => {
  const environment = { env: {} };
  expect((await space.run(['logs'], environment)).stderr).toContain('SWITCHYARD_TOKEN');
  expect((await run([], 'sk-not-a-token')).exitCode).toBe(2);
  expect((await run(['--status', '9xx'])).exitCode).toBe(2);
  expect((await run(['--limit', '10001'])).exitCode).toBe(2);
  expect((await run(['--url', 'ftp://example.com'])).exitCode).toBe(2);
  const away = await space.run(['logs', '--url', 'http://127.0.0.1:1'], { env: { SWITCHYARD_TOKEN: OPERATOR } });
  expect(away).toMatchObject({ exitCode: 1, stdout: '' });
  expect(away.stderr).toContain('does not answer (connect_refused)');
});

test('following prints every request once, also a burst, until it is interrupted', async () => {
  const before = await send('acme');
  const following = begin(['--follow', '--limit', '1', '--account', 'acme']);
  await until('the last request is printed', () => idsIn(following.stdout).includes(before));
  const sent = (await Promise.all(Array.from({ length: 300 }, () => send('acme')))).toSorted();
  await send('other');
  const last = await send('acme');
  await until('the last one has come', () => idsIn(following.stdout).includes(last));
  expect(await following.stop()).toBe(130);
  const ids = idsIn(following.stdout);
  expect(ids.toSorted()).toEqual([before, ...sent, last].toSorted());
  expect(following.stderr).toBe('');
});

test('following ends when its token is revoked', async () => {
  const created = await space.run(['keys', 'create', '--account', 'acme', '--management', '--name', 'brief', '--json']);
  const { secret, id } = JSON.parse(created.stdout);
  const following = begin(['--follow'], secret);
  const watched = async () => {
    const id = await send('acme');
    await until('the request is printed', () => idsIn(following.stdout).includes(id));
  };
  await watched();
  expect((await space.run(['keys', 'revoke', `acme/${id}`])).exitCode).toBe(0);
  expect(await following.exited).toBe(1);
  expect(following.stderr).toMatch(/revoked/);
});

test('the story of a request is found by its id', async () => {
  const id = await send('acme');
  const { exitCode, stdout } = await run(['show', id]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`request           ${id}\n`);
  expect(stdout).toMatch(/attempt 1 at sandbox \(sandbox\) began/);
  expect(JSON.parse((await run(['show', id, '--json'])).stdout)).toMatchObject({ id, object: 'request' });
  expect(await run(['show', 'req_none'])).toMatchObject({ exitCode: 1, stdout: '' });
});
