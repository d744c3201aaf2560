import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { describeTable } from './models/describe-table.ts';
import { detailOf, idsOf, listOf, type ModelObject } from './models/objects.ts';
import { CATEGORIES, KEYS, SCENES, World } from './models/world.ts';
import { asArray, asObject } from './shared/json.ts';

/* The endpoints that list models and prices, and show one: their parameters, with a test for each row of the contract's tables. */

setDefaultTimeout(600_000);

type Fields = Readonly<Record<string, unknown>>;

let world: World;
let list: readonly ModelObject[];
let details: readonly ModelObject[];
let prices: ReadonlyMap<string, Fields>;

beforeAll(async () => {
  world = await World.start();
  list = await listOf(world, '/v1/models');
  details = await Promise.all(list.map(({ id }) => detailOf(world, id)));
  const priced = asArray((await world.ask('/v1/pricing')).json.data).map(asObject);
  prices = new Map(priced.map((entry) => [String(entry.model), entry]));
});
afterAll(() => world.stop());

/** Expects a 400 that names the parameter and lists the valid values. */
async function checkRefused(name: string, values: readonly string[]): Promise<void> {
  for (const wrong of ['nothing-like-it', '']) {
    const { status, error } = await world.ask(`/v1/models?${name}=${wrong}`);
    expect([wrong, status, error.type, error.param]).toEqual([wrong, 400, 'invalid_request_error', name]);
    expect(error.message).toStartWith(`${name} must be one of `);
    for (const value of values) expect(error.message).toContain(`"${value}"`);
  }
}

function translates({ vendor }: ModelObject): boolean {
  return asArray(vendor.supported_operations).includes('audio.translations');
}

describeTable('GET /v1/models', { heading: '#### GET /v1/models' }, [
  {
    cells: [
      'category',
      'string',
      '`chat`, `image`, `video`, `audio`, `tts`, `stt`, `music`, `3d`, `embedding`, `rerank`, `translation`',
    ],
    check: async () => {
      for (const category of CATEGORIES) {
        const isMeant = (model: ModelObject) =>
          model.category === category || (category === 'translation' && translates(model));
        const expected = list.filter(isMeant).map(({ id }) => id);
        expect(expected).not.toEqual([]);
        expect(await idsOf(world, `/v1/models?category=${category}`)).toEqual(expected);
      }
      await checkRefused('category', CATEGORIES);
    },
  },
  {
    cells: [
      'recommended_for',
      'string',
      '`image`, `video`, `music`, `3d`, `tts`, `stt`, `embedding`, `rerank`, `translation`',
    ],
    check: async () => {
      for (const scene of SCENES) {
        const expected = details
          .filter(({ vendor }) => scene in asObject(vendor.agent_preferences))
          .map(({ id }) => id);
        expect(expected).not.toEqual([]);
        expect((await idsOf(world, `/v1/models?recommended_for=${scene}`)).toSorted()).toEqual(expected);
      }
      await checkRefused('recommended_for', SCENES);
      // Chat models have no scene.
      expect((await world.ask('/v1/models?recommended_for=chat')).status).toBe(400);
    },
  },
  {
    cells: ['provider', 'string', 'provider identifier, for example a lowercase provider name'],
    check: async () => {
      const owners = new Set(list.map(({ whole }) => String(whole.owned_by)));
      for (const owner of owners) {
        const expected = list.filter(({ whole }) => whole.owned_by === owner).map(({ id }) => id);
        // The value may also name a provider whose channels serve models of other makers.
        const found = await idsOf(world, `/v1/models?provider=${encodeURIComponent(owner)}`);
        expect(expected.filter((id) => !found.includes(id))).toEqual([]);
      }
      await checkRefused('provider', [...owners]);
    },
  },
  {
    cells: ['tag', 'string', 'model tag such as `chat`, `image`, `video`, `embedding`, `translation`'],
    check: async () => {
      const tagsOf = ({ vendor }: ModelObject) => asArray(asObject(vendor.public_contract).tags).map(String);
      const tags = new Set([...details.flatMap(tagsOf), 'chat', 'image', 'video', 'embedding', 'translation']);
      for (const tag of tags) {
        const expected = details.filter((model) => tagsOf(model).includes(tag)).map(({ id }) => id);
        expect([tag, await idsOf(world, `/v1/models?tag=${encodeURIComponent(tag)}`)]).toEqual([tag, expected]);
      }
      await checkRefused('tag', [...tags]);
    },
  },
]);

describe('GET /v1/models', () => {
  test('has the members object and data, and no others', async () => {
    const { json } = await world.ask('/v1/models');
    expect(Object.keys(json)).toEqual(['object', 'data']);
    expect(json.object).toBe('list');
  });

  test('several parameters narrow the list together', async () => {
    expect(await idsOf(world, '/v1/models?category=music&provider=studio')).toEqual(['studio/melody-1']);
    expect(await idsOf(world, '/v1/models?category=music&provider=google')).toEqual([]);
    expect(await idsOf(world, '/v1/models?recommended_for=image&provider=studio')).toEqual([
      'painter-good',
      'painter-poor',
    ]);
  });

  test('a valid value that none of the listed models has returns an empty list', async () => {
    expect(await idsOf(world, '/v1/models?provider=cohere')).toEqual([]);
  });

  test('an unknown value that is almost a known one gets it as a suggestion', async () => {
    expect((await world.ask('/v1/models?category=embeding')).error).toMatchObject({ did_you_mean: 'embedding' });
  });
});

describe('GET /v1/models/{model}', () => {
  test('model (string, required): a Model object as in the list, with the detail metadata', () => {
    for (const [index, { whole, vendor }] of details.entries()) {
      const listed = list[index] ?? expect.unreachable();
      expect({ ...whole, vendor: null }).toEqual({ ...listed.whole, vendor: null });
      expect(vendor).toMatchObject(listed.vendor);
    }
  });

  test('a model that does not exist: 404, model_not_found, invalid_request_error', async () => {
    const { status, error } = await world.ask('/v1/models/gpt-4.1-mimi');
    expect([status, error.code, error.type, error.param]).toEqual([
      404,
      'model_not_found',
      'invalid_request_error',
      'model',
    ]);
    expect(error).toMatchObject({ did_you_mean: 'gpt-4.1-mini', hint: 'Did you mean `gpt-4.1-mini`?' });
    expect(asArray(error.suggestions)).toContainEqual({ id: 'gpt-4.1-mini' });
  });

  test.each([
    ['plain', (id: string) => id],
    ['percent-encoded', encodeURIComponent],
    [
      'percent-encoded in lower case',
      (id: string) => encodeURIComponent(id).replaceAll(/%../g, (two) => two.toLowerCase()),
    ],
  ])('an id with slashes and colons, %s', async (_name, written) => {
    for (const id of ['studio/mesh:turbo', 'meta-nobody/llama-0.3:free', 'clips:turbo']) {
      expect((await detailOf(world, written(id))).id).toBe(id);
      expect((await world.ask(`/v1beta/models/${written(id)}`)).json.name).toBe(`models/${id}`);
    }
  });
});

describe('GET /v1/pricing', () => {
  test('has the members object and data, and no others', async () => {
    const { json } = await world.ask('/v1/pricing');
    expect(Object.keys(json)).toEqual(['object', 'data']);
    expect(json.object).toBe('list');
  });

  test('model (string, optional): the prices of this model only', async () => {
    for (const [id, price] of prices) {
      const { json } = await world.ask(`/v1/pricing?model=${encodeURIComponent(id)}`);
      expect(json).toEqual({ object: 'list', data: [price] });
    }
  });

  test('without model, all models are returned', () => {
    expect([...prices.keys()]).toEqual(list.map(({ id }) => id));
  });

  test('a model that does not exist: the same 404 as for the model itself', async () => {
    const [price, model] = await Promise.all([
      world.ask('/v1/pricing?model=gpt-4.1-mimi'),
      world.ask('/v1/models/gpt-4.1-mimi'),
    ]);
    expect([price.status, price.text]).toEqual([404, model.text]);
  });
});

describe("GET /v1/models in other vendors' formats", () => {
  test('lists the same models to Anthropic’s and Google’s clients', async () => {
    const anthropic = await world.ask('/v1/models?limit=1000', { headers: { 'anthropic-version': '2023-06-01' } });
    const google = await world.ask('/v1/models', { headers: { 'x-goog-api-client': 'google-genai-sdk/3.1.0' } });
    const ids = list.map(({ id }) => id);
    expect(
      asArray(anthropic.json.data)
        .map((model) => String(asObject(model).id))
        .sort(),
    ).toEqual(ids);
    expect(asArray(google.json.models).map((model) => asObject(model).name)).toEqual(ids.map((id) => `models/${id}`));
  });

  test('validates the filter parameters in the client’s envelope', async () => {
    const anthropic = await world.ask('/v1/models?category=x', { headers: { 'anthropic-version': '2023-06-01' } });
    expect([anthropic.status, anthropic.json.type, anthropic.error.type]).toEqual([
      400,
      'error',
      'invalid_request_error',
    ]);
    const google = await world.ask('/v1beta/models?category=x', { key: KEYS.other });
    expect([google.status, google.error.status]).toEqual([400, 'INVALID_ARGUMENT']);
  });
});
