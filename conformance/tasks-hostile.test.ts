import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { type Answer, answerOf, verdict } from './shared/answer.ts';
import { asObject } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* Tasks with a hostile client, a lying upstream or an adverse redirect: the test decides each response of a provider with OpenAI's `/videos`. */

setDefaultTimeout(600_000);

/** Starts a provider with OpenAI's `/videos`. A job id contains the prompt, which selects the responses. */
function startProvider() {
  const asked: string[] = [];
  const keys = new Set<string>();
  const answers = new Map<string, () => Response | Promise<Response>>();
  let jobs = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      keys.add(request.headers.get('authorization') ?? '');
      if (request.method === 'POST') {
        const { prompt, seconds, size } = asObject(await request.json());
        jobs++;
        asked.push(`${prompt} ${seconds ?? '-'} ${size ?? '-'}`);
        return Response.json({ id: `${String(prompt).replaceAll(/\W/g, '-')}.${jobs}`, status: 'queued' });
      }
      const [, name = '', content] = /^\/v1\/videos\/([\w-]+)\.\d+(\/content)?$/.exec(pathname) ?? [];
      const file = answers.get(`${name}/content`);
      if (content !== undefined && file !== undefined) return file();
      if (content !== undefined) return new Response('<b>', { headers: { 'content-type': 'text/html' } });
      const answer = answers.get(name);
      return answer === undefined ? Response.json({ error: { message: 'no such job' } }, { status: 404 }) : answer();
    },
  });
  return {
    ...{ asked, keys, answers, host: `127.0.0.1:${server.port}`, baseUrl: `http://127.0.0.1:${server.port}/v1` },
    stop: () => server.stop(true),
  };
}

const PUBLIC = 'http://192.0.2.1/clip.mp4';

function done(extra: object = {}): () => Response {
  return () => Response.json({ id: 'x', status: 'completed', url: PUBLIC, ...extra });
}

let space: Workspace;
let serving: Serving;
let provider: ReturnType<typeof startProvider>;

beforeAll(async () => {
  provider = startProvider();
  space = await Workspace.create();
  const { baseUrl: base_url } = provider;
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    media: { allow_http: true },
    media_store: { kind: 'none' },
    tasks: { poll_interval_ms: 10, rehost: true },
    channels: [
      {
        ...{ id: 'videos', provider: 'openai-compatible', api_key: 'channel-key', base_url },
        models: { clip: 'clip', second: 'second', words: 'words', gift: 'gift', riddle: 'riddle' },
      },
    ],
    models: [
      { id: 'clip', category: 'video', pricing: { per_clip: '0.3' } },
      {
        ...{ id: 'second', category: 'video' },
        pricing: { per_second: '0.1', per_second_variants: { '1080p': '0.5', '4k': '2' } },
      },
      { id: 'words', category: 'video', pricing: { output_per_1m: '10' } },
      { id: 'gift', category: 'video', pricing: 'free' },
      { id: 'riddle', category: 'video', pricing: 'unknown' },
    ],
    accounts: [
      accountWith('rich', [keyNamed('rich'), keyNamed('capped', { limit_usd: '1' })], { requests_per_minute: 100_000 }),
      accountWith('poor', [keyNamed('poor')], { billing: 'prepaid', balance_usd: '1', requests_per_minute: 100_000 }),
      accountWith('empty', [keyNamed('empty')], { billing: 'prepaid' }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await provider?.stop();
});

async function sent(key: string, path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${clientKey(key)}`, 'content-type': 'application/json' };
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  return answerOf(await fetch(`${serving.origin}${path}`, init));
}

function create(key: string, model: string, prompt: string, extra: object = {}): Promise<Answer> {
  return sent(key, '/v1/videos/generations', { model, prompt, ...extra });
}

async function finished({ json }: Answer, key: string): Promise<Readonly<Record<string, unknown>>> {
  let task: Readonly<Record<string, unknown>> = {};
  await until('the task is final', async () => {
    task = (await sent(key, String(json.poll_url))).json;
    return task.status === 'completed' || task.status === 'failed';
  });
  return task;
}

function rows<Row>(sql: string, ...values: string[]): readonly Row[] {
  const database = new Database(space.database, { readonly: true });
  try {
    return database.query<Row, string[]>(sql).all(...values);
  } finally {
    database.close();
  }
}

function chargedUsd({ headers }: Answer): number {
  const sql = "SELECT -amount_nano AS amount FROM ledger_entries WHERE request_id = ? AND kind = 'charge'";
  return (
    rows<{ amount: number }>(sql, headers.get('x-request-id') ?? '').reduce((sum, one) => sum + one.amount, 0) / 1e9
  );
}

describe('an unknown option', () => {
  test.each(['poor', 'capped', 'rich'])('is refused over a shared channel for the key %s', async (key) => {
    for (const name of ['service_tier', 'remix_video_id']) {
      const answer = await create(key, 'clip', 'options', { provider_options: { [name]: 'x' } });
      expect(verdict(answer)).toBe('400 invalid_request_error unsupported_parameter');
      expect(answer.error.param).toBe(`provider_options.${name}`);
    }
    expect(provider.asked.filter((one) => one.startsWith('options'))).toEqual([]);
  });
});

describe('a video', () => {
  test.each([
    ['720p', 0.1],
    ['1080p', 0.5],
    ['1081p', 0.5],
    ['1440p', 0.5],
    ['4k', 2],
    ['8k', 2],
  ])('in %s costs at least as much as a smaller one', async (resolution, usd) => {
    provider.answers.set('odd', done());
    const created = await create('rich', 'second', 'odd', { duration: 1, resolution });
    await finished(created, 'rich');
    expect(chargedUsd(created)).toBeCloseTo(usd, 9);
  });
});

describe('an upstream that reports', () => {
  test.each<readonly [about: string, model: string, asked: object, said: object, usd: number]>([
    ['a longer video', 'second', { duration: 4 }, { seconds: 4_000 }, 0.4],
    ['a shorter one', 'second', { duration: 4 }, { seconds: 2 }, 0.2],
    ['a larger one', 'second', { duration: 4, size: '1280x720' }, { size: '3840x2160' }, 0.4],
    ['no length', 'second', { duration: 3 }, { seconds: -1 }, 0.3],
    // The whole reservation: the longest length that the gateway assumes, at the highest price.
    ['a length without a requested one', 'second', {}, { seconds: 86_400 }, 30],
    ['a size without a requested one', 'second', {}, { seconds: 86_400, size: '3840x2160' }, 30],
    ['more clips', 'clip', { duration: 3 }, { seconds: 1e300, n: 10, outputs: [{}, {}] }, 0.3],
  ])('%s cannot charge more than the reservation', async (about, model, asked, said, usd) => {
    provider.answers.set(about.replaceAll(' ', '-'), done(said));
    const created = await create('rich', model, about, asked);
    expect(await finished(created, 'rich')).toMatchObject({ status: 'completed' });
    expect(chargedUsd(created)).toBeCloseTo(usd, 9);
  });
});

describe('results', () => {
  test.each([
    ['script', { url: 'javascript:alert(1)' }],
    ['page', { url: 'data:text/html;base64,PGI+' }],
    ['file', { url: 'file:///etc/passwd' }],
    ['endless', { url: `https://example.com/${'a'.repeat(1_000_000)}` }],
    ['none', { video_url: null, outputs: [] }],
  ])('with an invalid URL never reach the client: %s', async (name, said) => {
    provider.answers.set(name, () => Response.json({ id: 'x', status: 'completed', ...said }));
    const created = await create('rich', 'clip', name);
    const task = await finished(created, 'rich');
    // The gateway stores no files here, and the provider only serves this one with the channel's key.
    expect(task).toMatchObject({ status: 'failed', error: expect.stringContaining('does not store files') });
    expect(chargedUsd(created)).toBe(0);
  });

  test('keep the upstream’s URL if they cannot be copied', async () => {
    provider.answers.set('public', done());
    const created = await create('rich', 'clip', 'public');
    expect(await finished(created, 'rich')).toMatchObject({ status: 'completed', data: [{ url: PUBLIC }] });
  });

  test.each([302, 307, 308])('and polls do not follow a %i to another host', async (status) => {
    const received: string[] = [];
    const thief = Bun.serve({
      ...{ hostname: '127.0.0.1', port: 0 },
      fetch: ({ headers, url }) => {
        received.push(url, ...headers.values());
        return Response.json({ id: 'x', status: 'completed', url: PUBLIC });
      },
    });
    let asked = 0;
    const away = () => {
      asked++;
      const location = `http://127.0.0.1:${thief.port}/v1/videos/x`;
      return new Response('', { status, headers: { location } });
    };
    provider.answers.set('led', away);
    provider.answers.set('file-led', () => Response.json({ id: 'x', status: 'completed' }));
    provider.answers.set('file-led/content', away);
    for (const name of ['led', 'file-led']) {
      expect((await create('empty', 'gift', name)).status).toBe(200);
      const before = asked;
      await until('the job is polled twice', () => asked > before + 1);
    }
    await thief.stop(true);
    expect(received).toEqual([]);
  });

  test('are fetched with the channel’s key, and only from the channel', () => {
    expect([...provider.keys]).toEqual(['Bearer channel-key']);
  });
});

describe('concurrent requests', () => {
  test.each([
    // Three requests cost 0.9 of 1 USD.
    ['poor', 3],
    ['capped', 3],
  ])('cannot spend more than the key %s has', async (key, most) => {
    provider.answers.set('many', done());
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(key, 'clip', 'many')));
    const taken = answers.filter(({ status }) => status === 200);
    expect({ taken: taken.length, refused: answers.filter(({ status }) => status === 402).length }).toEqual({
      ...{ taken: most, refused: 20 - most },
    });
    for (const one of taken) expect(await finished(one, key)).toMatchObject({ status: 'completed' });
    expect(verdict(await create(key, 'clip', 'many'))).toMatch(/^402 /);
    expect((await space.run(['ledger', 'verify'])).exitCode).toBe(0);
    const open = await space.run([
      'ledger',
      'reservations',
      'list',
      '--account',
      key === 'poor' ? 'poor' : 'rich',
      '--json',
    ]);
    expect(JSON.parse(open.stdout)).toEqual([]);
  });

  test('need no balance if they are free, and are refused without a known price', async () => {
    provider.answers.set('gift', done());
    const created = await create('empty', 'gift', 'gift');
    expect(await finished(created, 'empty')).toMatchObject({ status: 'completed' });
    expect(verdict(await create('empty', 'riddle', 'riddle'))).toBe('403 access_denied model_not_allowed');
    expect(verdict(await create('empty', 'clip', 'clip'))).toBe('402 insufficient_balance insufficient_balance');
  });
});
