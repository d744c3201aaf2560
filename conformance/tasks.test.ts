import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { type Answer, answerOf, verdict } from './shared/answer.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* The task endpoints over HTTP, independent of the provider; the sandbox does the work. */

setDefaultTimeout(600_000);

const STATUS_PATHS = {
  any: '/v1/tasks/',
  image: '/v1/images/generations/',
  video: '/v1/videos/generations/',
  music: '/v1/music/generations/',
  '3d': '/v1/3d/generations/',
} as const;
type Kind = Exclude<keyof typeof STATUS_PATHS, 'any'>;
const KINDS = ['video', 'music', '3d'] as const satisfies readonly Kind[];

const BODIES = {
  video: { model: 'sandbox-video', prompt: 'a fox in the snow' },
  music: { model: 'sandbox-music', prompt: 'a slow song' },
  '3d': { model: 'sandbox-3d', prompt: 'a chair' },
  image: { model: 'flux', prompt: 'a fox', async: true },
} as const;

let space: Workspace;
let serving: Serving;
let images: ReturnType<typeof startImages>;

/** Starts an image provider like Black Forest Labs, whose jobs are finished at the first poll. */
function startImages() {
  const received: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ method, url }) => {
      received.push(`${method} ${new URL(url).pathname}`);
      const { origin } = new URL(url);
      if (method === 'POST') return Response.json({ id: 'job-1', polling_url: `${origin}/v1/get_result?id=job-1` });
      return Response.json({ id: 'job-1', status: 'Ready', result: { sample: `${origin}/picture.png` } });
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, received, stop: () => server.stop(true) };
}

beforeAll(async () => {
  space = await Workspace.create();
  images = startImages();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      {
        id: 'sandbox',
        provider: 'sandbox',
        models: {
          'sandbox-video': 'sandbox-video',
          'sandbox-music': 'sandbox-music',
          'sandbox-3d': 'sandbox-3d',
          'sandbox-chat': 'sandbox-chat',
        },
      },
      { id: 'own', provider: 'sandbox', owner: 'other', models: { 'own-music': 'sandbox-music' } },
      {
        ...{ id: 'images', provider: 'black-forest-labs', api_key: 'k', base_url: images.baseUrl },
        models: { flux: 'flux-pro-1.1' },
      },
    ],
    tasks: { poll_interval_ms: 10 },
    accounts: [
      accountWith('one', [keyNamed('one'), keyNamed('second'), keyNamed('gone')], { requests_per_minute: 100_000 }),
      accountWith('other', [keyNamed('other')], { requests_per_minute: 100_000 }),
      accountWith('lister', [keyNamed('lister'), keyNamed('lister-2')], { requests_per_minute: 100_000 }),
      accountWith('slow', [keyNamed('slow')], { requests_per_minute: 3 }),
      accountWith('few', [keyNamed('few', { models: ['sandbox-chat'] })]),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await images?.stop();
});

interface Sending {
  readonly method?: string;
  readonly key?: string | null;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function sent(path: string, { method = 'GET', key = 'one', body, headers = {} }: Sending = {}): Promise<Answer> {
  const authorization = key === null ? {} : { authorization: `Bearer ${clientKey(key)}` };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers: { ...authorization, ...type, ...headers }, ...(body !== undefined && { body }) };
  return answerOf(await fetch(`${serving.origin}${path}`, init));
}

function create(kind: Kind, extra: object = {}, sending: Sending = {}): Promise<Answer> {
  const body = JSON.stringify({ ...BODIES[kind], ...extra });
  return sent(STATUS_PATHS[kind].slice(0, -1), { method: 'POST', body, ...sending });
}

async function finished(path: string): Promise<Answer> {
  let answer = await sent(path);
  await until('the task is final', async () => {
    answer = await sent(path);
    return answer.json.status === 'completed' || answer.json.status === 'failed';
  });
  return answer;
}

const quick = { provider_options: { delay_ms: 0 } };
const slow = { provider_options: { delay_ms: 60_000 } };

describe('POST', () => {
  test.each(KINDS)('for a %s returns the contract’s task object', async (kind) => {
    const { status, json, headers } = await create(kind, slow);
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        id: expect.stringMatching(/^task_[A-Za-z0-9]{32}$/),
        ...{ task_id: json.id, object: 'task', kind, model: BODIES[kind].model },
        ...{ poll_url: `/v1/tasks/${json.id}`, status: 'pending', created: expect.any(Number) },
        _routing: expect.any(Object),
      },
    });
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('x-request-id')).toMatch(/\S{8}/);
    expect(headers.get('x-ratelimit-limit-requests')).toBe('100000');
  });

  test.each([
    ['video', { prompt: '' }, 'missing_required_parameter', 'prompt'],
    ['video', { prompt: 7 }, 'invalid_type', 'prompt'],
    ['video', { n: 0 }, 'invalid_value', 'n'],
    ['video', { n: 1.5 }, 'invalid_type', 'n'],
    ['video', { duration: -1 }, 'invalid_value', 'duration'],
    ['video', { seconds: 'long' }, 'invalid_type', 'seconds'],
    ['video', { duration: 5, seconds: 6 }, 'invalid_value', 'seconds'],
    ['video', { resolution: 'big' }, 'invalid_value', 'resolution'],
    ['video', { size: '1x' }, 'invalid_value', 'size'],
    ['video', { size: '1280x720', resolution: '720p' }, 'invalid_value', 'resolution'],
    ['video', { size: '1280x720', aspect_ratio: '16:9' }, 'invalid_value', 'aspect_ratio'],
    ['video', { video_url: 'http://example.com/a.mp4' }, 'invalid_value', 'video_url'],
    ['video', { video_url: 'file:///etc/passwd' }, 'invalid_value', 'video_url'],
    ['video', { audio: 'yes' }, 'invalid_type', 'audio'],
    ['video', { provider_options: [] }, 'invalid_type', 'provider_options'],
    ['video', { operation: 'text-to-film' }, 'invalid_value', 'operation'],
    ['video', { operation: 'image-to-video' }, 'missing_required_parameter', 'image_url'],
    ['video', { model: undefined }, 'missing_required_parameter', 'model'],
    ['video', { model: 'nothing-of-this-name' }, 'model_not_found', 'model'],
    ['music', { prompt: undefined }, 'missing_required_parameter', 'prompt'],
    ['music', { action: 'DANCE' }, 'invalid_value', 'action'],
    ['music', { continue_at: 'now' }, 'invalid_type', 'continue_at'],
    ['music', { model: 'sandbox-chat' }, 'model_not_found', 'model'],
    ['3d', { prompt: undefined }, 'missing_required_parameter', 'prompt'],
    ['3d', { model: 'nothing-of-this-name' }, 'model_not_found', 'model'],
  ] as const)('for a %s with %j is refused as %s', async (kind, extra, code, param) => {
    const { status, error, headers } = await create(kind, extra);
    expect({ isClients: status === 400 || status === 404, code: error.code, param: error.param }).toEqual({
      ...{ isClients: true, code, param },
    });
    expect(error.message).toEqual(expect.stringMatching(/^[A-Z`]\S*( \S+)+$/));
    expect(headers.get('x-request-id')).toMatch(/\S{8}/);
  });

  test.each(['{', '[]', 'null', '"text"', '', '{"model":"sandbox-video","model":"sandbox-3d"}'])(
    'with the body %s is a 400',
    async (body) => {
      const { status, error } = await create('video', {}, { body });
      expect({ status, type: error.type }).toEqual({ status: 400, type: 'invalid_request_error' });
    },
  );

  test('without a key, with a wrong one, and with one that may not use the model is refused', async () => {
    expect(verdict(await create('video', {}, { key: null }))).toBe('401 invalid_api_key invalid_api_key');
    expect(verdict(await create('video', {}, { key: 'nobody' }))).toBe('401 invalid_api_key invalid_api_key');
    expect(verdict(await create('video', {}, { key: 'few' }))).toBe('403 access_denied model_not_allowed');
  });

  test.each([...KINDS, 'image'] as const)('is the only method of the %s endpoint', async (kind) => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      const { status, headers } = await sent(STATUS_PATHS[kind].slice(0, -1), { method });
      expect({ method, status, allow: headers.get('allow') }).toEqual({ method, status: 405, allow: 'POST' });
    }
  });

  test('returns the error of a failed submission and leaves no open task', async () => {
    const { status, error } = await create('video', { provider_options: { fail_submit: 400 } });
    expect({ status, code: typeof error.code }).toEqual({ status: 400, code: 'string' });
  });
});

/** Headers that the server adds itself. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set(['content-length', 'date']);

describe.each(Object.entries(STATUS_PATHS))('GET of the status path for %s', (of, path) => {
  const kind: Kind = of === 'any' ? 'video' : (of as Kind);
  const options = kind === 'image' ? {} : quick;

  test(`${path}{id} follows a task to its end`, async () => {
    const created = await create(kind, options);
    const { status, json, headers } = await finished(`${path}${created.json.id}`);
    expect({ status, json }).toMatchObject({
      status: 200,
      json: { id: created.json.id, status: 'completed', data: [expect.objectContaining({ url: expect.any(String) })] },
    });
    expect(json._routing).toMatchObject(created.json._routing as object);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).not.toBe(created.headers.get('x-request-id'));
    expect(Number(json.expires)).toBeGreaterThan(Number(json.ended));
  });

  test(`${path}{id} does not find tasks of another kind`, async () => {
    if (of === 'any') return;
    for (const one of KINDS.filter((other) => other !== of)) {
      const { json } = await create(one, quick);
      expect(verdict(await sent(`${path}${json.id}`))).toBe('404 invalid_request_error async_task_not_found');
    }
  });

  test(`${path}{id} returns the same 404 for every unknown id`, async () => {
    const { json } = await create(kind, options);
    const id = String(json.id);
    const foreign = await sent(`${path}${id}`, { key: 'other' });
    const ids = [
      `task_${'a'.repeat(32)}`,
      ...['nothing', 'task_', '%00', '__proto__', 'constructor', '*', "'; DROP TABLE tasks; --", id.slice(0, -1)],
      ...[
        `${id}0`,
        id.toUpperCase(),
        `${id}%0a`,
        encodeURIComponent('../../etc/passwd'),
        'é'.repeat(32),
        `a${'b'.repeat(3_000)}`,
      ],
    ];
    for (const one of ids) {
      const answer = await sent(`${path}${one}`);
      expect({ one, verdict: verdict(answer), text: answer.text }).toEqual({
        ...{ one, verdict: '404 invalid_request_error async_task_not_found', text: foreign.text },
      });
      expect([...answer.headers.keys()]).toEqual([...foreign.headers.keys()]);
    }
  });

  test(`${path}{id} can be read with every key of the account and with no other`, async () => {
    const { json } = await create(kind, options);
    const own = `${STATUS_PATHS.any}${json.id}`;
    expect((await sent(own, { key: 'second' })).status).toBe(200);
    expect(verdict(await sent(`${path}${json.id}`, { key: null }))).toBe('401 invalid_api_key invalid_api_key');
    expect(verdict(await sent(`${path}${json.id}`, { key: 'nobody' }))).toBe('401 invalid_api_key invalid_api_key');
  });

  test(`${path}{id} has no other methods than GET and HEAD`, async () => {
    const { json } = await create(kind, options);
    const url = `${path}${json.id}`;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await sent(url, { method, body: '{}' });
      expect({ method, status, allow: headers.get('allow') }).toEqual({ method, status: 405, allow: 'GET, HEAD' });
    }
    const got = await sent(url);
    const head = await sent(url, { method: 'HEAD' });
    expect({ status: head.status, text: head.text }).toEqual({ status: got.status, text: '' });
    expect([...head.headers.keys()].filter((name) => !CONNECTION_HEADERS.has(name))).toEqual(
      [...got.headers.keys()].filter((name) => !CONNECTION_HEADERS.has(name)),
    );
  });
});

describe('a clip that is continued', () => {
  const clipOf = async (key: string) => {
    const { json } = await create('music', quick, { key });
    let answer = await sent(String(json.poll_url), { key });
    await until('the song is finished', async () => {
      answer = await sent(String(json.poll_url), { key });
      return answer.json.status === 'completed';
    });
    const [item] = answer.json.data as { readonly clip_id?: string }[];
    return String(item?.clip_id);
  };
  const goOn = async (continue_clip_id: string, key: string, model: string = BODIES.music.model) => {
    const { status, error } = await create('music', { ...quick, model, continue_clip_id }, { key });
    return [status, error.code, error.param];
  };
  const unknown = [404, 'object_not_found', 'continue_clip_id'];

  test('over a shared channel must be a result of the account', async () => {
    const clip = await clipOf('one');
    expect(await goOn(clip, 'second')).toEqual([200, undefined, undefined]);
    expect(await goOn(clip, 'other')).toEqual(unknown);
    expect(await goOn('invented', 'one')).toEqual(unknown);
    expect(await goOn(clip.toUpperCase(), 'one')).toEqual(unknown);
  });

  test('over a private channel may be any clip', async () => {
    expect((await goOn('invented', 'other', 'own-music'))[0]).toBe(200);
  });
});

describe('reading a task', () => {
  test('fails with a revoked key, while other keys can still read its tasks', async () => {
    const { json } = await create('video', quick, { key: 'gone' });
    const list = await space.run(['keys', 'revoke', 'gone']);
    expect(list.exitCode).toBe(0);
    await until('the key is refused', async () => (await sent(`/v1/tasks/${json.id}`, { key: 'gone' })).status === 401);
    expect((await finished(`/v1/tasks/${json.id}`)).json.status).toBe('completed');
  });

  test('counts towards the account’s rate limit', async () => {
    const answers: Answer[] = [];
    for (let count = 0; count < 5; count++)
      answers.push(await sent(`/v1/tasks/task_${'b'.repeat(32)}`, { key: 'slow' }));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429, 429]);
    expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  test('ignores conditions, ranges and bodies of careless clients', async () => {
    const { json } = await create('video', quick);
    const { text } = await finished(`/v1/tasks/${json.id}`);
    for (const headers of [
      { 'if-none-match': '*' },
      { 'if-modified-since': new Date().toUTCString() },
      { range: 'bytes=0-5' },
      { accept: 'text/html' },
    ]) {
      const answer = await sent(`/v1/tasks/${json.id}?x=1`, { headers });
      expect({ headers, status: answer.status, text: answer.text }).toEqual({ headers, status: 200, text });
    }
  });

  test('works for every spelling of the path that the other endpoints accept', async () => {
    const { json } = await create('video', quick);
    for (const path of [
      `/v1/tasks/${json.id}/`,
      `/v1//tasks/${json.id}`,
      `/tasks/${json.id}`,
      `/v1/v1/tasks/${json.id}`,
    ]) {
      expect({ path, status: (await sent(path)).status }).toEqual({ path, status: 200 });
    }
  });

  test('works from a browser', async () => {
    const { json } = await create('video', quick);
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
    const preflight = await sent(`/v1/tasks/${json.id}`, { method: 'OPTIONS', key: null, headers });
    expect(preflight.status).toBeLessThan(300);
    const answer = await sent(`/v1/tasks/${json.id}`, { headers: { origin: 'https://app.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(
      preflight.headers.get('access-control-allow-origin'),
    );
  });

  test.each(['failed', 'refused'])('shows one sentence if the job has %s', async (outcome) => {
    const { json } = await create('music', { provider_options: { delay_ms: 30, outcome } });
    const ended = await finished(`/v1/music/generations/${json.id}`);
    expect(ended.json).toMatchObject({ status: 'failed', error: expect.stringMatching(/^[A-Z]\S*( \S+)+$/) });
    expect(ended.json.data).toBeUndefined();
  });

  test('links to a result at a private address without fetching it', async () => {
    const { json } = await create('image');
    const { data } = (await finished(`/v1/tasks/${json.id}`)).json;
    const url = new URL('/picture.png', images.baseUrl).href;
    expect(data).toEqual([expect.objectContaining({ url })]);
    expect(images.received).not.toContain('GET /picture.png');
  });
});

describe('GET /v1/tasks', () => {
  const list = (query = '', key = 'lister') => sent(`/v1/tasks${query}`, { key });
  const ids = ({ json }: Answer) => (json.data as { readonly id: string }[]).map(({ id }) => id);
  const made: string[] = [];

  beforeAll(async () => {
    for (const kind of ['video', 'music', 'video', '3d', 'video'] as const) {
      made.unshift(String((await create(kind, slow, { key: 'lister' })).json.id));
    }
    made.unshift(String((await create('video', quick, { key: 'lister-2' })).json.id));
  });

  test('returns the account’s tasks, the newest first, in pages without gaps while others are made', async () => {
    const found: string[] = [];
    let query = '?limit=4';
    for (;;) {
      const answer = await list(query);
      expect(answer.json).toMatchObject({ object: 'list', last_id: ids(answer).at(-1) });
      found.push(...ids(answer));
      if (answer.json.has_more === false) break;
      await create('video', slow, { key: 'lister' });
      query = `?limit=4&after=${answer.json.last_id}`;
    }
    expect(found).toEqual(made);
    const ascending = await list('?order=asc&limit=3');
    expect(ids(ascending)).toEqual(made.toReversed().slice(0, 3));
  });

  test('filters by kind, operation, model, key, status and time', async () => {
    expect(ids(await list('?kind=music'))).toEqual([made[4] ?? '']);
    expect(ids(await list('?operation=3d.generations&category=3d'))).toEqual([made[2] ?? '']);
    expect(ids(await list('?model=sandbox-music'))).toEqual([made[4] ?? '']);
    expect(ids(await list('?key=lister-2'))).toEqual([made[0] ?? '']);
    expect(ids(await list('?key=current', 'lister-2'))).toEqual([made[0] ?? '']);
    await until('a task is completed', async () => ids(await list('?status=completed')).includes(made[0] ?? ''));
    expect(ids(await list('?status=failed'))).toEqual([]);
    expect(ids(await list('?created_before=1790000000'))).toEqual([]);
    expect(ids(await list('?created_after=99999999999'))).toEqual([]);
    expect(ids(await list('?created_after=0&limit=1'))).toHaveLength(1);
  });

  test.each([
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=1e2', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?order=up', 'order'],
    ['?status=cancelled', 'status'],
    ['?kind=film', 'kind'],
    ['?kind=video&operation=music.generations', 'operation'],
    ['?created_after=now', 'created_after'],
    ['?after=task_1', 'after'],
    [`?after=task_${'a'.repeat(32)}`, 'after'],
    ['?until=7', 'until'],
  ])('with %s names the parameter', async (query, param) => {
    const { status, error } = await list(query);
    expect({ status, code: error.code, param: error.param }).toEqual({ status: 400, code: 'invalid_value', param });
  });

  test('shows no task of another account, and does not continue after one', async () => {
    const foreign = String((await create('video', quick, { key: 'other' })).json.id);
    expect(ids(await list('?limit=100'))).not.toContain(foreign);
    const unknown = await list(`?after=task_${'b'.repeat(32)}`);
    const of = await list(`?after=${foreign}`);
    expect([of.status, of.error.code]).toEqual([unknown.status, unknown.error.code]);
    expect(verdict(await sent('/v1/tasks', { key: null }))).toBe('401 invalid_api_key invalid_api_key');
  });
});

describe('POST /v1/tasks/{id}/cancel', () => {
  const cancel = (id: unknown, key = 'one') => sent(`/v1/tasks/${id}/cancel`, { method: 'POST', key });

  test('ends the task and releases its money; again it changes nothing', async () => {
    const { json } = await create('video', slow);
    const first = await cancel(json.id);
    expect(first).toMatchObject({ status: 200, json: { id: json.id, status: 'failed', cancelled: true } });
    expect(first.json._routing).toMatchObject({ ...Object(json._routing), cost: { total_usd: '0' } });
    expect((await cancel(json.id)).json).toEqual(first.json);
    expect((await sent(`/v1/tasks/${json.id}`)).json).toEqual(first.json);
  });

  test('of a completed task is a 409, and of another account’s task the 404 of an unknown id', async () => {
    const { json } = await create('video', quick);
    await finished(`/v1/tasks/${json.id}`);
    expect(verdict(await cancel(json.id))).toBe('409 invalid_request_error conflict');
    const open = await create('video', slow);
    const foreign = await cancel(open.json.id, 'other');
    expect(verdict(foreign)).toBe('404 invalid_request_error async_task_not_found');
    expect(foreign.text).toBe((await cancel(`task_${'c'.repeat(32)}`)).text);
    expect((await sent(`/v1/tasks/${open.json.id}`)).json.status).not.toBe('failed');
  });

  test('has no other method', async () => {
    const { status, headers } = await sent(`/v1/tasks/task_${'c'.repeat(32)}/cancel`);
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });
});
