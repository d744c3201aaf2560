import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI, type Model } from '@google/genai';
import OpenAI from 'openai';
import { clientKey } from './first-light/upstream.ts';
import { type Promised, unkept } from './models/promised.ts';
import { KEYS, World } from './models/world.ts';
import { asArray, asObject } from './shared/json.ts';

/* The vendors' own SDKs, unchanged, list the models and show one. */

setDefaultTimeout(600_000);

const SLASHED = ['studio/melody-1', 'studio/mesh:turbo', 'meta-nobody/llama-0.3:free'];

let world: World;
/** The ids that the key may use, in order. */
let ids: readonly string[];

beforeAll(async () => {
  world = await World.start();
  ids = asArray((await world.ask('/v1/models')).json.data).map((model) => String(asObject(model).id));
});
afterAll(() => world.stop());

const apiKey = clientKey(KEYS.owner);
const retrying = { maxRetries: 0 };

async function collect<Item>(pages: AsyncIterable<Item> | Promise<AsyncIterable<Item>>): Promise<Item[]> {
  return Array.fromAsync(await pages);
}

/** Resolves to the error of a promise that rejects. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
}

describe('openai', () => {
  const client = () => new OpenAI({ apiKey, baseURL: `${world.origin}/v1`, ...retrying });
  const PROMISED: Promised<OpenAI.Model> = { id: true, created: true, object: true, owned_by: true };

  test('models.list returns every model with all typed fields', async () => {
    const models = await collect(client().models.list());
    expect(models.map(({ id }) => id)).toEqual([...ids]);
    expect(models.flatMap((model) => unkept(PROMISED, model, model.id))).toEqual([]);
  });

  test('models.list is one page', async () => {
    const page = await client().models.list();
    expect([page.object, page.data.length, page.hasNextPage()]).toEqual(['list', ids.length, false]);
  });

  test.each(SLASHED)('models.retrieve %s', async (id) => {
    const model = await client().models.retrieve(id);
    expect([model.id, model.object, unkept(PROMISED, model)]).toEqual([id, 'model', []]);
  });

  test('an unknown model is a NotFoundError with the code and the parameter', async () => {
    const error = await failureOf(client().models.retrieve('gpt-4.1-mimi'));
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model', type: 'invalid_request_error' });
  });

  test('a wrong key is an AuthenticationError', async () => {
    const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${world.origin}/v1`, ...retrying });
    expect(await failureOf(collect(wrong.models.list()))).toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

const SUPPORT: Promised<Anthropic.CapabilitySupport> = { supported: true };
const EFFORT = { supported: true, low: SUPPORT, medium: SUPPORT, high: SUPPORT, max: SUPPORT, xhigh: SUPPORT } as const;
const THINKING_TYPES = { adaptive: SUPPORT, between_tools: SUPPORT, disabled: SUPPORT, enabled: SUPPORT };
const MODEL_INFO: Promised<Anthropic.ModelInfo> = {
  id: true,
  type: true,
  display_name: true,
  created_at: true,
  lifecycle: true,
  deprecated_at: true,
  retires_at: true,
  line: true,
  max_input_tokens: true,
  max_tokens: true,
  capabilities: {
    batch: SUPPORT,
    citations: SUPPORT,
    code_execution: SUPPORT,
    context_management: {
      supported: true,
      clear_thinking_20251015: SUPPORT,
      clear_tool_uses_20250919: SUPPORT,
      compact_20260112: SUPPORT,
    },
    effort: EFFORT,
    image_input: SUPPORT,
    pdf_input: SUPPORT,
    server_tools: { supported: true, code_execution: SUPPORT, web_search: SUPPORT },
    structured_outputs: SUPPORT,
    thinking: { supported: true, types: THINKING_TYPES },
  },
};
const BETA_MODEL_INFO: Promised<Anthropic.Beta.BetaModelInfo> = {
  ...MODEL_INFO,
  allowed_fallback_models: true,
  capabilities: { ...MODEL_INFO.capabilities, compaction: { supported: true, summarize: SUPPORT } },
};

describe('@anthropic-ai/sdk', () => {
  const client = () => new Anthropic({ apiKey, baseURL: world.origin, ...retrying });
  const lists: readonly (readonly [
    string,
    () => Pick<Anthropic['models'] | Anthropic['beta']['models'], 'list' | 'retrieve'>,
    object,
  ])[] = [
    ['models', () => client().models, MODEL_INFO],
    ['beta.models', () => client().beta.models, BETA_MODEL_INFO],
  ];

  describe.each(lists)('%s', (_name, models, promised) => {
    test('list returns every model once, two at a time, with all typed fields', async () => {
      const all = await collect<Anthropic.ModelInfo>(models().list({ limit: 2 }));
      expect(all.map(({ id }) => id).sort()).toEqual([...ids]);
      expect(all.flatMap((model) => unkept(promised as Promised<Anthropic.ModelInfo>, model, model.id))).toEqual([]);
    });

    test('retrieve returns the item of the list, also for an id with slashes', async () => {
      const all = await collect<Anthropic.ModelInfo>(models().list({ limit: 1000 }));
      for (const id of [...SLASHED, 'lumen-7b']) {
        expect(await models().retrieve(id)).toEqual(all.find((model) => model.id === id) ?? expect.unreachable());
      }
    });
  });

  test('models.list starts with the most recent release, twenty at a time', async () => {
    const page = await client().models.list();
    expect(page.data).toHaveLength(Math.min(20, ids.length));
    const days = (await collect(client().models.list())).map(({ created_at: at }) => Date.parse(at));
    // The epoch stands for an unknown release date. Such models sort as the newest.
    const order = (day: number) => (day === 0 ? Number.POSITIVE_INFINITY : day);
    expect(days.map(order)).toEqual(days.map(order).toSorted((one, other) => (one === other ? 0 : other - one)));
    expect(days.filter(Number.isNaN)).toEqual([]);
  });

  test('models.list continues after after_id, and back before before_id', async () => {
    const all = (await collect(client().models.list({ limit: 1000 }))).map(({ id }) => id);
    const middle = all[7] ?? expect.unreachable();
    const after = await collect(client().models.list({ limit: 2, after_id: middle }));
    expect(after.map(({ id }) => id)).toEqual(all.slice(8));
    const page = await client().models.list({ limit: 2, before_id: middle });
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([all.slice(5, 7), true]);
    expect([page.first_id, page.last_id]).toEqual([all[5] ?? null, all[6] ?? null]);
    const before = await collect(client().models.list({ limit: 2, before_id: middle }));
    expect(before.map(({ id }) => id).sort()).toEqual(all.slice(0, 7).sort());
  });

  test('a page behind the last one is empty', async () => {
    const all = await client().models.list({ limit: 1000 });
    const page = await client().models.list({ after_id: all.last_id ?? '' });
    expect([page.data, page.has_more, page.first_id, page.last_id]).toEqual([[], false, null, null]);
  });

  test.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ after_id: 'nowhere' }, 'after_id'],
    [{ before_id: 'nowhere' }, 'before_id'],
    [{ after_id: 'lumen-7b', before_id: 'lumen-7b' }, 'before_id'],
  ])('%j is a BadRequestError that names %s', async (parameters, name) => {
    const error = await failureOf(collect(client().models.list(parameters)));
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(asObject(asObject((error as { error: unknown }).error).error)).toMatchObject({ param: name });
  });

  test('the known facts of a model are in its capabilities', async () => {
    const { capabilities, ...model } = await client().models.retrieve('lumen-7b');
    expect(model).toMatchObject({ display_name: 'Lumen 7B', max_input_tokens: 128_000, max_tokens: 8_192 });
    expect([capabilities?.image_input.supported, capabilities?.thinking.supported]).toEqual([true, false]);
    expect((await client().models.retrieve('claude-haiku-4-5')).line).toBe('haiku');
  });

  test('an unknown model is a NotFoundError', async () => {
    const error = await failureOf(client().models.retrieve('nowhere'));
    expect(error).toBeInstanceOf(Anthropic.NotFoundError);
    expect(asObject((error as { error: unknown }).error)).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    });
  });

  test('a wrong key is an AuthenticationError', async () => {
    const wrong = new Anthropic({ apiKey: 'sk-wrong', baseURL: world.origin, ...retrying });
    expect(await failureOf(collect(wrong.models.list()))).toBeInstanceOf(Anthropic.AuthenticationError);
  });

  test('a key as a Bearer token gives the same list', async () => {
    const bearer = new Anthropic({ apiKey: null, authToken: apiKey, baseURL: world.origin, ...retrying });
    expect((await collect(bearer.models.list({ limit: 7 }))).map(({ id }) => id).sort()).toEqual([...ids]);
  });
});

describe.each<[string, string | undefined]>([
  ['without apiVersion', undefined],
  ['with apiVersion v1beta', 'v1beta'],
  ['with apiVersion v1', 'v1'],
])('@google/genai %s', (_name, apiVersion) => {
  const client = (key = apiKey) =>
    new GoogleGenAI({
      apiKey: key,
      ...(apiVersion === undefined ? {} : { apiVersion }),
      httpOptions: { baseUrl: world.origin },
    });

  test('models.list returns every model once, two at a time', async () => {
    const pager = await client().models.list({ config: { pageSize: 2 } });
    expect([pager.pageLength, pager.hasNextPage()]).toEqual([2, true]);
    const models = await collect(pager);
    expect(models.map(({ name }) => name)).toEqual(ids.map((id) => `models/${id}`));
    const isWhole = ({ name, displayName, description, version }: Model) =>
      name && displayName && description && version;
    expect(models.filter((model) => !isWhole(model))).toEqual([]);
  });

  test('models.list without a size returns all models at once', async () => {
    const pager = await client().models.list();
    expect([pager.pageLength, pager.hasNextPage()]).toEqual([ids.length, false]);
  });

  test('models.get returns all known facts', async () => {
    for (const model of ['lumen-7b', 'models/lumen-7b']) {
      const known = await client().models.get({ model });
      expect(known).toMatchObject({
        name: 'models/lumen-7b',
        displayName: 'Lumen 7B',
        description: 'A model of the house.',
        version: expect.any(String),
        inputTokenLimit: 128_000,
        outputTokenLimit: 8_192,
        supportedActions: ['generateContent', 'streamGenerateContent', 'countTokens'],
        temperature: 1,
        maxTemperature: 2,
        topP: 1,
        topK: 64,
      });
    }
  });

  test.each(SLASHED)('models.get %s', async (id) => {
    expect((await client().models.get({ model: id })).name).toBe(`models/${id}`);
  });

  test('an unknown model is an ApiError with its status', async () => {
    const error = await failureOf(client().models.get({ model: 'nowhere' }));
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBe(404);
  });

  test('a wrong key is an ApiError, although the list needs none', async () => {
    const error = await failureOf(client('sk-wrong').models.list());
    expect((error as ApiError).status).toBe(401);
  });

  test('a page size out of bounds is an ApiError', async () => {
    const error = await failureOf(client().models.list({ config: { pageSize: 1001 } }));
    expect((error as ApiError).status).toBe(400);
  });
});
