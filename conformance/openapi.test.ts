import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import OpenAI, { toFile } from 'openai';
import { accountWith, clientKey, keyNamed, startUpstream } from './first-light/upstream.ts';
import { type DocumentOperation, type GivenAnswer, OpenApi } from './openapi/document.ts';
import { asArray, asObject, isObject, parseJson } from './shared/json.ts';
import { pngOf } from './shared/png.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';
import { wave } from './transcripts/bed.ts';

/*
 * The OpenAPI document matches the gateway: its examples are sent, and every response is checked against it. `acceptance/openapi/` runs public
 * tools on the document.
 */

setDefaultTimeout(600_000);

const MANAGEMENT = '/v1/management';
const SIGN_IN = 'Management: Sign-in';
const KEY = clientKey('one');
const SHARING_KEY = clientKey('sharing');
const PERSON = { name: 'Ann', email: 'ann@example.com', password: 'correct horse battery' };
const TOKEN = `mt-${'operator'.repeat(5)}`;
const SANDBOX = [
  'chat',
  'embedding',
  'image',
  'slow-image',
  'video',
  'music',
  'lyrics',
  '3d',
  'rerank',
  'search',
  'speech',
  'transcription',
];

let space: Workspace;
let serving: Serving;
let stored: Awaited<ReturnType<typeof someBatch>>;
let upstream: ReturnType<typeof startUpstream>;
let api: OpenApi;
/** The operations with a success response that was checked against the document. */
const seen = new Set<string>();
/** The ids of the management objects that examples created, by the path of their list. */
const objects = new Map<string, string>();

beforeAll(async () => {
  space = await Workspace.create();
  upstream = startUpstream(() =>
    Response.json({
      id: 'modr-1',
      model: 'm',
      results: [{ flagged: false, categories: { hate: false }, category_scores: { hate: 0 } }],
    }),
  );
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      {
        id: 'sandbox',
        provider: 'sandbox',
        models: Object.fromEntries(SANDBOX.map((name) => [`sandbox-${name}`, `sandbox-${name}`])),
      },
      {
        ...{ id: 'moderating', provider: 'openai', api_key: 'k', base_url: upstream.baseUrl },
        models: { 'omni-moderation-latest': 'omni-moderation-latest' },
      },
    ],
    tasks: { poll_interval_ms: 20 },
    accounts: [
      accountWith('one', [keyNamed('one'), { ...keyNamed('sharing'), usage_access: 'account' }], {
        requests_per_minute: 100_000,
        admin: true,
        capture: 'full',
        management_tokens: [{ id: 'operator', secret: TOKEN }],
      }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  stored = await someBatch();
  api = new OpenApi(asObject(await (await fetch(`${serving.origin}/openapi.json`)).json()));
});
afterAll(async () => {
  await space?.remove();
  await upstream?.stop();
});

interface Sent {
  readonly body?: object | FormData;
  readonly query?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string | null;
}

/** Sends a request as documented, and fails if the response does not match the document. */
async function ask(
  id: string,
  sent: Sent = {},
): Promise<GivenAnswer & { readonly json: Readonly<Record<string, unknown>>; readonly cookies: string }> {
  const operation = api.operation(id);
  const { body, query = '', headers = {} } = sent;
  const key = sent.key === undefined ? (operation.tag.startsWith('Management') ? TOKEN : KEY) : sent.key;
  const response = await fetch(`${serving.origin}${filled(operation, sent.params)}${query}`, {
    method: operation.method.toUpperCase(),
    redirect: 'manual',
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      // Sign-in only accepts requests from pages of the gateway.
      ...(operation.tag === SIGN_IN && { origin: serving.origin }),
      ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const given = {
    status: response.status,
    contentType: response.headers.get('content-type'),
    text: await response.text(),
  };
  expect({ id, status: given.status, problems: api.problemsOf(operation, given) }).toEqual({
    id,
    status: given.status,
    problems: [],
  });
  if (given.status < 300) seen.add(id);
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return { ...given, json: asObject(parseJson(given.text)), cookies: cookies.join('; ') };
}

/** Sends an example, expects success and resolves to the response. */
async function askExample(
  operation: DocumentOperation,
  name: string,
  body: object,
  params: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  expect([operation.id, name, api.bodyProblems(operation, body)]).toEqual([operation.id, name, []]);
  const { status, text, json } = await ask(operation.id, { body, params, query: queryOf(operation) });
  if (status >= 300) throw new Error(`${operation.id} ${name}: ${status} ${text}`);
  return json;
}

/** Returns the query that names the account, if an operator must name it. */
function queryOf({ node }: DocumentOperation): string {
  const names = asArray(node.parameters).map((parameter) => asObject(parameter).name);
  return names.includes('account_id') ? '?account_id=one' : '';
}

/** Resolves to the id of an object that an example created or that the list at this path holds. */
async function anObject(path: string): Promise<string | undefined> {
  const known = objects.get(path);
  if (known !== undefined) return known;
  const list = api.operations.find((operation) => operation.path === path && operation.method === 'get');
  if (list === undefined) return undefined;
  const { json } = await ask(list.id, { query: queryOf(list) });
  const { id, user } = asObject(asArray(json.data)[0] ?? {});
  return typeof id === 'string' ? id : typeof user === 'string' ? user : undefined;
}

/** Creates a person who has accepted an invitation to the account. */
async function makePerson(): Promise<void> {
  const invited = await ask('createInvitation', { body: { role: 'member' }, query: '?account_id=one' });
  const [, token] = String(invited.json.link).split('#');
  expect((await ask('lookUpInvitation', { key: null, body: { token } })).status).toBe(200);
  expect((await ask('acceptInvitation', { key: null, body: { token, ...PERSON } })).status).toBe(201);
}

function filled({ path, pathExamples }: DocumentOperation, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? pathExamples[name] ?? 'none');
}

function contentOf(node: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return asObject(asObject(node.requestBody).content);
}

/** Returns a schema, following its reference if it has one. */
function resolved(schema: unknown): Readonly<Record<string, unknown>> {
  const { $ref } = asObject(schema);
  if (typeof $ref !== 'string') return asObject(schema);
  return asObject(asObject(asObject(api.document.components).schemas)[$ref.split('/').at(-1) ?? '']);
}

function form(fields: Readonly<Record<string, string>>, files: Readonly<Record<string, Blob>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const [name, file] of Object.entries(files)) data.append(name, file, name);
  return data;
}

describe('the document', () => {
  test('is OpenAPI 3.0.3', async () => {
    expect(await new Validator().validate(structuredClone(api.document))).toMatchObject({ valid: true });
    // The URL is relative to the document, so it also works behind a proxy's path prefix.
    expect(api.document.servers).toEqual([{ url: '.', description: 'This gateway' }]);
  });

  test('is public, and an unchanged document is not sent again', async () => {
    const url = `${serving.origin}/openapi.json`;
    const { headers } = await fetch(url, { headers: { origin: 'https://page.test' } });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const again = await fetch(url, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  });
});

/** Makes a file and a batch, whose answers the document does not have: accounts may have channels of their own for them. */
async function someBatch(): Promise<{ readonly fileId: string; readonly batchId: string }> {
  const { files, batches } = new OpenAI({ apiKey: KEY, baseURL: serving.baseUrl, maxRetries: 0 });
  const body = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] };
  const line = JSON.stringify({ custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body });
  const file = await files.create({ purpose: 'batch', file: await toFile(Buffer.from(line), 'one.jsonl') });
  const wanted = { input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
  return { fileId: file.id, batchId: (await batches.create(wanted)).id };
}

describe('responses match the document', () => {
  test('the examples', async () => {
    for (const operation of api.operations) {
      for (const [name, example] of Object.entries(operation.examples)) {
        // This object does not exist, so it cannot be changed; see below.
        if (/\{(?!model)/.test(operation.path)) continue;
        const made = await askExample(operation, name, asObject(example));
        if (operation.method === 'post' && typeof made.id === 'string') objects.set(operation.path, made.id);
      }
    }
  });

  test('sign-in, and changes that people make to their own profile', async () => {
    await makePerson();
    const { email, password } = PERSON;
    const signedIn = await ask('authSignInEmail', { key: null, body: { email, password } });
    expect(signedIn.status).toBe(200);
    const headers = { cookie: signedIn.cookies };
    const own = (id: string, body?: object) => ask(id, { key: null, headers, ...(body && { body }) });
    const changed: Readonly<Record<string, object>> = {
      authUpdateUser: { name: 'Ann Lee' },
      authTwoFactorEnable: { password },
      authChangePassword: { currentPassword: password, newPassword: `${password} 2` },
    };
    for (const { id, method } of api.operations.filter(({ tag }) => tag === SIGN_IN)) {
      if (id === 'authSignOut' || id === 'authChangePassword') continue;
      const { status } = await own(id, changed[id] ?? (method === 'post' ? {} : undefined));
      if (changed[id]) expect([id, status]).toEqual([id, 200]);
    }
    for (const id of ['getMe', 'listSessions']) expect((await own(id)).status).toBe(200);
    expect((await own('authChangePassword', changed.authChangePassword)).status).toBe(200);
    expect((await own('authSignOut', {})).status).toBe(200);
  });

  test('management objects and their examples', async () => {
    const video = { model: 'sandbox-video', prompt: 'A fox', provider_options: { delay_ms: 60_000 } };
    objects.set(`${MANAGEMENT}/tasks`, String((await ask('createVideo', { body: video })).json.id));
    objects.set(`${MANAGEMENT}/files`, stored.fileId);
    objects.set(`${MANAGEMENT}/batches`, stored.batchId);
    // The model that the example declares has no channel, so no account can use it.
    objects.delete(`${MANAGEMENT}/models`);
    const upstreamKey = { name: 'main', key: 'sk-proj-0123456789abcdef' };
    const several = { name: 'Several keys', provider: 'openai', api_keys: [upstreamKey], models: ['gpt-5-mini'] };
    const withKeys = String((await askExample(api.operation('createChannel'), 'several keys', several)).id);
    const missed: string[] = [];
    const isManaged = ({ tag }: DocumentOperation) => tag.startsWith('Management') && tag !== SIGN_IN;
    const about = api.operations.filter((one) => isManaged(one) && one.path.includes('/{id}'));
    const reading = about.filter(({ method }) => method === 'get');
    for (const operation of [...reading, ...about.filter((one) => !reading.includes(one))]) {
      const id = await anObject(operation.path.slice(0, operation.path.indexOf('/{id}')));
      const isOfKey = operation.path.includes('/{key}');
      const params = isOfKey ? { id: withKeys, key: upstreamKey.name } : { id: encodeURIComponent(id ?? 'none') };
      if (operation.method === 'get') {
        const { status } = await ask(operation.id, { params, query: queryOf(operation) });
        if (status >= 300) missed.push(operation.id);
      }
      for (const [name, example] of Object.entries(operation.examples)) {
        await askExample(operation, name, asObject(example), params);
      }
    }
    expect(missed).toEqual(['getAlertEvent', 'getAlertDelivery']);
  });

  test('streams in Google’s format as events', async () => {
    const { examples } = api.operation('streamGenerateContent');
    const { contentType } = await ask('streamGenerateContent', { body: asObject(examples.hello), query: '?alt=sse' });
    expect(contentType).toStartWith('text/event-stream');
  });

  test('files', async () => {
    const png = new Blob([Uint8Array.from(pngOf({ width: 64, height: 64 }))], { type: 'image/png' });
    const edit = { model: 'sandbox-image', prompt: 'A hat' };
    const { json } = await ask('editImage', { body: form(edit, { image: png }) });
    await ask('editImage', { body: form({ ...edit, stream: 'true' }, { image: png }) });
    const [{ url = '' } = {}] = json.data as { url?: string }[];
    const { pathname, search } = new URL(url);
    await ask('getMedia', { params: { id: pathname.replace('/media/', '') }, query: search, key: null });
    const wav = new Blob([wave(2)], { type: 'audio/wav' });
    const model = 'sandbox-transcription';
    for (const response_format of ['json', 'verbose_json', 'diarized_json', 'text', 'srt', 'vtt']) {
      await ask('createTranscription', { body: form({ model, response_format }, { file: wav }) });
    }
    await ask('createTranscription', { body: form({ model, stream: 'true' }, { file: wav }) });
    await ask('createTranslation', { body: form({ model, response_format: 'verbose_json' }, { file: wav }) });
  });

  test('forms: a misspelt part is refused at every endpoint that takes a form', async () => {
    const forms = api.operations.filter(({ node }) => 'multipart/form-data' in contentOf(node));
    expect(forms.length).toBeGreaterThanOrEqual(3);
    for (const { id, node } of forms) {
      const schema = resolved(asObject(contentOf(node)['multipart/form-data']).schema);
      for (const own of Object.keys(asObject(schema.properties))) {
        const listed = own.endsWith(']') ? [] : [`${own}[0]`];
        for (const variant of [own.toUpperCase(), `${own} `, ...listed]) {
          const { status, json } = await ask(id, { body: form({ [variant]: 'x' }, {}) });
          const { code, did_you_mean } = asObject(json.error);
          expect([id, variant, status, code, did_you_mean]).toEqual([id, variant, 400, 'invalid_value', own]);
        }
      }
    }
  });

  test('stored responses', async () => {
    const { json } = await ask('createResponse', { body: { model: 'sandbox-chat', input: 'Hello!' } });
    const params = { id: String(json.id) };
    await ask('getResponse', { params });
    await ask('listResponseInputItems', { params, query: '?limit=1&order=asc' });
    await ask('deleteResponse', { params });
    expect((await ask('getResponse', { params })).status).toBe(404);
  });

  test('tasks', async () => {
    const ids: Record<string, string> = {};
    const made = {
      createVideo: 'sandbox-video',
      createMusic: 'sandbox-music',
      create3dModel: 'sandbox-3d',
      createImage: 'sandbox-slow-image',
    };
    for (const [id, model] of Object.entries(made)) {
      const body = {
        model,
        prompt: 'A fox',
        provider_options: { delay_ms: 0 },
        ...(id === 'createImage' && { async: true }),
      };
      ids[id] = String((await ask(id, { body })).json.id);
    }
    for (const id of Object.values(ids)) {
      await until(`${id} is done`, async () => (await ask('getTask', { params: { id } })).json.status === 'completed');
    }
    expect((await ask('listTasks', { query: '?limit=4' })).json.data).toHaveLength(4);
    const { json } = await ask('createVideo', {
      body: { model: 'sandbox-video', prompt: 'a fox', provider_options: { delay_ms: 60_000 } },
    });
    const cancelled = await ask('cancelTask', { params: { id: String(json.id) } });
    expect(cancelled.json).toMatchObject({ status: 'failed', cancelled: true });
    const slow = { model: 'sandbox-video', prompt: 'a fox', provider_options: { delay_ms: 60_000 } };
    const other = { id: String((await ask('createVideo', { body: slow })).json.id) };
    expect((await ask('cancelManagedTask', { params: other })).json).toMatchObject({
      cancelled: true,
      status: 'failed',
    });
    expect((await ask('cancelManagedTask', { params: { id: ids.createVideo ?? '' } })).status).toBe(409);
    const failed = await ask('listManagedTasks', { query: '?status=failed&model=sandbox-video' });
    expect(asArray(failed.json.data).slice(0, 2)).toMatchObject([other, { id: json.id }]);
    const own = { provider_options: { delay_ms: 0 } };
    const video = await ask('createOpenaiVideo', { body: { model: 'sandbox-video', prompt: 'a fox', ...own } });
    const params = { id: String(video.json.id) };
    await until('the video is completed', async () => {
      return (await ask('getOpenaiVideo', { params })).json.status === 'completed';
    });
    await ask('getOpenaiVideoContent', { params, query: '?variant=thumbnail' });
    await ask('remixOpenaiVideo', { params, body: { prompt: 'at night' } });
    await ask('editOpenaiVideo', { body: { prompt: 'at night', video: params } });
    await ask('editOpenaiVideo', { body: form({ prompt: 'in rain', 'video[id]': params.id }, {}) });
    await ask('listOpenaiVideos', { query: '?limit=2' });
    await ask('deleteOpenaiVideo', { params });
    await ask('getVideoTask', { params: { id: ids.createVideo ?? '' } });
    await ask('getMusicTask', { params: { id: ids.createMusic ?? '' } });
    await ask('get3dModelTask', { params: { id: ids.create3dModel ?? '' } });
    await ask('getImageTask', { params: { id: ids.createImage ?? '' } });
  });

  test('models, prices, reports, moderation and the service itself', async () => {
    await ask('listModels');
    await ask('listModels', { query: '?recommended_for=image' });
    for (const name of SANDBOX) await ask('getModel', { params: { model: `sandbox-${name}` } });
    await ask('listPrices');
    for (const { id, tag } of api.operations)
      if (tag === 'Usage and balance' && id !== 'getOpenRouterCredits') await ask(id);
    await ask('getOpenRouterCredits', { key: SHARING_KEY });
    expect((await ask('getOpenRouterCredits')).status).toBe(403);
    await ask('listGeminiModels', { query: '?pageSize=1', key: null });
    await ask('getGeminiModel', { params: { model: 'sandbox-chat' }, key: null });
    await ask('createModeration', { body: { input: 'Hello!' } });
    const question = { model: 'sandbox-embedding', input: 'kept', cache_control: { type: 'default' } };
    await ask('createEmbeddings', { body: question });
    const { json } = await ask('createEmbeddings', { body: question });
    const cache_entry_id = asObject(json._routing).cacheEntryId;
    await ask('reportCachedAnswer', { body: { cache_entry_id, feedback_type: 'wrong_answer' } });
    for (const id of ['getFrontPage', 'getOpenApiJson', 'getOpenApiYaml', 'getHealth', 'getStatus', 'getMetrics']) {
      await ask(id, { key: null });
    }
    // A gateway is not ready while its disk is slow.
    await until('the gateway is ready', async () => (await ask('getReadiness', { key: null })).status === 200);
  });

  test('every management operation that needs no id to read', async () => {
    const readable = api.operations.filter(
      ({ id, tag, method, path }) =>
        // A live view never ends.
        id !== 'watchRequests' &&
        tag.startsWith('Management') &&
        tag !== SIGN_IN &&
        method === 'get' &&
        !path.includes('{'),
    );
    for (const { id } of readable) await ask(id, { query: '?account_id=one' });
    expect(readable.filter(({ id }) => seen.has(id)).length).toBeGreaterThan(2);
  });

  test('errors, each with a documented code', async () => {
    for (const { id, node, path, tag } of api.operations) {
      if (tag === 'Passed on' || tag === 'Service') continue;
      const hasBody = isObject(node.requestBody);
      const isOpen =
        (node.security as object[]).some((way) => Object.keys(way).length === 0) ||
        (node.security as object[]).length === 0;
      // Sign-in validates the body first.
      const refused = tag === SIGN_IN ? [400, 401] : [401];
      if (!isOpen) expect(refused).toContain((await ask(id, { key: null, ...(hasBody && { body: {} }) })).status);
      if (hasBody && path !== '/v1/moderations')
        await ask(id, { body: { model: 7, messages: 'no', input: {}, name: 7 } });
      if (hasBody && !tag.startsWith('Management')) await ask(id, { body: { model: 'none-such', ...MINIMAL } });
    }
  });

  test('every operation was checked', () => {
    const isElsewhere = ({ tag }: DocumentOperation) => tag === 'Passed on' || tag.startsWith('Management');
    const missed = api.operations.filter((operation) => !isElsewhere(operation) && !seen.has(operation.id));
    expect(missed.map(({ id }) => id)).toEqual([]);
  });
});

/** The required fields of all formats, besides the model. */
const MINIMAL = {
  ...{ messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 10, input: 'Hello!', prompt: 'Hello!' },
  ...{ contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }], query: 'Hello!', documents: ['Hello!'] },
};
