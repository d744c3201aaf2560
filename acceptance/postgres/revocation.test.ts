import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chatBody } from '../../conformance/shared/answer.ts';
import { asArray, asObject } from '../../conformance/shared/json.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* Three gateways on one PostgreSQL: a change at one of them applies to the next request at each other. */

const TIMEOUT_MS = 600_000;

let spaces: Workspace[] = [];
let nodes: Serving[] = [];
/** The last node, in its own process, which can be paused. */
let third: ServingProcess;
let env: Record<string, string>;
let model: string;
/** The token of the account created on the first start, which is an operators' account. */
let token: string;

beforeAll(async () => {
  const server = await sharedTestPostgres();
  env = { DATABASE_URL: await server.createDatabase(), SWITCHYARD_SECRET: 'the master secret of all three' };
  const [here, there, apart] = [await Workspace.create(), await Workspace.create(), await ProcessWorkspace.create()];
  spaces = [here, there, apart];
  const first = await here.serve({ env });
  third = await apart.serve({ env });
  nodes = [first, await there.serve({ env }), third];
  model = /"model":"([^"]+)"/.exec(first.curlLine)?.[1] ?? '';
  token = (await run('keys', 'create', '--management', '--id', 'root')).stdout.trim();
}, TIMEOUT_MS);
afterAll(async () => {
  await Promise.all(spaces.map((space) => space.remove()));
}, TIMEOUT_MS);

/** Runs a command in the test's process. */
const run = (...args: string[]) => spaces[0]!.run(args, { env });

async function manage(node: number, request: string, body?: object, secret = token) {
  const [method = '', path = ''] = request.split(' ');
  const answer = await fetch(`${nodes[node]!.baseUrl}/management${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, json: asObject(await answer.json()) };
}

/** Makes a change that then applies at every node. Resolves to the secret it created, if any. */
async function change(node: number, request: string, body?: object): Promise<string> {
  const { status, headers, json } = await manage(node, request, body);
  expect([request, status < 300]).toEqual([request, true]);
  // On a busy machine a change may stop waiting for its nodes; the response then names them.
  if (headers.has(UNCONFIRMED)) await until('all nodes have the change', async () => (await behind(node)).length === 0);
  return String(json.secret);
}

const UNCONFIRMED = 'x-switchyard-unconfirmed-nodes';

/** Resolves to the nodes that still use an older version, as reported by one node. */
async function behind(asked: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { json } = await manage(asked, 'GET /system');
  return asArray(json.nodes)
    .map(asObject)
    .filter(({ is_current }) => is_current !== true);
}

/** Resolves to each node's response to a request with the key, sent at the same moment. */
function codes(key: string): Promise<string[]> {
  return Promise.all(
    nodes.map(async (node) => {
      const { status, json } = await node.chat(key, chatBody(model));
      return status === 200 ? 'ok' : `${status} ${asObject(json.error).code}`;
    }),
  );
}

const allOf = (code: string) => nodes.map(() => code);
const ENDED = '401 expired_api_key';

test('a key that is rotated or revoked at one node is refused by the next request at each', async () => {
  const secrets = [await change(0, 'POST /keys', { id: 'ci' })];
  expect(await codes(secrets[0]!)).toEqual(allOf('ok'));
  secrets.push(await change(1, 'POST /keys/ci/rotate', { grace_seconds: 3_600 }));
  for (const secret of secrets) expect(await codes(secret)).toEqual(allOf('ok'));
  secrets.push(await change(2, 'POST /keys/ci/rotate'));
  expect(await codes(secrets[0]!)).toEqual(allOf(ENDED));
  expect(await codes(secrets[1]!)).toEqual(allOf(ENDED));
  expect(await codes(secrets[2]!)).toEqual(allOf('ok'));
  await change(0, 'DELETE /keys/ci');
  for (const secret of secrets) expect(await codes(secret)).toEqual(allOf(ENDED));
});

test('a grace period ends by itself on every node', async () => {
  const old = await change(0, 'POST /keys', { id: 'short' });
  expect(await codes(old)).toEqual(allOf('ok'));
  // Above, a longer grace period shows that the old key still works.
  await change(1, 'POST /keys/short/rotate', { grace_seconds: 1 });
  await until('every node refuses the old key', async () => (await codes(old)).every((code) => code === ENDED));
});

test('a new limit, or the end of an account, applies to the next request', async () => {
  await change(0, 'POST /accounts', { id: 'acme', billing: 'unlimited' });
  const key = await change(1, 'POST /keys?account_id=acme', { id: 'ci' });
  expect(await codes(key)).toEqual(allOf('ok'));
  await change(2, 'PATCH /keys/ci?account_id=acme', { models: ['another'] });
  expect(await codes(key)).toEqual(allOf('403 model_not_allowed'));
  const archived = await run('accounts', 'archive', 'acme');
  expect(archived.exitCode).toBe(0);
  if (archived.stderr !== '') await until('all nodes have the change', async () => (await behind(0)).length === 0);
  expect(await codes(key)).toEqual(allOf(ENDED));
});

test('a token works only in its place, with its scopes, and until it expires', async () => {
  const key = await change(0, 'POST /keys', { id: 'for-inference' });
  const scoped = { id: 'robot', scopes: ['tokens:write', 'keys:read'], expires_at: '2099-01-01' };
  const robot = await change(0, 'POST /tokens', scoped);
  const says = async (secret: string, request = 'GET /keys', body?: object) => {
    const { status, json } = await manage(1, request, body, secret);
    return status < 300 ? 'ok' : `${status} ${asObject(json.error).code} ${asObject(json.error).param ?? ''}`.trim();
  };
  expect(await says(robot)).toBe('ok');
  expect(await says(key)).toBe('401 invalid_api_key');
  expect(await codes(robot)).toEqual(allOf('401 invalid_api_key'));
  expect(await says(robot, 'POST /keys', {})).toBe('403 access_denied');
  const tokens = 'POST /tokens';
  expect(await says(robot, tokens, { scopes: ['keys:write'], expires_at: '2098-01-01' })).toBe(
    '403 access_denied scopes',
  );
  expect(await says(robot, tokens, { scopes: ['keys:read'] })).toBe('403 access_denied expires_at');
  expect(await says(robot, tokens, { name: 'all?' })).toBe('400 missing_required_parameter scopes');
  expect(await says(robot, 'POST /tokens/root/rotate')).toBe('403 access_denied scopes');
  expect(await says(robot, 'PATCH /tokens/robot', { scopes: ['*'] })).toBe('403 access_denied scopes');
  const renewed = await manage(2, 'POST /tokens/robot/rotate', undefined, robot);
  expect([renewed.status, renewed.json.scopes]).toEqual([200, ['keys:read', 'tokens:write']]);
  expect(await says(robot)).toBe(ENDED);
  expect(await says(String(renewed.json.secret))).toBe('ok');
  let shown: Readonly<Record<string, unknown>> = {};
  await until('its use is recorded', async () => {
    shown = (await manage(0, 'GET /tokens/robot')).json;
    return shown.last_used_at !== null;
  });
  expect(shown).toMatchObject({ object: 'token', last_used_at: expect.any(String), managed_by: 'api' });
  expect(JSON.stringify(shown)).not.toContain('secret":');
  await change(2, 'DELETE /tokens/robot');
  expect(await says(String(renewed.json.secret))).toBe(ENDED);
});

test('a node that does not respond is named, and one that has stopped is not waited for', async () => {
  const key = await change(0, 'POST /keys', { id: 'frozen' });
  expect(await codes(key)).toEqual(allOf('ok'));
  const ofThird = (one: Readonly<Record<string, unknown>>) => one.process === third.pid;
  const { json: system } = await manage(0, 'GET /system');
  const id = String(asArray(system.nodes).map(asObject).find(ofThird)?.id);
  process.kill(third.pid, 'SIGSTOP');
  try {
    const { status, headers } = await manage(0, 'DELETE /keys/frozen');
    expect([status, headers.get(UNCONFIRMED)]).toEqual([200, expect.stringContaining(id)]);
    await until('the other nodes have the change', async () => (await behind(0)).every(ofThird));
    const again = await run('keys', 'rotate', 'default/for-inference');
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining(`(process ${third.pid})`)]);
  } finally {
    process.kill(third.pid, 'SIGCONT');
  }
  await third.stop();
  nodes.pop();
  await until('a change applies at once', async () => {
    const { status, headers } = await manage(1, 'POST /keys', {});
    return status < 300 && !headers.has(UNCONFIRMED);
  });
});
