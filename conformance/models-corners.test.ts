import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { clientKey } from './first-light/upstream.ts';
import { detailOf, geminiIds, geminiItems, idsOf } from './models/objects.ts';
import { type AskOptions, eventually, KEYS, PACED_LIMIT, World } from './models/world.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';

/* Corner cases that the tables of models and prices do not cover: unusual credentials and URLs, mixed prices, and one id with several owners. */

setDefaultTimeout(600_000);

/** Models with a price per request and a second price. */
const MIXED = [
  { id: 'mixed-tokens', category: 'chat', pricing: { per_request: '0.01', input_per_1m: '1' } },
  { id: 'mixed-image', category: 'image', pricing: { per_request: '0.01', per_image: '0.04' } },
  { id: 'mixed-search', category: 'chat', pricing: { per_request: '0.01', per_web_search: '0.02' } },
  {
    id: 'mixed-tiers',
    category: 'chat',
    pricing: { per_request: '0.01', tiers: [{ above_input_tokens: 200_000, per_request: '0.02' }] },
  },
];
/** Two ids that are spelt almost alike; one is a chat model. */
const NAMESAKES = [
  { id: 'quill-harbor', category: 'chat' },
  { id: 'quill-harper', category: 'image' },
];
const SPARE = 'spare';
const OFF = 'switched-off';

let world: World;

beforeAll(async () => {
  world = await World.start({
    settings: { discovery: { refresh_ms: 1_000, minimum_samples: 2 } },
    models: [...MIXED, ...NAMESAKES],
    unserved: [{ id: 'house-private', status: 'public', name: 'A Private Name', pricing: { input_per_1m: '77' } }],
    channels: [
      { id: 'twin-1', provider: 'openai', owner: KEYS.owner, models: { 'house-twin': 'o3-pro' } },
      { id: 'twin-2', provider: 'openai', owner: KEYS.other, models: { 'house-twin': 'gpt-4.1-mini' } },
      { id: OFF, owner: KEYS.owner, models: ['house-private'] },
    ],
  });
  await world.command(['keys', 'revoke', clientKey(KEYS.revoked)]);
});
afterAll(() => world.stop());

async function pricingOf(id: string, options?: AskOptions) {
  const { status, json } = await world.ask(`/v1/pricing?model=${id}`, options);
  expect([id, status]).toEqual([id, 200]);
  return asObject(asObject(asArray(json.data)[0]).pricing);
}

describe('a price per request', () => {
  test.each(MIXED.map(({ id }) => id))('is not locked if another price can be added: %s', async (id) => {
    const { per_request: price, is_lock_price: isLocked } = await pricingOf(id);
    expect([price, isLocked]).toEqual(['0.01', false]);
  });

  test('is locked if it is the only one', async () => {
    expect(await pricingOf('studio/melody-1')).toMatchObject({ per_request: '0.08', is_lock_price: true });
  });
});

describe('a misspelt model', () => {
  const suggested = (error: Readonly<Record<string, unknown>>) =>
    asArray(error.suggestions)
      .map((one) => String(asObject(one).id))
      .sort();

  test('at a chat endpoint gets suggestions of chat models only', async () => {
    const body = { model: 'quill-harbr', messages: [{ role: 'user', content: 'Hello!' }] };
    const { status, error } = await world.ask('/v1/chat/completions', { method: 'POST', body });
    expect([status, suggested(error)]).toEqual([404, ['quill-harbor']]);
  });

  test('at a list gets suggestions of all categories', async () => {
    const { error } = await world.ask('/v1/models/quill-harbr');
    expect(suggested(error)).toEqual(['quill-harbor', 'quill-harper']);
  });

  test('without a key gets a hint to the list that needs none', async () => {
    const { status, text } = await world.ask('/v1beta/models/qqzz-nnnn', { key: null });
    expect([status, text]).toEqual([404, expect.stringContaining('GET /v1beta/models')]);
  });
});

describe('an Anthropic client gets the header `request-id`', () => {
  const version = { 'anthropic-version': '2023-06-01' };

  test.each<[number, string, AskOptions]>([
    [200, '/v1/models', {}],
    [401, '/v1/models', { key: 'nobody' }],
    [401, '/v1/models/lumen-7b', { key: null }],
    [404, '/v1/models/qqzz-nnnn', {}],
    [400, '/v1/models?category=x', {}],
    [405, '/v1/models', { method: 'DELETE' }],
    [403, '/v1/models/lumen-7b', { key: KEYS.narrow }],
  ])('%d %s %j', async (expected, path, options) => {
    const { status, headers } = await world.ask(path, { ...options, headers: version });
    expect([status, headers.get('request-id')]).toEqual([expected, expect.stringMatching(/^req_/)]);
    expect(headers.get('x-request-id')).toBe(headers.get('request-id'));
  });

  test('429', async () => {
    const paced = { key: KEYS.paced, headers: version };
    for (let count = 0; count < PACED_LIMIT; count++) await world.ask('/v1/models', paced);
    const { status, headers } = await world.ask('/v1/models', paced);
    expect([status, headers.get('request-id')]).toEqual([429, expect.stringMatching(/^req_/)]);
  });
});

test('reading a list updates a key’s last use', async () => {
  const used = async () => {
    const keys = parseJson((await world.command(['keys', 'list', '--account', KEYS.revoked, '--json'])).stdout);
    const spare = asArray(keys)
      .map(asObject)
      .find(({ id }) => id === SPARE);
    return (spare ?? expect.unreachable()).last_used_at;
  };
  expect(await used()).toBeNull();
  await world.ask('/v1/models', { key: SPARE });
  // Uses are written once a second.
  expect(await eventually(used, (time) => time !== null)).toBeString();
});

describe('GET /v1beta/models needs no key but refuses an invalid one', () => {
  const secret = clientKey(KEYS.owner);

  test.each<[string, Record<string, string>]>([
    ['a wrong x-api-key', { 'x-api-key': 'wrong' }],
    ['Basic', { authorization: `Basic ${btoa(`user:${secret}`)}` }],
    ['Basic with the unencoded key', { authorization: `Basic ${secret}` }],
    ['Bearer without a key', { authorization: 'Bearer' }],
    ['a revoked key', { authorization: `Bearer ${clientKey(KEYS.revoked)}` }],
  ])('%s', async (_name, headers) => {
    for (const path of ['/v1beta/models', '/v1beta/models/lumen-7b', '/v1beta/models/qqzz-nnnn']) {
      const { status, error } = await world.ask(path, { key: null, headers });
      expect([path, status, error.status]).toEqual([path, 401, 'UNAUTHENTICATED']);
    }
  });
});

test('every item of the generative-content list has all fields of the contract', async () => {
  const fields = {
    name: expect.stringMatching(/^models\/./),
    version: expect.stringMatching(/./),
    displayName: expect.stringMatching(/./),
    description: expect.stringMatching(/./),
    inputTokenLimit: expect.any(Number),
    outputTokenLimit: expect.any(Number),
    supportedGenerationMethods: expect.any(Array),
    temperature: expect.any(Number),
    topP: expect.any(Number),
    maxTemperature: expect.any(Number),
    topK: expect.any(Number),
  };
  for (const { thinking, ...item } of await geminiItems(world)) {
    expect(item).toEqual(fields);
    const integers = [item.inputTokenLimit, item.outputTokenLimit, item.topK];
    expect([item.name, integers.filter((value) => !Number.isSafeInteger(value))]).toEqual([item.name, []]);
    expect([undefined, true]).toContain(thinking as true | undefined);
  }
});

describe('recommended_for in Google’s format', () => {
  const ASKED = 3;
  const ranked = () => idsOf(world, '/v1/models?recommended_for=image');

  beforeAll(async () => {
    for (const model of ['painter-good', 'painter-poor']) {
      for (let count = 0; count < ASKED; count++) {
        const body = { model, messages: [{ role: 'user', content: `Picture ${count}.` }] };
        await world.ask('/v1/chat/completions', { method: 'POST', body });
      }
    }
    await eventually(
      () => detailOf(world, 'painter-poor'),
      ({ vendor }) => asObject(asObject(vendor.agent_preferences).image).preferred_rank === 2,
    );
  });

  test('is ordered by rank, not by id', async () => {
    const ids = await ranked();
    expect(ids.slice(0, 2)).toEqual(['painter-good', 'painter-poor']);
    expect(ids).not.toEqual(ids.toSorted());
    expect(await geminiIds(world, '?recommended_for=image')).toEqual([...ids]);
    const { json } = await world.ask('/v1/models?recommended_for=image', { headers: { 'x-goog-api-client': 'a' } });
    expect(asArray(json.models).map((item) => asObject(item).name)).toEqual(ids.map((id) => `models/${id}`));
  });

  test.each([1, 2, 3])('is paged, %d at a time', async (size) => {
    const ids: string[] = [];
    let token = '';
    do {
      const query = `recommended_for=image&pageSize=${size}&pageToken=${token}`;
      const { status, json } = await world.ask(`/v1beta/models?${query}`);
      expect(status).toBe(200);
      ids.push(...asArray(json.models).map((item) => String(asObject(item).name).replace('models/', '')));
      token = typeof json.nextPageToken === 'string' ? json.nextPageToken : '';
    } while (token !== '');
    expect(ids).toEqual([...(await ranked())]);
  });
});

test.each(['/v1/models', '/v1beta/models'])('%s/ is the same list as without the slash', async (path) => {
  for (const query of ['', '?category=image']) {
    const [plain, slashed] = [await world.ask(`${path}${query}`), await world.ask(`${path}/${query}`)];
    expect([slashed.status, slashed.text]).toEqual([200, plain.text]);
  }
});

describe('two owners whose private channels serve the same id', () => {
  const priceFor = async (key: string) => String((await pricingOf('house-twin', { key })).input_per_1m);
  /** Resolves to everything that any endpoint shows a key about the model. */
  const told = async (key: string) => {
    const paths = [
      '/v1/models',
      '/v1/models/house-twin',
      '/v1/pricing',
      '/v1/pricing?model=house-twin',
      '/v1beta/models/house-twin',
    ];
    const answers = await Promise.all(paths.map((path) => world.ask(path, { key })));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    const about = (value: unknown): unknown[] => {
      const { data, models, ...one } = asObject(value);
      const all = [...asArray(data), ...asArray(models)];
      return (all.length === 0 ? [one] : all).filter((each) => /"(models\/)?house-twin"/.test(JSON.stringify(each)));
    };
    return JSON.stringify(answers.flatMap(({ json }) => about(json)));
  };

  test('each owner is charged the price of its own channel', async () => {
    const known = String((await pricingOf('gpt-4.1-mini')).input_per_1m);
    expect([await priceFor(KEYS.other), await priceFor(KEYS.owner)]).toEqual([
      known,
      expect.not.stringContaining(known),
    ]);
  });

  test.each([
    [KEYS.owner, 'o3-pro', KEYS.other, 'GPT-4.1 mini'],
    [KEYS.other, 'GPT-4.1 mini', KEYS.owner, 'o3-pro'],
  ])('%s gets the name %s and its price, and nothing about the model of %s', async (key, name, other, othersName) => {
    const [text, price, othersPrice] = [await told(key), await priceFor(key), await priceFor(other)];
    expect([text.includes(name), text.includes(`"${price}"`)]).toEqual([true, true]);
    expect([text.includes(othersName), text.includes(`"${othersPrice}"`)]).toEqual([false, false]);
  });

  test.each([SPARE, null])('another key does not learn that it exists: %p', async (key) => {
    expect(await geminiIds(world, '', { key })).not.toContain('house-twin');
    expect((await world.ask('/v1beta/models/house-twin', { key })).status).toBe(404);
  });
});

describe('a public model that only a private channel serves', () => {
  const told = async (key: string | null) => {
    const { status, text } = await world.ask('/v1beta/models/house-private', { key });
    const isListed = (await geminiIds(world, '', { key })).includes('house-private');
    return [status, isListed, text.includes('A Private Name')];
  };
  const SEEN = [200, true, true];
  const UNSEEN = [404, false, false];

  test('is visible to its owner only', async () => {
    expect(await Promise.all([KEYS.owner, KEYS.other, null].map(told))).toEqual([SEEN, UNSEEN, UNSEEN]);
  });

  test('is visible to nobody while the channel is disabled', async () => {
    await world.command(['channels', 'disable', OFF]);
    await eventually(
      () => told(KEYS.owner),
      ([status]) => status === 404,
    );
    expect(await Promise.all([KEYS.owner, KEYS.other, null].map(told))).toEqual([UNSEEN, UNSEEN, UNSEEN]);
    const { text } = await world.ask('/v1/pricing', { key: KEYS.other });
    expect([text.includes('house-private'), text.includes('"77"')]).toEqual([false, false]);
  });
});
