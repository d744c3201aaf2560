import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type Gateway, MANAGEMENT_TOKEN, startGatewayWith } from './shared/gateway.ts';
import { until } from './shared/until.ts';

/* Checks of responses, moderation models and webhooks of guards, over a whole gateway. The table of attacks is that of docs/guards.md. */

setDefaultTimeout(120_000);

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const MARK = 'nightfall';
const HOUSE_TOKEN = 'mt-house-of-checks-0000000000000001';
/** 3 tokens each way at 1 and 2 USD for a million. */
const SOLD = { input_per_1m: '1', output_per_1m: '2' };

let upstream: ReturnType<typeof Bun.serve>;
let gateway: Gateway;
let said: string[] = [];
let received: { readonly path: string; readonly body: string; readonly headers: Headers }[] = [];
let hook: (asked: { texts: string[]; stage: string }) => Response = () => Response.json({ action: 'allow' });
let toolArguments: readonly string[] | null = null;

beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    fetch: async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 404 });
      const { pathname: path } = new URL(request.url);
      const body = await request.text();
      received.push({ path, body, headers: request.headers });
      if (path === '/hang' || (path === '/v1/moderations' && body.includes('HANG')))
        return await forever(request.signal);
      if (path === '/hook') return hook(JSON.parse(body));
      if (path === '/v1/moderations') return moderated(JSON.parse(body).input);
      return completion(JSON.parse(body).stream === true);
    },
  });
  const address = `http://127.0.0.1:${upstream.port}`;
  const models = ['plain', 'terms', 'masks', 'hooked', 'open-hook', 'moderated', 'out-moderated', 'open-moderated'];
  models.push('hanging', 'open-hanging', 'judged', 'open-judged');
  const moderation = { model: 'judge', thresholds: { violence: 0.5 }, images: true };
  const webhook = { url: `${address}/hook`, secret: SECRET };
  const both = ['input', 'output'];
  gateway = await startGatewayWith(
    [
      {
        ...{ id: 'main', name: 'Main', provider: 'openai-compatible', api_key: 'sk-upstream' },
        base_url: `${address}/v1`,
        models: Object.fromEntries(models.map((id) => [id, id])),
      },
      {
        ...{ id: 'judges', name: 'Judges', provider: 'openai', api_key: 'sk-upstream', base_url: `${address}/v1` },
        models: { judge: 'judge' },
      },
    ],
    {
      alerts: { allow_http: true, allowed_ranges: ['127.0.0.1'] },
      models: [
        { id: 'judge', category: 'chat', operations: ['moderations'], pricing: 'free' },
        { id: 'plain', pricing: 'free' },
        ...models.slice(1).map((id) => ({ id, pricing: id === 'terms' ? SOLD : 'free', guards: [id] })),
      ],
      accounts: [
        {
          id: 'house',
          admin: true,
          management_tokens: [{ id: 'ops', secret: HOUSE_TOKEN, scopes: ['settings:write'] }],
        },
      ],
      guards: [
        { id: 'terms', stages: both, hold_characters: 100, terms: [{ name: 'words', terms: [MARK] }] },
        { id: 'masks', stages: ['output'], pii: [{ class: 'email' }] },
        { id: 'hooked', stages: both, webhook: { ...webhook, on_failure: 'closed' } },
        { id: 'open-hook', webhook: { ...webhook, on_failure: 'open' } },
        { id: 'moderated', moderation },
        { id: 'out-moderated', stages: ['output'], moderation },
        { id: 'hanging', webhook: { ...webhook, url: `${address}/hang`, timeout_ms: 100 } },
        { id: 'open-hanging', webhook: { ...webhook, url: `${address}/hang`, timeout_ms: 100, on_failure: 'open' } },
        { id: 'judged', moderation: { model: 'judge', timeout_ms: 100 } },
        { id: 'open-judged', moderation: { model: 'judge', timeout_ms: 100, on_failure: 'open' } },
        { id: 'open-moderated', moderation: { ...moderation, thresholds: { unknown: 0.5 }, on_failure: 'open' } },
      ],
    },
  );
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop(true);
});

beforeEach(() => {
  said = ['fine'];
  received = [];
  toolArguments = null;
  hook = () => Response.json({ action: 'allow' });
});

function forever(signal: AbortSignal): Promise<Response> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 }))));
}

function moderated(input: unknown): Response {
  const inputs = Array.isArray(input) && typeof input[0] === 'string' ? input : [JSON.stringify(input)];
  const results = inputs.map((text) => {
    const isViolent = /attack|BAD/.test(text);
    return {
      flagged: isViolent,
      categories: { violence: isViolent },
      category_scores: { violence: isViolent ? 0.9 : 0 },
    };
  });
  return Response.json({ id: 'm', model: 'judge', results });
}

function completion(stream: boolean): Response {
  const usage = { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 };
  const base = { id: 'c1', created: 1, model: 'm' };
  if (!stream) {
    const message = { role: 'assistant', content: said.join('') };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return Response.json({ ...base, object: 'chat.completion', choices, usage });
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = (part: string, at: number) => {
    const id = at === 0 ? { id: 'call_1', type: 'function' } : {};
    return { tool_calls: [{ index: 0, ...id, function: { ...(at === 0 && { name: 'send' }), arguments: part } }] };
  };
  const pieces = toolArguments === null ? said.map((content) => ({ content })) : toolArguments.map(call);
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...pieces.map((piece) => chunk(piece)),
    chunk({}, 'stop'),
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ];
  return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

const managed = (path: string, token: string, method = 'GET', body?: object) =>
  fetch(`${gateway.origin}/v1/management${path}`, {
    ...{ method, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const post = (path: string, body: object, key = gateway.apiKey) =>
  fetch(`${gateway.origin}${path}`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${key}`, 'x-api-key': key },
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });

const ask = (model: string, content: unknown, stream = false, key?: string) =>
  post('/v1/chat/completions', { model, stream, messages: [{ role: 'user', content }] }, key);

const TEXTS = [
  ['/v1/chat/completions', (model: string) => ({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] })],
  ['/v1/responses', (model: string) => ({ model, stream: true, input: 'hi' })],
  [
    '/v1/messages',
    (model: string) => ({ model, stream: true, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }),
  ],
  [
    '/v1beta/models/terms:streamGenerateContent?alt=sse',
    () => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
  ],
] as const;

describe('a stream that a rule refuses', () => {
  test('ends in all formats with an error that names the rule, before any part of the match', async () => {
    for (const [path, body] of TEXTS) {
      const beginning = Array.from({ length: 5 }, () => 'a long beginning of the answer, which is sent on; ');
      said = [...beginning, 'project ni', 'ght', 'fall is', ' on'];
      const text = await (await post(path, body('terms'))).text();
      expect({ path, isNamed: text.includes('`words` of the guard `terms`') }).toEqual({ path, isNamed: true });
      expect({ path, isBegun: text.includes('a long beginning') }).toEqual({ path, isBegun: true });
      expect(text).not.toContain('project ni');
    }
  });

  test('is checked in the arguments of tools, also with escapes', async () => {
    toolArguments = ['{"to":"night', '\\u0066a', 'll"}'];
    const text = await (await ask('terms', 'hi', true)).text();
    expect(text).toContain('content_policy_violation');
    expect(text).not.toContain('"to');
  });
});

test('streams that pass have all of their events, in order', async () => {
  said = Array.from({ length: 300 }, (_, at) => `${at} words, `);
  const [checked, plain] = await Promise.all(
    ['terms', 'plain'].map(async (model) => contentOf(await (await ask(model, 'hi', true)).text())),
  );
  expect(checked).toBe(said.join(''));
  expect(plain).toBe(checked as string);
});

test('values of a response are hidden, although they are split', async () => {
  said = ['write to jane', '.doe@exam', 'ple.com now'];
  const hidden = `write to ${'*'.repeat('jane.doe@example.com'.length)} now`;
  expect(contentOf(await (await ask('masks', 'hi', true)).text())).toBe(hidden);
  const whole = (await (await ask('masks', 'hi')).json()) as { choices: { message: { content: string } }[] };
  expect(whole.choices[0]?.message.content).toBe(hidden);
});

test('a whole response that a rule refuses is replaced by the error', async () => {
  said = [`it is ${MARK}`];
  const response = await ask('terms', 'hi');
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: 'content_policy_violation' } });
});

test('a response that a rule refuses is charged for what the upstream has produced, once', async () => {
  const asked = [
    ...[ask('terms', 'hi'), ask('terms', 'hi', true)],
    post('/v1/messages', { model: 'terms', max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }),
    post('/v1/responses', { model: 'terms', stream: true, input: 'hi' }),
  ];
  said = [`it is ${MARK}`];
  for (const response of await Promise.all(asked)) {
    expect(await response.text()).toContain('content_policy_violation');
    expect(await lineOf(response)).toMatchObject({ failure_kind: 'guard_refused', cost_usd: '0.000009' });
  }
});

describe('a webhook', () => {
  const hooks = () => received.filter(({ path }) => path === '/hook');

  test('gets a signed request, and may refuse', async () => {
    hook = ({ texts }) =>
      Response.json(texts.includes('bad') ? { action: 'refuse', rule: 'tone' } : { action: 'allow' });
    const refused = await ask('hooked', 'bad');
    expect(refused.status).toBe(400);
    expect(JSON.stringify(await refused.json())).toContain('`tone` of the guard `hooked`');
    const [asked] = hooks();
    const head = (name: string) => asked?.headers.get(`webhook-${name}`) ?? '';
    const signed = createHmac('sha256', Buffer.alloc(32, 7)).update(
      `${head('id')}.${head('timestamp')}.${asked?.body}`,
    );
    expect(head('signature')).toBe(`v1,${signed.digest('base64')}`);
    expect(received.some(({ path }) => path.includes('chat'))).toBe(false);
  });

  test('may mask texts, which the client has again', async () => {
    hook = ({ stage }) =>
      Response.json(stage === 'input' ? { action: 'mask', rule: 'person', texts: ['Jane'] } : { action: 'allow' });
    said = ['Hello [PERSON_1]'];
    expect(await (await ask('hooked', 'I am Jane')).text()).toContain('Hello Jane');
    expect(received.find(({ path }) => path.includes('chat'))?.body).toContain('I am [PERSON_1]');
  });

  test.each([
    ['fails', () => new Response(null, { status: 500 })],
    ['answers something else', () => new Response('yes')],
    ['answers too much', () => new Response(`{"action":"allow","x":"${'x'.repeat(100_000)}"}`)],
    ['redirects', () => new Response(null, { status: 302, headers: { location: '/hook' } })],
  ])('that %s refuses when closed, and passes when open', async (_, answer) => {
    hook = answer;
    const closed = await ask('hooked', 'hi');
    expect(closed.status).toBe(503);
    expect(await closed.json()).toMatchObject({ error: { code: 'guard_unavailable' } });
    expect((await ask('open-hook', 'hi')).status).toBe(200);
  });

  test('gets requests with the new signature once its secret is changed', async () => {
    const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
    const webhookOf = (byte: number) => ({ url: `http://127.0.0.1:${upstream.port}/hook`, secret: secretOf(byte) });
    const made = await managed('/guards', HOUSE_TOKEN, 'POST', { id: 'rotating', webhook: webhookOf(8) });
    expect(made.status).toBe(201);
    const key = await managed('/keys', MANAGEMENT_TOKEN, 'POST', { id: 'rotating', guards: ['rotating'] });
    const { secret } = (await key.json()) as { secret: string };
    for (const byte of [8, 9]) {
      const changed = await managed('/guards/rotating', HOUSE_TOKEN, 'PATCH', { webhook: webhookOf(byte) });
      expect(changed.status).toBe(200);
      expect(await changed.text()).not.toContain('whsec_');
      received = [];
      await ask('plain', 'hi', false, secret);
      const [asked] = hooks();
      const head = (name: string) => asked?.headers.get(`webhook-${name}`) ?? '';
      const signed = createHmac('sha256', Buffer.alloc(32, byte)).update(
        `${head('id')}.${head('timestamp')}.${asked?.body}`,
      );
      expect(head('signature')).toBe(`v1,${signed.digest('base64')}`);
    }
  });

  test('judges streams in windows', async () => {
    hook = ({ stage, texts }) =>
      Response.json({ action: stage === 'output' && texts.join('').includes('BAD') ? 'refuse' : 'allow' });
    said = [...Array.from({ length: 60 }, () => 'good words. '), 'B', 'AD', ' end'];
    const text = await (await ask('hooked', 'hi', true)).text();
    expect(text).toContain('`webhook` of the guard `hooked`');
    expect(text).toContain('good words');
  });
});

test.each([
  ['webhook', 'hanging', 'hi'],
  ['moderation model', 'judged', 'HANG'],
])('a %s that does not answer in time refuses when closed, and passes when open', async (_, model, content) => {
  const closed = await ask(model, content);
  expect([closed.status, await closed.json()]).toMatchObject([503, { error: { code: 'guard_unavailable' } }]);
  said = ['fine'];
  const open = await ask(`open-${model}`, content);
  expect(open.status).toBe(200);
  expect(await lineOf(open)).toMatchObject({
    guards: [{ guard: `open-${model}`, stage: 'input', action: 'flag', count: 1 }],
  });
});

describe('a moderation model', () => {
  test('refuses texts and images with a high score, before anything is sent', async () => {
    expect((await ask('moderated', 'hello')).status).toBe(200);
    for (const content of [
      'an attack',
      [{ type: 'image_url', image_url: { url: 'data:image/png;base64,BAD0BAD0' } }],
    ]) {
      received = [];
      const refused = await ask('moderated', content);
      expect(await refused.json()).toMatchObject({ error: { code: 'content_policy_violation' } });
      expect(received.map(({ path }) => path)).not.toContain('/v1/chat/completions');
    }
  });

  test('judges streams', async () => {
    said = ['an att', 'ack'];
    const text = await (await ask('out-moderated', 'hi', true)).text();
    expect(text).toContain('`moderation:violence` of the guard `out-moderated`');
    expect(text).not.toContain('an att"');
  });

  test('without a score for a category lets requests pass only when it is open', async () => {
    expect((await ask('open-moderated', 'an attack')).status).toBe(200);
  });
});

/** The attacks of docs/guards.md on a guard with a blocked term, and whether they are found. */
const ATTACKS: readonly (readonly [name: string, content: string, isFound: boolean])[] = [
  ['upper case', 'NightFALL', true],
  ['homoglyphs', 'nіghtfаll', true],
  ['invisible characters', 'night\u200bfall', true],
  ['full-width letters', 'ｎｉｇｈｔｆａｌｌ', true],
  ['base64', Buffer.from('the plan is nightfall').toString('base64'), true],
  ['base64 in base64', Buffer.from(Buffer.from('the plan is nightfall').toString('base64')).toString('base64'), true],
  ['JSON in a string', JSON.stringify({ plan: MARK }), true],
  ['words after the beginning of an image', `data:image/png;base64,the plan is ${MARK}`, true],
  ['words after the beginning of a document', `data:text/plain;base64,the plan is ${MARK}`, true],
  ['words after a long text in base64', `${'A'.repeat(1_000)} the plan is ${MARK}`, true],
  ['words that look like base64', `${'the/plan/is/'.repeat(100)}${MARK}`, true],
  ['words that look like a signature', JSON.stringify({ signature: `the.plan.is.${MARK}.${'now.'.repeat(10)}` }), true],
  ['hexadecimal', Buffer.from(MARK).toString('hex'), false],
  ['letters in reverse', [...MARK].reverse().join(''), false],
  ['spaces between letters', [...MARK].join(' '), false],
  ['another language', 'Einbruch der Nacht', false],
];

test.each([
  ['an image with text', 'terms', 200],
  ['an image, with a moderation model that takes images', 'moderated', 400],
])('%s has the result that the documentation states', async (name, model, expected) => {
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,BAD0BAD0' } }];
  expect((await ask(model, content)).status).toBe(expected);
  const page = await Bun.file(new URL('../docs/guards.md', import.meta.url)).text();
  expect(page).toContain(`| ${name} | ${expected === 400 ? 'found' : 'not found'} |`);
});

describe('an attack with', () => {
  test.each(ATTACKS)('%s has the result that the documentation states', async (name, content, isFound) => {
    const { status } = await ask('terms', content);
    expect(status).toBe(isFound ? 400 : 200);
    const page = await Bun.file(new URL('../docs/guards.md', import.meta.url)).text();
    expect(page.includes(`| ${name} | ${isFound ? 'found' : 'not found'} |`)).toBe(true);
  });
});

/** Returns the line of a request in the log. */
async function lineOf(response: Response): Promise<object> {
  const path = `/requests/${response.headers.get('x-request-id')}`;
  let line = {};
  await until('the log has its line', async () => {
    const shown = await managed(path, MANAGEMENT_TOKEN);
    if (shown.ok) line = (await shown.json()) as object;
    return shown.ok;
  });
  return line;
}

function contentOf(stream: string): string {
  return [...stream.matchAll(/^data: (\{.*)$/gm)]
    .map(([, json = '']) => JSON.parse(json).choices?.[0]?.delta?.content ?? '')
    .join('');
}
