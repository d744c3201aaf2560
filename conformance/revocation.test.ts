import { afterAll, beforeAll, expect } from 'bun:test';
import { ProcessWorkspace, type ServingProcess } from '../acceptance/shared/process-workspace.ts';
import {
  hasTestPostgres,
  POSTGRES_REQUIREMENT,
  type SharedTestPostgres,
  sharedTestPostgres,
} from '../src/stores/shared/testing/postgres.ts';
import { testNeeding } from '../tools/test/needs.ts';
import { chatBody } from './shared/answer.ts';

import { asObject } from './shared/json.ts';

/* Three gateways on one PostgreSQL: what is changed at one of them holds for the next request at each other. */

const isPresent = hasTestPostgres();
const TIMEOUT_MS = 90_000;
const postgresTest = (name: string, body: () => Promise<void>) =>
  testNeeding(POSTGRES_REQUIREMENT, isPresent)(name, body, TIMEOUT_MS);

let server: SharedTestPostgres;
let spaces: ProcessWorkspace[] = [];
let nodes: ServingProcess[] = [];
let env: Record<string, string>;
let model: string;
/** Of the account of the first start, which is an operators'. */
let token: string;

beforeAll(async () => {
  if (!isPresent) return;
  server = await sharedTestPostgres();
  env = { DATABASE_URL: await server.createDatabase(), SWITCHYARD_SECRET: 'the master secret of all three' };
  spaces = await Promise.all([1, 2, 3].map(() => ProcessWorkspace.create()));
  const [first, ...others] = spaces;
  const one = await first!.serve({ env });
  nodes = [one, ...(await Promise.all(others.map((space) => space.serve({ env }))))];
  model = /"model":"([^"]+)"/.exec(one.curlLine)?.[1] ?? '';
  token = (await first!.run(['keys', 'create', '--management', '--id', 'root'], { env })).stdout.trim();
}, TIMEOUT_MS);
afterAll(async () => {
  await Promise.all(spaces.map((space) => space.remove()));
}, TIMEOUT_MS);

async function manage(node: number, request: string, body?: object, secret = token) {
  const [method = '', path = ''] = request.split(' ');
  const answer = await fetch(`${nodes[node]!.baseUrl}/management${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, json: asObject(await answer.json()) };
}

/** A change that every node has confirmed; gives the secret that it has made, if any. */
async function change(node: number, request: string, body?: object): Promise<string> {
  const { status, headers, json } = await manage(node, request, body);
  expect([status < 300, headers.get('x-switchyard-unconfirmed-nodes')]).toEqual([true, null]);
  return String(json.secret);
}

/** What each node says to one request with the key, at the same moment. */
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

postgresTest('a key that is rotated or revoked at one node is refused by the next request at each', async () => {
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

postgresTest('a grace ends by itself, on every node', async () => {
  const old = await change(0, 'POST /keys', { id: 'short' });
  expect(await codes(old)).toEqual(allOf('ok'));
  await change(1, 'POST /keys/short/rotate', { grace_seconds: 2 });
  expect(await codes(old)).toEqual(allOf('ok'));
  await Bun.sleep(2_050);
  expect(await codes(old)).toEqual(allOf(ENDED));
});

postgresTest('a new limit, and the end of a whole account, hold for the next request, too', async () => {
  await change(0, 'POST /accounts', { id: 'acme', billing: 'unlimited' });
  const key = await change(1, 'POST /keys?account_id=acme', { id: 'ci' });
  expect(await codes(key)).toEqual(allOf('ok'));
  await change(2, 'PATCH /keys/ci?account_id=acme', { models: ['another'] });
  expect(await codes(key)).toEqual(allOf('403 model_not_allowed'));
  const archived = await spaces[0]!.run(['accounts', 'archive', 'acme'], { env });
  expect([archived.exitCode, archived.stderr]).toEqual([0, '']);
  expect(await codes(key)).toEqual(allOf(ENDED));
});

postgresTest('tokens: each kind of secret in its place, with its scopes, and no longer than it is valid', async () => {
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
  await Bun.sleep(1_100);
  const { json: shown } = await manage(0, 'GET /tokens/robot');
  expect(shown).toMatchObject({ object: 'token', last_used_at: expect.any(String), managed_by: 'api' });
  expect(JSON.stringify(shown)).not.toContain('secret":');
  await change(2, 'DELETE /tokens/robot');
  expect(await says(String(renewed.json.secret))).toBe(ENDED);
});

postgresTest('a node that does not answer is named, and one that has stopped is not waited for', async () => {
  const key = await change(0, 'POST /keys', { id: 'frozen' });
  expect(await codes(key)).toEqual(allOf('ok'));
  process.kill(nodes[2]!.pid, 'SIGSTOP');
  try {
    const { status, headers } = await manage(0, 'DELETE /keys/frozen');
    const named = headers.get('x-switchyard-unconfirmed-nodes') ?? '';
    expect([status, named.split(',').length]).toEqual([200, 1]);
    const again = await spaces[1]!.run(['keys', 'rotate', 'default/for-inference'], { env });
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining(`(process ${nodes[2]!.pid})`)]);
  } finally {
    process.kill(nodes[2]!.pid, 'SIGCONT');
  }
  await nodes[2]!.stop();
  nodes.pop();
  const startedMs = performance.now();
  await change(1, 'POST /keys', { id: 'after' });
  expect(performance.now() - startedMs).toBeLessThan(1_500);
});
