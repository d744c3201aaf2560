import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { pathOf, ROUTES } from './routes.ts';
import { ACME, ACME_KEY, ACME_TOKEN, OPERATOR_TOKEN, Scene } from './scene.ts';

/* Conventions of all routes, tested from the route table. */

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.stop());

const OPEN = ROUTES.filter(({ access }) => access.who !== 'anyone' && access.who !== 'person');
const account = ({ access }: (typeof ROUTES)[number]) => (access.who === 'account' ? { account_id: ACME } : {});
const each = (routes: typeof ROUTES) => routes.map((route) => [route.operationId, route] as const);

describe('credentials', () => {
  const closed = ROUTES.filter(({ access }) => access.who !== 'anyone');
  test.each(each(closed))('%s: an API key is no management token', async (_id, route) => {
    const { status, body } = await scene.ask(pathOf(route), { method: route.method, token: ACME_KEY });
    expect([status, body.error.code]).toEqual([401, 'invalid_api_key']);
    expect(body.error.message).toContain('sk-');
  });

  test('a management token is no API key', async () => {
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings', '/v1/rerank']) {
      const { status, body } = await scene.ask(path, { token: ACME_TOKEN, body: { model: 'm' } });
      expect([path, status]).toEqual([path, 401]);
      expect(JSON.stringify(body)).toContain('management token');
    }
  });
});

describe('bad input', () => {
  test.each(each(OPEN))('%s: an unknown parameter is named', async (_id, route) => {
    const query = { ...account(route), nonsense: '1' };
    const body = route.body === undefined ? {} : { body: {} };
    const { status, body: answer } = await scene.ask(pathOf(route), { method: route.method, query, ...body });
    expect([status, answer.error.code, answer.error.param]).toEqual([400, 'invalid_value', 'nonsense']);
  });

  const withBody = OPEN.filter(({ body }) => body !== undefined);
  test.each(each(withBody))('%s: a malformed body is refused', async (_id, route) => {
    const asked = { method: route.method, query: account(route) };
    const send = async (body: unknown, headers = {}) => {
      const answer = await scene.ask(pathOf(route), { ...asked, body, headers });
      return [answer.status, answer.body.error?.code];
    };
    expect(await send('{"a":')).toEqual([400, 'invalid_json']);
    expect(await send('{}', { 'content-type': 'text/plain' })).toEqual([400, 'unsupported_content_type']);
    expect(await send([])).toEqual([400, 'invalid_type']);
    expect(await send('"text"')).toEqual([400, 'invalid_type']);
    expect([400, 404]).toContain((await send({ nonsense: 1 }))[0]);
    expect(await send(`"${'x'.repeat(1024 * 1024)}"`)).toEqual([413, 'payload_too_large']);
  });
});

describe('lists', () => {
  const lists = OPEN.filter(({ isList }) => isList === true);
  test.each(each(lists))('%s', async (_id, route) => {
    const list = (query: Record<string, string>) =>
      scene.ask(pathOf(route), { query: { ...account(route), ...query } });
    for (const [name, value] of [
      ['limit', '0'],
      ['limit', '1001'],
      ['limit', 'x'],
      ['after', 'nothing'],
    ] as const) {
      const { status, body } = await list({ [name]: value });
      expect([name, value, status, body.error.param]).toEqual([name, value, 400, name]);
    }
    const { status, body } = await list({ limit: '2' });
    expect([status, body.object, Array.isArray(body.data)]).toEqual([200, 'list', true]);
    expect(body.has_more).toBe(body.next !== null);
  });

  test('page through every object while others are created and deleted', async () => {
    for (let at = 0; at < 12; at++)
      await scene.ask('/keys', { query: { account_id: ACME }, body: { id: `page-${at + 10}` } });
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const query: Record<string, string> = { account_id: ACME, limit: '3', ...(after === null ? {} : { after }) };
      const { body } = await scene.ask('/keys', { query });
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      after = body.next;
      // Creates a key before the current page and deletes one after it.
      await scene.ask('/keys', { query: { account_id: ACME }, body: { id: `a-${seen.length}` } });
      await scene.ask('/keys/page-21', { method: 'delete', query: { account_id: ACME } });
    } while (after !== null);
    const wanted = Array.from({ length: 12 }, (_, at) => `page-${at + 10}`);
    expect(seen.filter((id) => id.startsWith('page-'))).toEqual(wanted);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('a POST repeated with its Idempotency-Key', () => {
  // Excluded: this operation would fetch lists from other servers.
  const posts = OPEN.filter(({ method, operationId }) => method === 'post' && operationId !== 'syncCatalog');
  test.each(each(posts))('%s: runs once', async (operationId, route) => {
    const [example] = Object.values(route.body?.examples ?? {});
    const body = route.body === undefined ? {} : { body: example?.value ?? {} };
    const headers = { 'idempotency-key': `twice-${operationId}` };
    const send = () => scene.ask(pathOf(route), { method: 'post', query: account(route), headers, ...body });
    const first = await send();
    const second = await send();
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([
      first.status,
      first.status < 300 ? 'true' : null,
    ]);
    if (first.status < 300) expect(second.body).toEqual(first.body);
  });
});

test('settings refuse a change with a stale ETag', async () => {
  const etag = (await scene.ask('/settings')).headers.get('etag') ?? '';
  const change = (max_attempts: number) =>
    scene.ask('/settings', { method: 'patch', headers: { 'if-match': etag }, body: { routing: { max_attempts } } });
  expect((await change(3)).status).toBe(200);
  const { status, body } = await change(4);
  expect([status, body.error.code, body.error.param]).toEqual([412, 'precondition_failed', 'If-Match']);
});

/** How an object of each kind is created and changed. */
const MADE = [
  { name: 'key', list: '/keys', made: { name: 'One' }, change: { name: 'Two' } },
  { name: 'token', list: '/tokens', made: { name: 'One', scopes: ['keys:read'] }, change: { name: 'Two' } },
  { name: 'account', list: '/accounts', made: { id: 'made' }, change: { name: 'Two' } },
  {
    name: 'channel',
    list: '/channels',
    made: { name: 'One', provider: 'openai', api_key: 'upstream-key-of-this-test', models: ['gpt-4o-mini'] },
    change: { name: 'Two' },
  },
  {
    name: 'rule',
    list: '/alerts/rules',
    made: { name: 'One', balance_below: { usd: '5' } },
    change: { name: 'Two' },
  },
  {
    name: 'webhook',
    list: '/alerts/webhooks',
    made: { name: 'One', url: 'https://hooks.example.com/alerts' },
    change: { name: 'Two' },
  },
] as const;

describe.each(MADE.map((kind) => [kind.name, kind] as const))('%s', (name, { list, made, change }) => {
  const query: Record<string, string> = name === 'account' ? {} : { account_id: ACME };

  test('is created once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': `make-${name}` };
    const answers = await Promise.all([1, 2].map(() => scene.ask(list, { query, body: made, headers })));
    const again = await scene.ask(list, { query, body: made, headers });
    const first = answers.find(({ status }) => status === 201);
    expect([first?.status, JSON.stringify(answers.map(({ body }) => body))]).toEqual([201, expect.any(String)]);
    expect([again.status, again.body]).toEqual([201, first?.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body.error.code]).toEqual([409, 'conflict']);
    const other = await scene.ask(list, { query, body: { ...made, name: 'Other' }, headers });
    expect([other.status, other.body.error.param]).toEqual([409, 'Idempotency-Key']);
    const stranger = await scene.ask(list, { query: { account_id: 'filed' }, body: made, headers, token: ACME_TOKEN });
    expect(stranger.headers.get('idempotent-replayed')).toBeNull();
  });

  test('refuses a change with a stale ETag', async () => {
    const { body } = await scene.ask(list, {
      query,
      body: { ...made, ...(name === 'account' ? { id: 'stale' } : {}) },
    });
    const path = `${list}/${body.id}`;
    const { headers } = await scene.ask(path, { query });
    const etag = headers.get('etag') ?? '';
    expect((await scene.ask(path, { query, headers: { 'if-none-match': etag } })).status).toBe(304);
    const send = (to: object, match: string) =>
      scene.ask(path, { method: 'patch', query, body: to, headers: { 'if-match': match } });
    const changed = await send(change, etag);
    expect([changed.status, changed.body.name]).toEqual([200, 'Two']);
    const stale = await send({ name: 'Three' }, etag);
    expect([stale.status, stale.body.error.code, stale.body.error.param]).toEqual([
      412,
      'precondition_failed',
      'If-Match',
    ]);
    expect((await send({ name: 'Four' }, changed.headers.get('etag') ?? '')).status).toBe(200);
    expect((await send({ name: 'Five' }, '*')).status).toBe(200);
  });

  const declared: Readonly<Record<string, string>> = {
    ...{ key: '/keys/ci', token: '/tokens/own', account: '/accounts/filed' },
  };
  const filedPath = declared[name];
  if (filedPath !== undefined)
    test('declared in the file cannot be changed', async () => {
      const path = filedPath;
      const filed = name === 'account' ? {} : { account_id: 'filed' };
      const { body } = await scene.ask(path, { query: filed });
      expect(body.managed_by).toBe('file');
      const { status, body: answer } = await scene.ask(path, { method: 'patch', query: filed, body: change });
      expect([status, answer.error.code]).toEqual([409, 'conflict']);
      expect(answer.error.hint).toContain('switchyard.yaml');
    });

  test('that does not exist is a 404 that suggests the nearest id', async () => {
    const { status, body } = await scene.ask(`${list}/${name === 'account' ? 'fild' : 'cj'}`, {
      query: name === 'account' ? {} : { account_id: 'filed' },
      token: OPERATOR_TOKEN,
    });
    expect([status, body.error.code]).toEqual([404, 'not_found']);
    if (name === 'account') expect(body.error.message).toContain('"filed"');
  });
});
