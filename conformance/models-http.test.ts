import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { clientKey } from './first-light/upstream.ts';
import { idsOf } from './models/objects.ts';
import { type AskOptions, eventually, KEYS, World } from './models/world.ts';
import { asArray, asObject } from './shared/json.ts';
import { until } from './shared/until.ts';

/* HTTP behaviour of the lists of models and prices: validators, methods, and when a representation changes. */

setDefaultTimeout(600_000);

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;
const at = (timeMs: number) => new Date(timeMs).toISOString();
/** A model whose next price starts in a year, so that nothing changes while the validators are tested. */
const DATED = {
  id: 'dated',
  pricing: [
    { input_per_1m: '1', output_per_1m: '10' },
    { effective_from: at(Date.now() - YEAR_MS), input_per_1m: '2', output_per_1m: '20' },
    { effective_from: at(Date.now() + YEAR_MS), input_per_1m: '3', output_per_1m: '30' },
  ],
};
const priced = (pricing: unknown) => ({ models: [DATED, { id: 'priced', pricing }] });
const AT_FIRST = priced({ input_per_1m: '0.5' });

const PATHS: readonly string[] = [
  '/v1/models',
  '/v1/models?category=chat',
  '/v1/models?tag=fast',
  '/v1/models/lumen-7b',
  '/v1/models/studio/melody-1',
  '/v1/pricing',
  '/v1/pricing?model=lumen-7b',
  '/v1beta/models',
  '/v1beta/models?pageSize=2',
  '/v1beta/models/lumen-7b',
];

let world: World;

beforeAll(async () => {
  world = await World.start(AT_FIRST);
  // Success rates are computed right after the start and stay fresh for five minutes.
  await until('the ranks are computed', () => countedAtMs() !== null);
});
afterAll(() => world.stop());

/** Returns when the stored success rates were computed, in milliseconds since 1970; `null` before that. */
function countedAtMs(): number | null {
  const database = new Database(world.space.database, { readonly: true });
  try {
    return database.query<{ at_ms: number | null }, []>('SELECT at_ms FROM success_snapshot').get()?.at_ms ?? null;
  } finally {
    database.close();
  }
}

async function etagOf(path: string, options: AskOptions = {}): Promise<string> {
  const { status, headers } = await world.ask(path, options);
  expect([path, status]).toEqual([path, 200]);
  return headers.get('etag') ?? expect.unreachable();
}

async function etags(): Promise<readonly string[]> {
  const tags: string[] = [];
  for (const path of PATHS) tags.push(await etagOf(path));
  return tags;
}

describe('an entity tag', () => {
  test('is strong, and stays the same while the representation does', async () => {
    for (const path of PATHS) {
      const [first, second] = [await world.ask(path), await world.ask(path)];
      expect(first.headers.get('etag')).toMatch(/^"[\w-]+"$/);
      expect([path, second.headers.get('etag'), second.text]).toEqual([path, first.headers.get('etag'), first.text]);
    }
  });

  test('differs by URL', async () => {
    const tags = await etags();
    expect(new Set(tags).size).toBe(PATHS.length);
  });

  test('differs by key if the keys see different models', async () => {
    const keys = [KEYS.owner, KEYS.narrow, KEYS.other];
    const tags = await Promise.all(keys.map((key) => etagOf('/v1/models', { key })));
    expect(new Set(tags).size).toBe(keys.length);
  });

  test('differs by vendor format', async () => {
    const words = [{}, { 'anthropic-version': '1' }, { 'x-goog-api-client': 'a' }];
    const tags = await Promise.all(words.map((headers) => etagOf('/v1/models', { headers })));
    expect(new Set(tags).size).toBe(words.length);
  });

  test("comes with headers that make each caller's cache revalidate", async () => {
    for (const path of PATHS) {
      const { headers } = await world.ask(path);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      const varying = (headers.get('vary') ?? '').split(', ');
      expect(varying).toEqual(expect.arrayContaining(['authorization', 'x-api-key', 'x-goog-api-key']));
    }
  });
});

describe('If-None-Match', () => {
  const other = '"another-tag"';

  test.each<[string, (etag: string) => string]>([
    ['the tag', (etag) => etag],
    ['the tag as a weak tag', (etag) => `W/${etag}`],
    ['a list with the tag', (etag) => `${other}, ${etag}`],
    ['a list with the tag as a weak tag, without spaces', (etag) => `W/${other},W/${etag},${other}`],
    ['*', () => '*'],
  ])('%s: 304, without a body and with the tag', async (_name, written) => {
    for (const path of PATHS) {
      const etag = await etagOf(path);
      const { status, text, headers } = await world.ask(path, { headers: { 'if-none-match': written(etag) } });
      expect([path, status, text, headers.get('etag')]).toEqual([path, 304, '', etag]);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toContain('authorization');
      expect(headers.get('x-ratelimit-limit')).toBe('1000000');
      expect(headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  test.each<[string, (etag: string) => string]>([
    ['another tag', () => other],
    ['a list of other tags', () => `${other}, W/${other}`],
    ['the tag without quotes', (etag) => etag.slice(1, -1)],
    ['nothing', () => ''],
  ])('%s: the whole response', async (_name, written) => {
    for (const path of PATHS) {
      const { text, headers } = await world.ask(path);
      const ifNoneMatch = written(headers.get('etag') ?? '');
      const again = await world.ask(path, { headers: { 'if-none-match': ifNoneMatch } });
      expect([path, again.status, again.text]).toEqual([path, 200, text]);
    }
  });

  test("the tag of another key's response: the whole response", async () => {
    const etag = await etagOf('/v1/models', { key: KEYS.owner });
    const { status } = await world.ask('/v1/models', { key: KEYS.other, headers: { 'if-none-match': etag } });
    expect(status).toBe(200);
  });

  test('`*` does not turn a 401, 404 or 400 into a 304', async () => {
    const headers = { 'if-none-match': '*' };
    expect((await world.ask('/v1/models', { key: null, headers })).status).toBe(401);
    expect((await world.ask('/v1/models/nowhere', { headers })).status).toBe(404);
    expect((await world.ask('/v1/models?category=x', { headers })).status).toBe(400);
  });
});

describe('HEAD', () => {
  test('has the headers of GET and no body', async () => {
    for (const path of PATHS) {
      const [head, get] = [await world.ask(path, { method: 'HEAD' }), await world.ask(path)];
      expect([path, head.status, head.text]).toEqual([path, 200, '']);
      for (const name of ['etag', 'content-type', 'content-length', 'cache-control', 'vary']) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)]);
      }
    }
  });

  test('has the 304, 404, 400 and 401 of GET', async () => {
    const etag = await etagOf('/v1/models');
    const asked: readonly (readonly [number, string, AskOptions])[] = [
      [304, '/v1/models', { headers: { 'if-none-match': etag } }],
      [404, '/v1/models/nowhere', {}],
      [400, '/v1beta/models?pageSize=0', {}],
      [401, '/v1/pricing', { key: null }],
    ];
    for (const [expected, path, options] of asked) {
      const { status, text } = await world.ask(path, { method: 'HEAD', ...options });
      expect([path, status, text]).toEqual([path, expected, '']);
    }
  });
});

describe('another method: 405, with Allow', () => {
  const openai = { error: { type: 'invalid_request_error', code: 'method_not_allowed' } };
  const anthropic = { type: 'error', error: { type: 'invalid_request_error', code: 'method_not_allowed' } };
  const google = { error: { code: 405, status: 'UNIMPLEMENTED' } };

  test.each<[string, string, Readonly<Record<string, string>>, object]>([
    ['POST', '/v1/models', {}, openai],
    ['PUT', '/v1/models', {}, openai],
    ['POST', '/v1/models', { 'anthropic-version': '1' }, anthropic],
    ['DELETE', '/v1/models/lumen-7b', {}, openai],
    ['POST', '/v1/models/lumen-7b', {}, openai],
    ['POST', '/v1/models/studio/mesh:turbo', {}, openai],
    ['PATCH', '/v1/models/lumen-7b', { 'x-goog-api-client': 'a' }, google],
    ['POST', '/v1/pricing', {}, openai],
    ['DELETE', '/v1/pricing', {}, openai],
    ['POST', '/v1beta/models', {}, google],
    ['DELETE', '/v1beta/models/lumen-7b', {}, google],
  ])('%s %s %j', async (method, path, headers, expected) => {
    const answer = await world.ask(path, { method, headers, ...(method === 'DELETE' ? {} : { body: {} }) });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(answer.json).toMatchObject(expected);
  });

  test('GET of an inference endpoint answers that it takes POST', async () => {
    const answer = await world.ask('/v1beta/models/lumen-7b:generateContent');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});

describe('a price by date', () => {
  const pricesOf = async (id: string) =>
    asObject(asObject(asArray((await world.ask(`/v1/pricing?model=${id}`)).json.data)[0]).pricing);

  test('is shown as currently in force', async () => {
    expect(await pricesOf('dated')).toMatchObject({ input_per_1m: '2', output_per_1m: '20' });
    const all = asArray((await world.ask('/v1/pricing')).json.data).map(asObject);
    expect(all.find(({ model }) => model === 'dated')?.pricing).toEqual(await pricesOf('dated'));
  });

  test('changes on its effective date, together with the entity tags', async () => {
    const soonMs = world.clock.nowMs() + MINUTE_MS;
    const pricing = [{ input_per_1m: '0.5' }, { effective_from: at(soonMs), per_request: '0.25' }];
    await world.apply(priced(pricing));
    const paths = ['/v1/pricing', '/v1/pricing?model=priced', '/v1/models', '/v1/models/priced'];
    await eventually(
      () => pricesOf('priced'),
      ({ input_per_1m: price }) => price === '0.5',
    );
    const early = await Promise.all(paths.map((path) => etagOf(path)));
    // This is less than the five minutes for which the success rates stay fresh.
    world.clock.advance(MINUTE_MS);
    await eventually(
      () => pricesOf('priced'),
      ({ per_request: price }) => price === '0.25',
    );
    expect(await pricesOf('priced')).toMatchObject({ input_per_1m: null, per_request: '0.25', is_lock_price: true });
    const { vendor } = asObject((await world.ask('/v1/models/priced')).json);
    expect(asObject(vendor).pricing_unit).toBe('per_request');
    const late = await Promise.all(paths.map((path) => etagOf(path)));
    expect(late.filter((etag, index) => etag === early[index])).toEqual([]);
  });
});

describe('a configuration that is applied again', () => {
  test('changes prices and their entity tags if a price differs', async () => {
    await world.apply(AT_FIRST);
    const [all, one, another] = ['/v1/pricing', '/v1/pricing?model=priced', '/v1/pricing?model=lumen-7b'];
    const priceIs = (price: string) =>
      eventually(
        () => world.ask(one),
        ({ text }) => text.includes(`"input_per_1m":"${price}"`),
      );
    await priceIs('0.5');
    const before = await Promise.all([all, one, another].map((path) => etagOf(path)));
    expect(await world.apply(priced({ input_per_1m: '0.75' }))).toContain('updated  model priced');
    await priceIs('0.75');
    const after = await Promise.all([all, one, another].map((path) => etagOf(path)));
    expect(after.map((etag, index) => etag === before[index])).toEqual([false, false, true]);
  });

  test('changes no entity tag if nothing differs, nor does a restart', async () => {
    const before = await etags();
    expect(await world.apply(priced({ input_per_1m: '0.75' }))).toContain('0 updated');
    expect(await etags()).toEqual(before);
    await world.restart();
    expect(await eventually(etags, (now) => now.join() === before.join())).toEqual(before);
  });

  test('shows an added model and hides a removed one', async () => {
    await world.apply({ models: [{ id: 'a-new-one' }] });
    const ids = await eventually(
      () => idsOf(world, '/v1/models'),
      (now) => now.includes('a-new-one'),
    );
    expect(ids).not.toContain('priced');
    expect((await world.ask('/v1/models/priced')).status).toBe(404);
    expect((await world.ask('/v1/models/a-new-one')).status).toBe(200);
  });

  test('removes a key’s access to the lists at once', async () => {
    const headers = { authorization: `Bearer ${clientKey('spare')}` };
    expect((await world.ask('/v1/models', { key: null, headers })).status).toBe(200);
    await world.command(['keys', 'revoke', clientKey('spare')]);
    await eventually(
      () => world.ask('/v1/models', { key: null, headers }),
      ({ status }) => status === 401,
    );
  });
});

describe('discovery.vendor_key', () => {
  test('renames the member with the metadata, in lists and details', async () => {
    const branded = await World.start({ settings: { discovery: { vendor_key: 'acme' } } });
    try {
      const [list, detail] = [await branded.ask('/v1/models'), await branded.ask('/v1/models/lumen-7b')];
      const members = ['id', 'object', 'created', 'owned_by', 'acme'];
      for (const model of [...asArray(list.json.data), detail.json]) {
        expect(Object.keys(asObject(model))).toEqual(members);
      }
      expect(asObject(detail.json.acme).category).toBe('chat');
    } finally {
      await branded.stop();
    }
  });
});
