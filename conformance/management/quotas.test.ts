import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Gateway, startGatewayWith } from '../shared/gateway.ts';
import { ROUTES, routeOf } from './routes.ts';

/* No account stores more than its quotas allow, however many requests arrive at once. */

const OPERATOR = 'mt-operator-of-this-scene-00000001';
const OWNER = 'mt-acme-of-this-scene-0000000001';
const LIMIT = 3;
const AT_ONCE = 10;

let gateway: Gateway;

beforeAll(async () => {
  const token = (secret: string) => [{ id: 'own', name: 'Own', secret }];
  const quotas = ['keys', 'management_tokens', 'channels', 'open_invitations', 'alert_rules', 'alert_webhooks'];
  gateway = await startGatewayWith([], {
    sandbox: true,
    quotas: { ...Object.fromEntries(quotas.map((name) => [name, LIMIT])), channel_models: 5 },
    accounts: [
      { id: 'house', admin: true, keys: [], management_tokens: token(OPERATOR) },
      { id: 'acme', keys: [], management_tokens: token(OWNER) },
    ],
  });
});
afterAll(() => gateway.stop());

const CHANNEL = { provider: 'openai', api_key: 'upstream-key-of-thirty-characters', models: ['gpt-5-mini'] };
let number = 0;

/** Keyed by the creating operation: the quota, the number of objects that the file declares, and a body. */
const CREATING: Readonly<Record<string, readonly [quota: string, present: number, body: () => object]>> = {
  createKey: ['keys', 0, () => ({})],
  createToken: ['management_tokens', 1, () => ({ scopes: ['keys:read'] })],
  createChannel: ['channels', 0, () => CHANNEL],
  createInvitation: ['open_invitations', 0, () => ({ email: `person-${number++}@example.com` })],
  createAlertRule: ['alert_rules', 0, () => ({ name: 'Low', balance_below: { usd: '5' } })],
  createAlertWebhook: ['alert_webhooks', 0, () => ({ url: 'https://hooks.example.com/a' })],
};

/** Operations that store nothing in an account, or have another limit. */
const OTHERS = [
  ...[
    'acceptInvitation',
    'askForPasswordReset',
    'createPlaygroundKey',
    'lookUpInvitation',
    'register',
    'resetPassword',
    'resetUpstreamKey',
  ],
  ...[
    'cancelManagedBatch',
    'cancelManagedTask',
    'clearCache',
    'disableChannel',
    'disableUpstreamKey',
    'enableChannel',
    'enableUpstreamKey',
    'explainRouting',
    'orderChannels',
    'probeChannel',
    'raiseKeyBudget',
    'redeliverAlert',
    // Only the newest 1,000 reports of an account are kept.
    'reportCacheEntry',
    'resetChannel',
  ],
  ...['rotateAlertWebhook', 'rotateKey', 'rotateToken', 'testAlertWebhook', 'testChannel'],
];

async function ask(path: string, token: string, body: object, method = 'POST') {
  const answer = await fetch(`${gateway.origin}/v1/management${path}?account_id=acme`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // Tests know the shape of the body.
  return { status: answer.status, body: (await answer.json()) as any };
}

test('every operation that an account may ask for is known here', () => {
  const own = ROUTES.filter(({ method, access }) => method === 'post' && access.who !== 'operator');
  expect(own.map(({ operationId }) => operationId).toSorted()).toEqual(
    [...Object.keys(CREATING), ...OTHERS].toSorted(),
  );
});

describe.each(Object.entries(CREATING))('%s', (operationId, [quota, present, body]) => {
  test('stops at the account’s quota, which operators may exceed', async () => {
    const { path } = routeOf(operationId);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(path, OWNER, body())));
    const made = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(made).toHaveLength(LIMIT - present);
    for (const { status, body: answer } of refused) {
      expect([status, answer.error.code, answer.error.param]).toEqual([409, 'conflict', quota]);
      expect(answer.error.message).toContain(`may have ${LIMIT}`);
    }
    expect((await ask(path, OPERATOR, body())).status).toBe(201);
  });
});

test('a channel grows no further than the models of the account may', async () => {
  const list = await fetch(`${gateway.origin}/v1/management/channels`, {
    headers: { authorization: `Bearer ${OWNER}` },
  });
  const { data } = (await list.json()) as any;
  const change = (models: readonly string[], token: string) =>
    ask(`/channels/${data[0].id}`, token, { models }, 'PATCH');
  expect((await change(['a', 'b', 'c'], OWNER)).body.error).toMatchObject({
    code: 'conflict',
    param: 'channel_models',
  });
  expect((await change(['a', 'b'], OWNER)).status).toBe(200);
  expect((await change(['a', 'b', 'c'], OPERATOR)).status).toBe(200);
});

test('an account may have quotas of its own', async () => {
  const post = async (path: string, token: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${gateway.origin}/v1/management${path}`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const made = await post('/accounts', OPERATOR, { id: 'large', quotas: { keys: LIMIT + 2 } });
  expect(made.body.quotas).toEqual({ keys: LIMIT + 2 });
  const { body: token } = await post('/tokens?account_id=large', OPERATOR, { scopes: ['keys:write'] });
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => post('/keys', token.secret, {})));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMIT + 2);
});
