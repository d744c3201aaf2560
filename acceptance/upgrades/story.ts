import { ACCOUNT, type Known, type KnownAnswer, type Reader, readerOf } from '../../conformance/releases/known.ts';
import { PROVIDER } from '../../conformance/releases/provider.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';

/* The requests of an account and its operator to an earlier version, so that nearly every table has rows. */

const PERSON = { email: 'ann@example.com', password: 'correct horse battery staple' };
const MANAGEMENT = '/v1/management';
const OF_ACCOUNT = `account_id=${ACCOUNT}`;

type Json = Readonly<Record<string, unknown>>;
interface SendOptions {
  readonly method?: string;
  /** The operator's token by default. */
  readonly credential?: string;
  readonly idempotencyKey?: string;
}
type Send = (path: string, body: object, options?: SendOptions) => Promise<Json>;

export interface Story extends Pick<Known, 'credentials' | 'person' | 'grant'> {
  readonly paths: readonly StoryPath[];
}

/** A path that shows a part of the data. */
export interface StoryPath extends Pick<KnownAnswer, 'as' | 'path'> {
  /** The only member of the answer that depends on the data, as the names on the way to it. */
  readonly only?: readonly string[];
}

const GRANT: Known['grant'] = { idempotencyKey: 'welcome', body: { usd: '0.5', note: 'Welcome' } };

/** Fills the gateway's database. `operator` is a management token of an operator. */
export async function tellStory(gateway: Pick<Serving, 'origin'>, operator: string): Promise<Story> {
  const send = senderTo(gateway, operator);
  await send('/accounts', { id: ACCOUNT, name: 'Acme', balance_usd: '10', requests_per_minute: 100_000 });
  await send(`/accounts/${ACCOUNT}`, { name: 'Acme Corporation', capture: 'full' }, { method: 'PATCH' });
  await send(`/balance/grants?${OF_ACCOUNT}`, GRANT.body, GRANT);
  const limits = { limit_usd: '5', budget: { usd: '2', per: 'month' } };
  const key = String((await send(`/keys?${OF_ACCOUNT}`, { name: 'laptop', ...limits })).secret);
  const scopes = ['usage:read', 'requests:read', 'captures:read'];
  const token = String((await send(`/tokens?${OF_ACCOUNT}`, { name: 'reports', scopes })).secret);
  await addChannels(send);
  await addAlerts(send);
  await addPerson(send);
  await send('/settings', { retention: { tasks_days: 3 } }, { method: 'PATCH' });
  const credentials = { operator, token, key };
  const read = readerOf(gateway, { credentials });
  const made = await makeRequests(send, read, key);
  await send(`/balance/adjustments?${OF_ACCOUNT}`, { usd: '-0.5', note: 'Correction' });
  let logged: readonly { readonly id: string; readonly model: string | null }[] = [];
  await until('every request is in the log', async () => {
    const { data } = (await read('operator', `${MANAGEMENT}/requests?${OF_ACCOUNT}`)) as {
      readonly data: typeof logged;
    };
    logged = data;
    return data.length === made.logged;
  });
  const captured = logged.filter(({ model }) => model === PROVIDER.model);
  const captures = captured.map(({ id }) => ({ as: 'token' as const, path: `${MANAGEMENT}/requests/${id}/capture` }));
  return { credentials, person: PERSON, grant: GRANT, paths: [...listPaths(), ...made.paths, ...captures] };
}

function senderTo({ origin }: Pick<Serving, 'origin'>, operator: string): Send {
  return async (path, body, { method = 'POST', credential = operator, idempotencyKey } = {}) => {
    const whole = path.startsWith('/v1/') ? path : `${MANAGEMENT}${path}`;
    const headers = {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    const answer = await fetch(`${origin}${whole}`, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`${method} ${whole}: ${answer.status} ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : {};
  };
}

async function addChannels(send: Send): Promise<void> {
  const { baseUrl: base_url, key: api_key, model, price } = PROVIDER;
  await send(`/models`, { id: model, pricing: price });
  const channel = { provider: 'openai-compatible', base_url, api_key, models: [model] };
  await send('/channels', { id: 'shared', name: 'Shared channel', ...channel });
  const own = { provider: 'openai', api_key: 'sk-of-nobody-at-all-000001', models: { own: 'gpt-4o-mini' } };
  await send(`/channels?${OF_ACCOUNT}`, { name: 'Own channel', ...own });
}

async function addAlerts(send: Send): Promise<void> {
  await send(`/alerts/webhooks?${OF_ACCOUNT}`, { name: 'On call', url: 'https://hooks.example.com/alerts' });
  await send(`/alerts/rules?${OF_ACCOUNT}`, { name: 'Low balance', balance_below: { usd: '1' } });
  await send('/alerts/rules', { name: 'Channel', channel_state: { channel: 'shared' } });
}

async function addPerson(send: Send): Promise<void> {
  const { email, password } = PERSON;
  const { link } = await send(`/invitations?${OF_ACCOUNT}`, { email, role: 'owner' });
  const token = String(link).split('#')[1] ?? '';
  await send('/invitations/accept', { token, email, name: 'Ann', password });
  await send(`/invitations?${OF_ACCOUNT}`, { email: 'ben@example.com', role: 'viewer' });
}

/** Sends requests of several kinds; one task stays open, and holds money. */
async function makeRequests(send: Send, read: Reader, key: string) {
  const ask = (path: string, body: object) => send(`/v1/${path}`, body, { credential: key });
  const chat = (model: string, content: string, more: object = {}) =>
    ask('chat/completions', { model, messages: [{ role: 'user', content }], ...more });
  await chat('sandbox-chat', 'Hello');
  await chat('sandbox-chat', 'Count to three', { metadata: { team: 'red' }, user: 'user-1' });
  await chat('sandbox-chat', 'Stream this', { stream: true });
  await chat(PROVIDER.model, 'Hello provider');
  await ask('messages', { model: 'sandbox-chat', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] });
  const { id: response } = await ask('responses', { model: 'sandbox-chat', input: 'Remember this' });
  await ask('embeddings', { model: 'sandbox-embedding', input: 'A text' });
  await ask('rerank', { model: 'sandbox-rerank', query: 'a', documents: ['a b', 'c'] });
  await chat('no-such-model', 'Hello').catch(() => {});
  const video = (outcome: string) =>
    ask('videos/generations', { model: 'sandbox-video', prompt: 'a fox', provider_options: { delay_ms: 1, outcome } });
  const tasks = [await video('completed'), await video('failed'), await video('never')].map(({ id }) => String(id));
  await until('two of three tasks have ended', async () => {
    const found = await Promise.all(tasks.map((id) => read('key', `/v1/tasks/${id}`)));
    const states = found.map((task) => (task as Json).status);
    return states[0] === 'completed' && states[1] === 'failed';
  });
  const paths = [`/v1/responses/${response}`, ...tasks.map((id) => `/v1/tasks/${id}`)];
  // The open task gets its line when it ends.
  return { logged: 11, paths: paths.map((path) => ({ as: 'key' as const, path })) };
}

const LISTS = [
  'account',
  'balance',
  'keys',
  'limits',
  'tokens',
  'invitations',
  'members',
  'channels',
  'ledger',
  'statements',
  'usage/tags',
  'requests',
  'tasks',
  'alerts/rules',
  'alerts/webhooks',
  'audit',
];
const OF_OPERATORS = ['accounts', 'users', 'channels/shared', 'alerts/rules', `models/${PROVIDER.model}`];
const DAY_MS = 86_400_000;

function listPaths(): readonly StoryPath[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const [from, to] = [today, today + DAY_MS].map((atMs) => new Date(atMs).toISOString());
  const days = `from=${from}&to=${to}`;
  const paths = [
    ...[...LISTS, 'usage'].map((list) => `${list}?${OF_ACCOUNT}${list.startsWith('usage') ? `&${days}` : ''}`),
    `usage/breakdown?${OF_ACCOUNT}&${days}&group_by=model`,
    ...OF_OPERATORS,
  ];
  const setting = { path: `${MANAGEMENT}/settings`, only: ['sections', 'retention', 'tasks_days'] };
  return [...paths.map((path) => ({ path: `${MANAGEMENT}/${path}` })), setting].map((one) => ({
    as: 'operator',
    ...one,
  }));
}
