import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { namesIn, sectionOfContract } from './models/contract.ts';
import { describeTable } from './models/describe-table.ts';
import { detailOf, geminiItems, listOf, type ModelObject } from './models/objects.ts';
import { CATEGORIES, eventually, SCENES, UNKNOWN, World } from './models/world.ts';
import { asArray, asObject } from './shared/json.ts';

/*
 * The contract's tables of model and price objects, with a test for each row, on a real gateway. Related tests: models-endpoints.test.ts
 * (requests), models-visibility.test.ts (access), models-http.test.ts (HTTP), models-pages.test.ts (pages) and models-sdks.test.ts (vendors'
 * SDKs).
 */

setDefaultTimeout(600_000);

type Fields = Readonly<Record<string, unknown>>;

const MODEL_OBJECT = '### Model object (`object` = `model`)';
const CHAT_CATEGORIES = ['chat', 'audio'];
const CHAT_OPERATIONS = ['chat.completions', 'responses', 'messages', 'generate_content'];
const SAMPLES = { minimum: 2, asked: 3 };

let world: World;
let list: readonly ModelObject[];
let details: readonly ModelObject[];
let recommended: readonly ModelObject[];
let prices: ReadonlyMap<string, Fields>;
let items: readonly Fields[];

beforeAll(async () => {
  world = await World.start({ settings: { discovery: { refresh_ms: 1_000, minimum_samples: SAMPLES.minimum } } });
  for (const model of ['painter-good', 'painter-poor']) {
    for (let count = 0; count < SAMPLES.asked; count++) {
      const body = { model, messages: [{ role: 'user', content: `Picture ${count}.` }] };
      await world.ask('/v1/chat/completions', { method: 'POST', body });
    }
  }
  const scored = (models: readonly ModelObject[]) =>
    models.filter((model) => preferenceIn(model, 'image').sample_count_24h === SAMPLES.asked).length === 2;
  recommended = await eventually(() => listOf(world, '/v1/models?recommended_for=image'), scored);
  list = await listOf(world, '/v1/models');
  details = await Promise.all(list.map(({ id }) => detailOf(world, id)));
  const priced = asArray((await world.ask('/v1/pricing')).json.data).map(asObject);
  prices = new Map(priced.map((entry) => [String(entry.model), entry]));
  items = await geminiItems(world);
});
afterAll(() => world.stop());

function preferenceIn({ vendor }: ModelObject, scene: string): Fields {
  return asObject(asObject(vendor.agent_preferences)[scene]);
}

/** Returns the preferences in all responses. */
function preferences(): readonly Fields[] {
  return [...recommended, ...details].flatMap(({ vendor }) =>
    Object.values(asObject(vendor.agent_preferences)).map(asObject),
  );
}

function inListAndDetail(id: string): readonly ModelObject[] {
  const both = [list, details].flatMap((models) => models.filter((model) => model.id === id));
  expect(both).toHaveLength(2);
  return both;
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isObjectOrNull = (value: unknown) => value === null || asObject(value) === value;
const isTextOrNull = (value: unknown) => value === null || isText(value);
const failing = (models: readonly ModelObject[], holds: (model: ModelObject) => boolean) =>
  models.filter((model) => !holds(model)).map(({ id }) => id);

test('the configuration has models of all eleven categories', () => {
  expect([...new Set(list.map(({ category }) => category))].sort()).toEqual([...CATEGORIES].sort());
});

describeTable('Model object', { heading: MODEL_OBJECT }, [
  {
    cells: ['id', 'string', 'Model identifier'],
    check: () => {
      expect(list.map(({ whole }) => whole.id)).toEqual([...new Set(list.map(({ id }) => id))].sort());
      expect(details.map(({ whole }) => whole.id)).toEqual(list.map(({ whole }) => whole.id));
    },
  },
  {
    cells: ['object', 'string', 'Always `model`'],
    check: () => expect(failing([...list, ...details], ({ whole }) => whole.object === 'model')).toEqual([]),
  },
  {
    cells: ['created', 'integer', 'Creation timestamp'],
    check: () => {
      expect(failing([...list, ...details], ({ whole }) => Number.isInteger(whole.created))).toEqual([]);
      // The release date, in seconds.
      for (const { whole } of inListAndDetail('whisper-1')) expect(whole.created).toBe(Date.UTC(2023, 2, 1) / 1_000);
    },
  },
  {
    cells: ['owned_by', 'string', 'Model provider'],
    check: () => {
      expect(failing([...list, ...details], ({ whole }) => isText(whole.owned_by))).toEqual([]);
      for (const { whole } of inListAndDetail('whisper-1')) expect(whole.owned_by).toBe('openai');
      for (const { whole } of inListAndDetail('studio/melody-1')) expect(whole.owned_by).toBe('studio');
    },
  },
  {
    cells: [
      'vendor',
      'object',
      "Service-specific public metadata (see below). Its key in the real interface carries the service's brand name; here it is written `vendor`.",
    ],
    check: () => {
      const members = ['id', 'object', 'created', 'owned_by', 'vendor'];
      for (const { whole } of [...list, ...details]) expect(Object.keys(whole)).toEqual(members);
    },
  },
]);

describeTable('Fields of the vendor object', { heading: MODEL_OBJECT, index: 1 }, [
  {
    cells: ['category', 'string', 'yes', 'yes'],
    check: () => {
      const isCategory = ({ vendor }: ModelObject) => CATEGORIES.some((category) => category === vendor.category);
      expect(failing([...list, ...details], isCategory)).toEqual([]);
      for (const { vendor } of inListAndDetail('clips:turbo')) expect(vendor.category).toBe('video');
    },
  },
  {
    cells: ['pricing_unit', 'string or null', 'yes', 'yes'],
    check: () => {
      expect(failing([...list, ...details], ({ vendor }) => isTextOrNull(vendor.pricing_unit))).toEqual([]);
      const units = { 'lumen-7b': 'per_1m_tokens', 'studio/melody-1': 'per_request', 'to-english': null };
      for (const [id, unit] of Object.entries(units)) {
        for (const { vendor } of inListAndDetail(id)) expect([id, vendor.pricing_unit]).toEqual([id, unit]);
      }
    },
  },
  {
    cells: ['supported_operations', 'array or null (public non-chat operations)', 'yes', 'yes'],
    check: () => {
      for (const { vendor } of inListAndDetail('lumen-7b')) expect(vendor.supported_operations).toBeNull();
      for (const { vendor } of inListAndDetail('painter-good'))
        expect(vendor.supported_operations).toEqual(['images.generations']);
      const others = [...list, ...details].flatMap(({ vendor }) => asArray(vendor.supported_operations));
      expect(others.filter((operation) => CHAT_OPERATIONS.includes(String(operation)))).toEqual([]);
      const isNullForChatAlone = ({ vendor, category }: ModelObject) =>
        vendor.supported_operations === null
          ? CHAT_CATEGORIES.includes(category)
          : asArray(vendor.supported_operations).length > 0;
      expect(failing([...list, ...details], isNullForChatAlone)).toEqual([]);
    },
  },
  {
    cells: ['capability_flags', 'object or null', 'no', 'yes'],
    check: () => {
      expect(failing(list, ({ vendor }) => !('capability_flags' in vendor))).toEqual([]);
      const isThere = ({ vendor }: ModelObject) =>
        'capability_flags' in vendor && isObjectOrNull(vendor.capability_flags);
      expect(failing(details, isThere)).toEqual([]);
      const [, detail] = inListAndDetail('lumen-7b');
      expect(detail?.vendor.capability_flags).toMatchObject({ tools: true, reasoning: false, vision: true });
      const [, unknown] = inListAndDetail(UNKNOWN[0] ?? '');
      expect(unknown?.vendor.capability_flags).toBeNull();
    },
  },
  {
    cells: ['pricing_provenance', 'object or null (pricing source metadata)', 'yes', 'yes'],
    check: () => {
      const isThere = ({ vendor }: ModelObject) =>
        'pricing_provenance' in vendor && isObjectOrNull(vendor.pricing_provenance);
      expect(failing([...list, ...details], isThere)).toEqual([]);
      // A model has a provenance exactly if it has a price.
      const agrees = ({ vendor, id }: ModelObject) =>
        (vendor.pricing_provenance === null) === Object.values(asObject(prices.get(id)?.pricing)).every(isNoPrice);
      expect(failing([...list, ...details], agrees)).toEqual([]);
      for (const { vendor } of inListAndDetail('lumen-7b')) {
        expect(vendor.pricing_provenance).toEqual({ source: 'operator', url: null, as_of: null });
      }
      for (const { vendor } of inListAndDetail('gpt-4.1-mini')) {
        const asOf = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
        const url = expect.stringMatching(/^https:\/\//);
        expect(vendor.pricing_provenance).toEqual({ source: 'price_list', url, as_of: asOf });
      }
    },
  },
  {
    cells: [
      'public_contract_summary',
      'object or null; contains only `public_operations` and `request_endpoint`',
      'yes',
      'yes',
    ],
    check: () => {
      for (const { id, vendor } of [...list, ...details]) {
        const summary = asObject(vendor.public_contract_summary);
        expect([id, Object.keys(summary)]).toEqual([id, ['public_operations', 'request_endpoint']]);
        expect([id, asArray(summary.public_operations).length > 0]).toEqual([id, true]);
        expect([id, summary.request_endpoint]).toEqual([id, expect.stringMatching(/^\/v1\//)]);
      }
      for (const { vendor } of inListAndDetail('reader')) {
        const summary = { public_operations: ['audio.speech'], request_endpoint: '/v1/audio/speech' };
        expect(vendor.public_contract_summary).toEqual(summary);
      }
    },
  },
  {
    cells: ['public_contract', 'object (full contract)', 'no', 'yes'],
    check: () => {
      expect(failing(list, ({ vendor }) => !('public_contract' in vendor))).toEqual([]);
      for (const { id, vendor } of details) {
        const { operations, request_endpoint } = asObject(vendor.public_contract);
        const summary = {
          public_operations: asArray(operations).map((one) => asObject(one).operation),
          request_endpoint,
        };
        expect([id, vendor.public_contract_summary]).toEqual([id, summary]);
        for (const operation of asArray(operations).map(asObject)) {
          expect([id, operation.method]).toEqual([id, 'POST']);
          expect([id, operation.endpoint]).toEqual([id, expect.stringMatching(/^\/v1(beta)?\//)]);
          expect([id, Object.keys(asObject(operation.parameters)).length > 0]).toEqual([id, true]);
        }
      }
    },
  },
  {
    cells: [
      'agent_preferences',
      'object keyed by scene',
      'only when `recommended_for` is given',
      'yes, for non-chat models',
    ],
    check: async () => {
      expect(failing(list, ({ vendor }) => !('agent_preferences' in vendor))).toEqual([]);
      for (const scene of SCENES) {
        const models = await listOf(world, `/v1/models?recommended_for=${scene}`);
        const isKeyed = ({ vendor }: ModelObject) => Object.keys(asObject(vendor.agent_preferences)).join() === scene;
        expect(failing(models, isKeyed)).toEqual([]);
      }
      const isRight = ({ vendor, category }: ModelObject) =>
        category === 'chat'
          ? !('agent_preferences' in vendor)
          : // An audio model has no scene.
            category === 'audio'
            ? Object.keys(asObject(vendor.agent_preferences)).length === 0
            : Object.keys(asObject(vendor.agent_preferences)).includes(category);
      expect(failing(details, isRight)).toEqual([]);
    },
  },
]);

const isNoPrice = (value: unknown) => value === null || value === 'USD' || typeof value === 'boolean';

describe('the members of the vendor object are exactly', () => {
  const inList = ['category', 'pricing_unit', 'supported_operations', 'pricing_provenance', 'public_contract_summary'];
  const inDetail = [...inList, 'capability_flags', 'public_contract'];
  const membersOf = (models: readonly ModelObject[]) => [
    ...new Set(models.map(({ vendor }) => Object.keys(vendor).sort().join())),
  ];

  test('those of a list', () => {
    expect(membersOf(list)).toEqual([inList.toSorted().join()]);
  });

  test('those of a list and agent_preferences, with recommended_for', () => {
    expect(membersOf(recommended)).toEqual([[...inList, 'agent_preferences'].sort().join()]);
  });

  test('those of a detail, for a chat model', () => {
    expect(membersOf(details.filter(({ category }) => category === 'chat'))).toEqual([inDetail.toSorted().join()]);
  });

  test('those of a detail and agent_preferences, for a model that is not for chat', () => {
    const others = details.filter(({ category }) => category !== 'chat');
    expect(membersOf(others)).toEqual([[...inDetail, 'agent_preferences'].sort().join()]);
  });
});

describeTable('Fields of agent_preferences.<scene>', { heading: MODEL_OBJECT, index: 2 }, [
  {
    cells: ['preferred_rank', 'integer', 'Rank within the scene'],
    check: async () => {
      for (const scene of SCENES) {
        const models = await listOf(world, `/v1/models?recommended_for=${scene}`);
        const ranks = models.map((model) => preferenceIn(model, scene).preferred_rank);
        expect([scene, ranks]).toEqual([scene, models.map((_model, index) => index + 1)]);
      }
    },
  },
  {
    cells: ['success_rate_24h', 'number', '0 to 1'],
    check: () => {
      for (const { success_rate_24h: rate } of preferences()) expect(rate as number).toBeWithin(0, 1.000_001);
      const rates = new Map(recommended.map((model) => [model.id, preferenceIn(model, 'image').success_rate_24h]));
      expect([rates.get('painter-good'), rates.get('painter-poor')]).toEqual([1, 0]);
    },
  },
  {
    cells: ['sample_count_24h', 'integer', 'Sample size'],
    check: () => {
      const counts = new Map(recommended.map((model) => [model.id, preferenceIn(model, 'image').sample_count_24h]));
      expect(Object.fromEntries(counts)).toEqual({
        'painter-good': SAMPLES.asked,
        'painter-poor': SAMPLES.asked,
        'gpt-image-2.6-flare': 0,
      });
    },
  },
  {
    cells: [
      'status',
      'string',
      '`ready`, or `insufficient_samples` (model stays visible but sorts after scored models)',
    ],
    check: () => {
      const order = recommended.map((model) => [model.id, preferenceIn(model, 'image').status]);
      expect(order).toEqual([
        ['painter-good', 'ready'],
        ['painter-poor', 'ready'],
        ['gpt-image-2.6-flare', 'insufficient_samples'],
      ]);
    },
  },
  {
    cells: ['updated_at', 'string', 'ISO 8601 timestamp'],
    check: () => {
      for (const { updated_at: at } of preferences()) {
        expect(new Date(String(at)).toISOString()).toBe(String(at));
      }
    },
  },
  {
    cells: [
      'basis',
      'object',
      '`score_source` (string), `channel_id` (null), `physical_model` (null); the last two are deliberately always null',
    ],
    check: () => {
      for (const { basis } of preferences()) {
        expect(basis).toEqual({ score_source: expect.any(String), channel_id: null, physical_model: null });
      }
    },
  },
]);

test('agent_preferences.<scene> has these fields and no other', () => {
  const fields = ['preferred_rank', 'success_rate_24h', 'sample_count_24h', 'status', 'updated_at', 'basis'];
  expect(preferences().length).toBeGreaterThan(recommended.length);
  for (const preference of preferences()) expect(Object.keys(preference)).toEqual(fields);
});

describeTable('Pricing object', { heading: '### Pricing object' }, [
  {
    cells: ['model', 'string', 'Model identifier'],
    check: () => expect([...prices.keys()]).toEqual(list.map(({ id }) => id)),
  },
  {
    cells: ['pricing.input_per_1m', 'string or null', 'USD per 1M input tokens'],
    check: () => checkPrice('input_per_1m', { 'lumen-7b': '0.25', sorter: '0', 'studio/melody-1': null }),
  },
  {
    cells: ['pricing.output_per_1m', 'string or null', 'USD per 1M output tokens'],
    check: () => checkPrice('output_per_1m', { 'lumen-7b': '1.5', sorter: '0', 'to-english': null }),
  },
  {
    cells: ['pricing.per_request', 'string or null', 'USD per request (fixed-price models)'],
    check: () => checkPrice('per_request', { 'studio/melody-1': '0.08', 'lumen-7b': null, 'to-english': null }),
  },
  {
    cells: ['pricing.is_lock_price', 'boolean', 'True when pricing is fixed per request'],
    check: () => {
      const locked = [...prices].filter(([, { pricing }]) => asObject(pricing).is_lock_price !== false);
      expect(locked.map(([id]) => id)).toEqual(['studio/melody-1', 'studio/mesh:turbo']);
      for (const [, { pricing }] of locked) expect(asObject(pricing).is_lock_price).toBe(true);
    },
  },
  {
    cells: ['pricing.currency', 'string', 'Always `USD`'],
    check: () => {
      expect(new Set([...prices.values()].map(({ pricing }) => asObject(pricing).currency))).toEqual(new Set(['USD']));
    },
  },
  {
    cells: ['provider', 'string', 'Model provider'],
    check: () => {
      const owners = Object.fromEntries(list.map(({ id, whole }) => [id, whole.owned_by]));
      expect(Object.fromEntries([...prices].map(([id, { provider }]) => [id, provider]))).toEqual(owners);
    },
  },
]);

function checkPrice(name: string, expected: Readonly<Record<string, string | null>>): void {
  for (const [id, { pricing }] of prices) {
    const price = asObject(pricing)[name];
    expect([id, price === null || /^\d+(\.\d+)?$/.test(String(price))]).toEqual([id, true]);
    expect([id, typeof price]).toEqual([id, price === null ? 'object' : 'string']);
  }
  for (const [id, price] of Object.entries(expected)) {
    expect([id, asObject(prices.get(id)?.pricing)[name]]).toEqual([id, price]);
  }
}

describe('Pricing object', () => {
  test('prices outside the table stand beside the others', () => {
    expect(asObject(prices.get('clips:turbo')?.pricing)).toMatchObject({ per_second: '0.10', per_request: null });
    expect(asObject(prices.get('reader')?.pricing)).toMatchObject({ per_character: '0.000015' });
  });

  test('per_request and is_lock_price distinguish token-based from per-request pricing', () => {
    const named = ['input_per_1m', 'output_per_1m', 'per_request', 'is_lock_price', 'currency'];
    const of = (id: string) => named.map((name) => asObject(prices.get(id)?.pricing)[name]);
    expect(of('lumen-7b')).toEqual(['0.25', '1.5', null, false, 'USD']);
    expect(of('studio/mesh:turbo')).toEqual([null, null, '0.50', true, 'USD']);
  });
});

describe('Generative-content model list item', () => {
  const HEADING = '### Generative-content model list item';
  const chatItem = () => items.find(({ name }) => name === 'models/lumen-7b') ?? expect.unreachable();
  const rows: readonly [name: string, type: string, value: unknown][] = [
    ['name', 'string', 'models/lumen-7b'],
    ['version', 'string', expect.any(String)],
    ['displayName', 'string', 'Lumen 7B'],
    ['description', 'string', 'A model of the house.'],
    ['inputTokenLimit', 'integer', 128_000],
    ['outputTokenLimit', 'integer', 8_192],
    ['supportedGenerationMethods', 'array', ['generateContent', 'streamGenerateContent', 'countTokens']],
    ['temperature', 'number', 1],
    ['topP', 'number', 1],
    ['maxTemperature', 'number', 2],
    ['topK', 'integer', 64],
  ];
  /** Every model has these fields; the others only appear if they are known and apply to the model. */
  const always = ['name', 'version', 'displayName', 'description', 'supportedGenerationMethods'];
  const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
    string: isText,
    integer: Number.isInteger,
    number: (value) => typeof value === 'number',
    array: Array.isArray,
  };

  test.each(rows)('%s (%s)', (name, type, value) => {
    expect(chatItem()[name]).toEqual(value);
    const holders = items.filter((item) => name in item);
    expect(holders.filter((item) => !isOfType[type]?.(item[name]))).toEqual([]);
    if (always.includes(name)) expect(holders).toHaveLength(items.length);
  });

  test('these rows are those of the contract', () => {
    expect(rows.map(([name]) => name)).toEqual(namesIn(sectionOfContract(HEADING).trim().split('\n')[0] ?? ''));
  });

  test('a model that is not for chat has no generation methods', () => {
    const melody = items.find(({ name }) => name === 'models/studio/melody-1');
    expect(melody?.supportedGenerationMethods).toEqual([]);
  });

  test('an item is the same in the list and alone', async () => {
    for (const item of items) expect((await world.ask(`/v1beta/${item.name}`)).json).toEqual(item);
  });
});
