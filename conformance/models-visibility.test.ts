import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { clientKey } from './first-light/upstream.ts';
import { describeTable } from './models/describe-table.ts';
import { detailOf, geminiIds, idsOf, listOf } from './models/objects.ts';
import { type AskOptions, KEYS, NARROW_LIST, NOWHERE, PACED_LIMIT, UNSEEN, World } from './models/world.ts';
import type { Answer } from './shared/answer.ts';
import { asArray, asObject } from './shared/json.ts';

/* Which models a key can see, and the errors for those that it cannot (contract, Authentication, and Errors, rule 1). */

setDefaultTimeout(600_000);

let world: World;

beforeAll(async () => {
  world = await World.start();
  await world.command(['keys', 'revoke', clientKey(KEYS.revoked)]);
});
afterAll(() => world.stop());

/** Resolves to all ids that the four lists show to a key. */
async function everywhere(key: string | null): Promise<Readonly<Record<string, readonly string[]>>> {
  const prices = asArray((await world.ask('/v1/pricing', { key })).json.data).map((one) => String(asObject(one).model));
  const anthropic = await world.ask('/v1/models?limit=1000', { key, headers: { 'anthropic-version': '2023-06-01' } });
  return {
    models: await idsOf(world, '/v1/models', { key }),
    pricing: prices,
    "Anthropic's": asArray(anthropic.json.data)
      .map((one) => String(asObject(one).id))
      .sort(),
    v1beta: await geminiIds(world, '', { key }),
  };
}

/** The calls that name a model, each in the format of its client. */
const CALLS: readonly (readonly [name: string, (id: string) => readonly [path: string, options: AskOptions]])[] = [
  ['GET /v1/models/{model}', (id) => [`/v1/models/${id}`, {}]],
  ['GET /v1/models/{model} of Anthropic', (id) => [`/v1/models/${id}`, { headers: { 'anthropic-version': '1' } }]],
  ['GET /v1beta/models/{model}', (id) => [`/v1beta/models/${id}`, {}]],
  ['GET /v1/pricing?model=', (id) => [`/v1/pricing?model=${id}`, {}]],
  ['POST /v1/chat/completions', (model) => ['/v1/chat/completions', post({ model, messages: HELLO })]],
  ['POST /v1/responses', (model) => ['/v1/responses', post({ model, input: 'Hello!', store: false })]],
  ['POST /v1/messages', (model) => ['/v1/messages', post({ model, max_tokens: 9, messages: HELLO })]],
  [
    'POST /v1beta/models/{model}:generateContent',
    (id) => [
      `/v1beta/models/${id}:generateContent`,
      post({ contents: [{ role: 'user', parts: [{ text: 'Hello!' }] }] }),
    ],
  ],
];
const HELLO = [{ role: 'user', content: 'Hello!' }];

function post(body: object): AskOptions {
  return { method: 'POST', body };
}

describe('a list shows only models that the key may use', () => {
  test('the owner of private channels sees their models', async () => {
    for (const [list, ids] of Object.entries(await everywhere(KEYS.owner))) {
      expect([list, ids]).toEqual([
        list,
        expect.arrayContaining(['secret-model', 'shared-model', ...UNSEEN["another account's"]]),
      ]);
    }
  });

  test('another account sees all models except those', async () => {
    const [own, others] = await Promise.all([everywhere(KEYS.owner), everywhere(KEYS.other)]);
    const secret: readonly string[] = ['secret-model', ...UNSEEN["another account's"]];
    for (const [list, ids] of Object.entries(others)) {
      expect([list, ids]).toEqual([list, own[list]?.filter((id) => !secret.includes(id)) ?? []]);
    }
  });

  test('all lists agree', async () => {
    for (const key of [KEYS.owner, KEYS.other, KEYS.narrow]) {
      const { models = [], ...others } = await everywhere(key);
      expect(models).not.toEqual([]);
      for (const [list, ids] of Object.entries(others)) expect([key, list, ids]).toEqual([key, list, models]);
    }
  });

  test("a key's allow-list narrows it, including patterns and private models", async () => {
    const ids = ['gpt-4.1-mini', 'secret-model', 'studio/melody-1', 'studio/mesh:turbo'];
    expect(await idsOf(world, '/v1/models', { key: KEYS.narrow })).toEqual(ids);
    expect(NARROW_LIST).toHaveLength(3);
  });

  test('models that are hidden, on hold, or served by no channel are in no list', async () => {
    const unseen: readonly string[] = [UNSEEN.hidden, UNSEEN.held, UNSEEN['not served and not declared public']].flat();
    for (const ids of Object.values(await everywhere(KEYS.owner))) {
      expect(ids.filter((id) => unseen.includes(id))).toEqual([]);
    }
  });

  test('the generative-content list shows the public models without a key', async () => {
    expect(await geminiIds(world, '', { key: null })).toEqual(await geminiIds(world, '', { key: KEYS.other }));
  });

  test('the ranks of a scene count only the models that the key may use', async () => {
    const models = await listOf(world, '/v1/models?recommended_for=music', { key: KEYS.narrow });
    const preference = asObject(asObject(models[0]?.vendor.agent_preferences).music);
    expect([models.length, models[0]?.id, preference.preferred_rank]).toEqual([1, 'studio/melody-1', 1]);
  });
});

describe('a private channel', () => {
  test('adds no provider, price or maker to a model that others see', async () => {
    const others = await detailOf(world, 'shared-model', { key: KEYS.other });
    expect(others.whole.owned_by).toBe('openai-compatible');
  });

  test.each(['provider=secret-maker', 'tag=secret-tag'])(
    'cannot be found with ?%s, nor in the values that the refusal lists',
    async (query) => {
      const wrong = `${query.split('=')[0]}=no-such-thing`;
      const [asked, compared] = [
        await world.ask(`/v1/models?${query}`, { key: KEYS.other }),
        await world.ask(`/v1/models?${wrong}`, { key: KEYS.other }),
      ];
      expect(compared.text).not.toContain('secret');
      expect(asked.status).toBe(400);
      expect((await world.ask(`/v1/models?${query}`)).status).toBe(200);
    },
  );

  test('lists nothing to others by its provider, like a provider without channels', async () => {
    const [ofPrivate, ofNone] = [
      await world.ask('/v1/models?provider=vllm', { key: KEYS.other }),
      await world.ask('/v1/models?provider=sambanova', { key: KEYS.other }),
    ];
    expect([ofPrivate.status, ofPrivate.text]).toEqual([200, ofNone.text]);
    expect((await world.ask('/v1/models?provider=vllm')).text).toContain('secret-model');
  });

  test.each(['secret-modle', 'secret', 'secret-model2'])('is not suggested for %s', async (misspelt) => {
    for (const [name, call] of CALLS) {
      const [path, options] = call(misspelt);
      expect([name, (await world.ask(path, { ...options, key: KEYS.other })).text]).toEqual([
        name,
        expect.not.stringContaining('secret-model`'),
      ]);
    }
    expect((await world.ask(`/v1/models/${misspelt}`)).error.did_you_mean).toBe('secret-model');
  });

  test('is not found without a key', async () => {
    expect((await world.ask('/v1beta/models/secret-model', { key: null })).status).toBe(404);
    expect((await world.ask('/v1beta/models/gpt-4.1-mini', { key: null })).status).toBe(200);
  });
});

describe('the 404 is byte for byte the same for a hidden and a missing model', () => {
  for (const [way, ids] of Object.entries(UNSEEN)) {
    describe(way, () => {
      test.each(CALLS)('%s', async (_name, call) => {
        for (const [index, id] of ids.entries()) {
          const nowhere = NOWHERE[index] ?? expect.unreachable();
          const [there, absent] = await Promise.all([told(call, id), told(call, nowhere)]);
          expect(there).toEqual(absent);
          expect(there.status).toBe(404);
        }
      });
    });
  }

  async function told(call: (typeof CALLS)[number][1], id: string) {
    const [path, options] = call(id);
    const { status, text, headers } = await world.ask(path, { ...options, key: KEYS.other });
    const varying = [
      ...['x-request-id', 'request-id', 'date', 'openai-processing-ms'],
      ...['x-ratelimit-remaining', 'x-ratelimit-reset', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
      ...['anthropic-ratelimit-requests-remaining', 'anthropic-ratelimit-requests-reset'],
    ];
    const names = [...headers].filter(([name]) => !varying.includes(name));
    return {
      status,
      text: text.replaceAll(id, '{id}').replace(/req_[\w-]+/, '{request}'),
      headers: names,
      varying: varying.filter((name) => headers.has(name)),
    };
  }

  test('and suggests similar models that the key may use', async () => {
    const { error } = await world.ask(`/v1/models/${UNSEEN.hidden[1]}`, { key: KEYS.other });
    expect(error.did_you_mean).toBe('lumen-7b');
  });

  test('and names no model that the key may not use', async () => {
    const { text } = await world.ask('/v1/models/gpt-4.1-mimi', { key: KEYS.narrow });
    expect(text).toContain('gpt-4.1-mini');
    const far = await world.ask('/v1/models/qqzz-nnnn', { key: KEYS.narrow });
    const named = [...String(far.error.hint).matchAll(/`([^`]+)`/g)].map(([, id]) => id);
    expect(named).toEqual((await idsOf(world, '/v1/models', { key: KEYS.narrow })) as string[]);
  });
});

describe('a model without a channel', () => {
  test('is listed if declared public, and has a detail and a price', async () => {
    expect(await idsOf(world, '/v1/models?provider=soon')).toEqual(['announced']);
    expect((await detailOf(world, 'announced')).whole.owned_by).toBe('soon');
    const { json } = await world.ask('/v1/pricing?model=announced');
    expect(asArray(json.data)).toMatchObject([{ model: 'announced', pricing: { input_per_1m: '9' } }]);
  });

  test.each(CALLS.filter(([name]) => name.startsWith('POST')))(
    '%s answers 503 all_channels_failed',
    async (_name, call) => {
      const [path, options] = call('announced');
      const { status, text, headers } = await world.ask(path, options);
      expect([status, text]).toEqual([503, expect.stringContaining('all_channels_failed')]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  test('and the 503 suggests usable models', async () => {
    const { error } = await world.ask('/v1/chat/completions', post({ model: 'announced', messages: HELLO }));
    const alternatives = asArray(error.alternatives).map(asObject);
    expect(alternatives.length).toBeGreaterThan(0);
    for (const one of alternatives) {
      expect(one).toEqual({ id: expect.any(String), status: 'available', tags: expect.any(Array) });
      expect((await detailOf(world, String(one.id))).category).toBe('chat');
    }
  });
});

describe('an image model at a chat endpoint: 400 model_not_found, with a hint to POST /v1/images/generations', () => {
  const id = 'gpt-image-2.6-flare';
  const ask = (name: string): Promise<Answer> => {
    const [, call] = CALLS.find(([one]) => one === name) ?? expect.unreachable();
    const [path, options] = call(id);
    return world.ask(path, options);
  };

  test.each(['POST /v1/chat/completions', 'POST /v1/responses'])('%s', async (name) => {
    const { status, json, error } = await ask(name);
    expect([status, Object.keys(json)]).toEqual([400, ['error']]);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'model_not_found', param: 'model' });
    expect(error.hint).toContain('POST /v1/images/generations');
  });

  test('POST /v1/messages', async () => {
    const { status, json, error } = await ask('POST /v1/messages');
    expect([status, json.type]).toEqual([400, 'error']);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'model_not_found', param: 'model' });
    expect(error.hint).toContain('POST /v1/images/generations');
  });

  test('POST /v1beta/models/{model}:generateContent', async () => {
    const { status, error } = await ask('POST /v1beta/models/{model}:generateContent');
    expect([status, error.code, error.status]).toEqual([400, 400, 'INVALID_ARGUMENT']);
    const { metadata } = asObject(asArray(error.details)[0]);
    expect(metadata).toMatchObject({ code: 'model_not_found', param: 'model' });
    expect(asObject(metadata).hint).toContain('POST /v1/images/generations');
  });

  test('the hint names an endpoint of the public contract', async () => {
    const { vendor } = await detailOf(world, id);
    expect(asObject(vendor.public_contract).request_endpoint).toBe('/v1/images/generations');
  });
});

/** The rows about keys and models, tested at the endpoints that list models. */
const ABOUT_MODELS = /^(401|403|429)$|^400 \/ 404$/;

describeTable(
  'Types and codes',
  {
    heading: '### Types and codes',
    rows: ([status = '', , code]) => ABOUT_MODELS.test(status) && code !== '`access_denied`',
  },
  [
    {
      cells: ['401', '`invalid_api_key`', '`invalid_api_key`', 'missing or invalid key'],
      check: async () => {
        for (const path of ['/v1/models', '/v1/models/lumen-7b', '/v1/pricing']) {
          for (const options of [{ key: null }, { key: 'nobody' }]) {
            const { status, error } = await world.ask(path, options);
            expect([path, status, error.type, error.code]).toEqual([path, 401, 'invalid_api_key', 'invalid_api_key']);
          }
        }
      },
    },
    {
      cells: ['401', '`expired_api_key`', '`expired_api_key`', 'key revoked'],
      check: async () => {
        for (const path of ['/v1/models', '/v1/models/lumen-7b', '/v1/pricing']) {
          const { status, error } = await world.ask(path, { key: KEYS.revoked });
          expect([path, status, error.type, error.code]).toEqual([path, 401, 'expired_api_key', 'expired_api_key']);
        }
        const { status, text } = await world.ask('/v1beta/models', { key: KEYS.revoked });
        expect([status, text]).toEqual([401, expect.stringContaining('expired_api_key')]);
      },
    },
    {
      cells: ['403', '`access_denied`', '`model_not_allowed`', 'model not allowed for this key'],
      check: async () => {
        for (const path of ['/v1/models/lumen-7b', '/v1/pricing?model=lumen-7b']) {
          const { status, error } = await world.ask(path, { key: KEYS.narrow });
          expect([path, status, error.type, error.code]).toEqual([path, 403, 'access_denied', 'model_not_allowed']);
          expect(error.param).toBe('model');
        }
        const google = await world.ask('/v1beta/models/lumen-7b', { key: KEYS.narrow });
        expect([google.status, google.error.status]).toEqual([403, 'PERMISSION_DENIED']);
      },
    },
    {
      cells: [
        '400 / 404',
        '`invalid_request_error`',
        '`model_not_found`',
        'model unavailable through the public contract; `param` is `model`; may carry `did_you_mean`, `suggestions`, `hint`',
      ],
      check: async () => {
        const { status, error } = await world.ask('/v1/models/lumen-7z', { key: KEYS.other });
        expect(status).toBe(404);
        expect(error).toEqual({
          message: expect.any(String),
          type: 'invalid_request_error',
          code: 'model_not_found',
          param: 'model',
          did_you_mean: 'lumen-7b',
          suggestions: expect.arrayContaining([{ id: 'lumen-7b' }]),
          hint: expect.any(String),
        });
      },
    },
    {
      cells: ['429', '`rate_limit_exceeded`', '`rate_limit_exceeded`', 'role rate limit exceeded'],
      check: async () => {
        // Every response of these endpoints counts as a request: 200, 304, 400 and 404 alike.
        const etag = (await world.ask('/v1/models', { key: KEYS.paced })).headers.get('etag') ?? '';
        const asked: readonly (readonly [string, number, AskOptions?])[] = [
          ['/v1/models', 304, { headers: { 'if-none-match': etag } }],
          ['/v1/models', 200, { method: 'HEAD' }],
          ['/v1/models/lumen-7b', 200],
          ['/v1/models/nowhere', 404],
          ['/v1/models?category=x', 400],
          ['/v1/pricing', 200],
          ['/v1beta/models', 200],
          ['/v1beta/models?pageSize=0', 400],
          ['/v1beta/models/lumen-7b', 200],
        ];
        for (const [index, [path, status, options]] of asked.entries()) {
          const { headers, ...answer } = await world.ask(path, { key: KEYS.paced, ...options });
          expect([path, answer.status]).toEqual([path, status]);
          expect(headers.get('x-ratelimit-limit')).toBe(String(PACED_LIMIT));
          expect([path, headers.get('x-ratelimit-remaining')]).toEqual([path, String(PACED_LIMIT - 2 - index)]);
          expect(Number(headers.get('x-ratelimit-reset'))).toBeWithin(1, 61);
        }
        for (let count = asked.length + 1; count < PACED_LIMIT; count++)
          await world.ask('/v1/models', { key: KEYS.paced });
        for (const path of ['/v1/models', '/v1/models/lumen-7b', '/v1/pricing']) {
          const { status, error, headers } = await world.ask(path, { key: KEYS.paced });
          expect([status, error.type, error.code]).toEqual([429, 'rate_limit_exceeded', 'rate_limit_exceeded']);
          expect(error).toMatchObject({ retryable: true, hint: expect.any(String) });
          expect(String(error.retry_after)).toBe(headers.get('retry-after') ?? '');
        }
        const google = await world.ask('/v1beta/models', { key: KEYS.paced });
        expect([google.status, google.error.status]).toEqual([429, 'RESOURCE_EXHAUSTED']);
      },
    },
  ],
);

const isOfKeys = ([credential = '']: readonly string[]) => credential.startsWith('API key');

describeTable('Credentials', { heading: '## Authentication', rows: isOfKeys }, [
  {
    cells: ['API key', 'starts with `sk-`', '`Authorization: Bearer <API_KEY>` on all endpoints'],
    check: async () => {
      for (const path of [
        '/v1/models',
        '/v1/models/lumen-7b',
        '/v1/pricing',
        '/v1beta/models',
        '/v1beta/models/lumen-7b',
      ]) {
        expect([path, (await world.ask(path)).status]).toEqual([path, 200]);
      }
      for (const written of [clientKey(KEYS.owner).replace('sk-', 'mt-'), clientKey(KEYS.owner).slice(3)]) {
        const headers = { authorization: `Bearer ${written}` };
        expect((await world.ask('/v1/models', { key: null, headers })).status).toBe(401);
      }
    },
  },
  {
    cells: [
      'API key, messages format',
      'same key',
      "`x-api-key: <API_KEY>` on `/v1/messages`; a version header (named with the vendor's name, `<vendor>-version`) also appears in its usage",
    ],
    check: async () => {
      const headers = { 'x-api-key': clientKey(KEYS.owner) };
      for (const version of [{}, { 'anthropic-version': '2023-06-01' }]) {
        const { status, json } = await world.ask('/v1/models', { key: null, headers: { ...headers, ...version } });
        expect([status, Object.keys(json)]).toEqual([200, ['data', 'has_more', 'first_id', 'last_id']]);
      }
    },
  },
  {
    cells: [
      'API key, generative-content format',
      'same key',
      'query parameter `key`, or a vendor-style API key header, or Bearer',
    ],
    check: async () => {
      const secret = clientKey(KEYS.owner);
      const ids = await geminiIds(world, '');
      expect(ids).toContain('secret-model');
      expect(await geminiIds(world, `?key=${secret}`, { key: null })).toEqual(ids);
      expect(await geminiIds(world, '', { key: null, headers: { 'x-goog-api-key': secret } })).toEqual(ids);
    },
  },
]);

describe('without a key, 401 in the client’s format', () => {
  test.each([
    ['OpenAI', '/v1/models', {}, { error: { type: 'invalid_api_key' } }],
    ['OpenAI', '/v1/pricing', {}, { error: { type: 'invalid_api_key' } }],
    [
      'Anthropic',
      '/v1/models',
      { 'anthropic-version': '1' },
      { type: 'error', error: { type: 'authentication_error' } },
    ],
    [
      'Anthropic',
      '/v1/models/x',
      { 'x-api-key': 'sk-wrong' },
      { type: 'error', error: { type: 'authentication_error' } },
    ],
    ['Google', '/v1/models', { 'x-goog-api-client': 'gl-node/24' }, { error: { status: 'UNAUTHENTICATED' } }],
    ['Google', '/v1/models?key=sk-wrong', {}, { error: { status: 'UNAUTHENTICATED' } }],
    ['Google', '/v1beta/models', { 'x-goog-api-key': 'sk-wrong' }, { error: { status: 'UNAUTHENTICATED' } }],
    ['Google', '/v1beta/models', { authorization: 'Bearer sk-wrong' }, { error: { status: 'UNAUTHENTICATED' } }],
    ['Google', '/v1beta/models?key=sk-wrong', {}, { error: { status: 'UNAUTHENTICATED' } }],
    ['Google', '/v1beta/models/lumen-7b?key=sk-wrong', {}, { error: { status: 'UNAUTHENTICATED' } }],
  ])('%s: %s %j', async (_client, path, headers, expected) => {
    const { status, json } = await world.ask(path, { key: null, headers: headers as Record<string, string> });
    expect(status).toBe(401);
    expect(json).toMatchObject(expected);
  });
});
