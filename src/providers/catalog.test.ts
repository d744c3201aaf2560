import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Modality } from '../domain/catalog/capabilities.ts';
import type { CatalogModel } from '../domain/catalog/catalog-model.ts';
import { MODEL_CATEGORIES, type ModelCategory } from '../domain/catalog/category.ts';
import { type ModelOperation, servesChat } from '../domain/catalog/model-operation.ts';
import { OPERATION_CONTRACTS } from '../domain/catalog/operation-contracts.ts';
import { PriceSheet } from '../domain/money/price-sheet.ts';
import { pricePeriods } from '../domain/money/pricing.ts';
import { providers } from './index.ts';
import { checkCatalog } from './shared/catalog-schema.ts';

/* Checks the shipped catalog as a whole; reading a single file is tested next to the loader. */

const models = [...providers.values()].flatMap((manifest) => manifest.models?.() ?? []);
const priced = models.filter((model) => model.pricing !== null);
const nameOf = ({ provider, id }: CatalogModel) => `${provider}/${id}`;

/** Returns the names of the models that break the rule, so that a failing test shows all of them. */
function offenders(rule: (model: CatalogModel) => boolean, among: readonly CatalogModel[] = models) {
  return among.filter((model) => !rule(model)).map(nameOf);
}

function grouped(keyOf: (model: CatalogModel) => string): ReadonlyMap<string, readonly CatalogModel[]> {
  return Map.groupBy(models, keyOf);
}

describe('the catalog files', () => {
  const files = [...new Bun.Glob('**/*models.yaml').scanSync(import.meta.dir)];

  test.each(files)('are in canonical form: %s', async (file) => {
    checkCatalog(file, await Bun.file(join(import.meta.dir, file)).text());
  });

  test('are as many as providers with models', () => {
    const folders = files.map((file) => file.split('/')[0]);
    expect(new Set(folders).size).toBeGreaterThan(35);
    expect(files.length).toBeGreaterThan(40);
  });
});

describe('the catalog', () => {
  test('has at least 250 ids', () => {
    expect(new Set(models.map((model) => model.id)).size).toBeGreaterThanOrEqual(250);
  });

  test('has every category', () => {
    expect(new Set(models.map((model) => model.category))).toEqual(new Set(MODEL_CATEGORIES));
  });

  test('has no repeated id in a provider', () => {
    const groups = [...grouped(nameOf)];
    expect(groups.filter(([, same]) => same.length > 1).map(([name]) => name)).toEqual([]);
  });

  test.each(['ownedBy', 'category'] as const)('has one %s per id, whoever serves it', (field) => {
    const groups = [...grouped((model) => model.id)];
    expect(groups.filter(([, same]) => new Set(same.map((model) => model[field])).size > 1)).toEqual([]);
  });

  test('starts with a chat model for every provider that has one', () => {
    const first = [...Map.groupBy(models, (model) => model.provider).values()].flatMap((own) =>
      own.some((model) => model.category === 'chat') ? own.slice(0, 1) : [],
    );
    expect(offenders((model) => model.category === 'chat', first)).toEqual([]);
  });
});

/** The modalities that every model of a category has at least. */
const MODALITIES_OF: Readonly<
  Record<ModelCategory, { readonly input: readonly Modality[]; readonly output: Modality }>
> = {
  chat: { input: ['text'], output: 'text' },
  audio: { input: ['text', 'audio'], output: 'text' },
  image: { input: [], output: 'image' },
  video: { input: [], output: 'video' },
  tts: { input: ['text'], output: 'audio' },
  stt: { input: ['audio'], output: 'text' },
  music: { input: ['text'], output: 'audio' },
  '3d': { input: [], output: '3d' },
  embedding: { input: [], output: 'embedding' },
  rerank: { input: ['text'], output: 'score' },
  translation: { input: [], output: 'text' },
};

/** Categories whose output cannot be part of a conversation. */
const ONE_OUTPUT: readonly ModelCategory[] = ['chat', 'tts', 'stt', '3d', 'embedding', 'rerank', 'translation'];

/** The gateway's own models, which have no external source. */
const SYNTHETIC = [
  'sandbox/sandbox-chat',
  'sandbox/sandbox-reasoning',
  'sandbox/sandbox-moderation',
  'sandbox/sandbox-embedding',
  'sandbox/sandbox-rerank',
  'sandbox/sandbox-search',
  'sandbox/sandbox-image',
  'sandbox/sandbox-slow-image',
  'sandbox/sandbox-speech',
  'sandbox/sandbox-transcription',
  'sandbox/sandbox-video',
  'sandbox/sandbox-music',
  'sandbox/sandbox-lyrics',
  'sandbox/sandbox-3d',
];

/**
 * Chat models whose provider states no context length: Perplexity for models that its Agent API passes on, SambaNova for this
 * preview.
 */
const WITHOUT_CONTEXT = [
  ...models.filter((model) => model.provider === 'perplexity' && model.category === 'chat').map(nameOf),
  'sambanova/MiniMax-M3',
  ...SYNTHETIC.filter((name) => /chat|reasoning/.test(name)),
];

describe('every model', () => {
  test('has an owner in lower case, and a name', () => {
    expect(offenders(({ ownedBy, name }) => /^[a-z0-9][a-z0-9.-]*$/.test(ownedBy) && name.trim() !== '')).toEqual([]);
  });

  test('has a description that is a sentence of at most 130 characters', () => {
    expect(offenders(({ description }) => /^\S.{10,128}\.$/u.test(description ?? ''))).toEqual([]);
  });

  test('has the modalities of its category', () => {
    const rule = ({ category, operations, tags, capabilities: { input, output } }: CatalogModel) => {
      // Models for searches have the contract's nearest category.
      const usual = operations.includes('search') ? MODALITIES_OF.chat : MODALITIES_OF[category];
      // A lyrics model counts as a music model (contract, POST /v1/music/generations).
      const expected = tags.includes('lyrics') ? { ...usual, output: 'text' as const } : usual;
      if (ONE_OUTPUT.includes(category) && output.length !== 1) return false;
      return expected.input.every((modality) => input.includes(modality)) && output.includes(expected.output);
    };
    expect(offenders(rule)).toEqual([]);
  });

  test('for embeddings has a vector length, and no other model has one', () => {
    expect(offenders((model) => (model.category === 'embedding') === (model.capabilities.dimensions !== null))).toEqual(
      [],
    );
  });

  test('for chat has a context size, with a few exceptions', () => {
    const chat = models.filter((model) => model.category === 'chat');
    expect(offenders((model) => model.capabilities.contextTokens !== null, chat).sort()).toEqual(
      WITHOUT_CONTEXT.sort(),
    );
  });

  test('for chat has an output limit within its context', () => {
    const rule = ({ capabilities: { contextTokens, maxOutputTokens } }: CatalogModel) =>
      contextTokens === null || maxOutputTokens === null || maxOutputTokens <= contextTokens;
    expect(offenders(rule, models.filter(servesChat))).toEqual([]);
  });

  test('has a release date in the past', () => {
    expect(offenders(({ releasedAtMs }) => releasedAtMs === null || releasedAtMs <= Date.now())).toEqual([]);
  });

  test('has tags in lower case, without repetitions and without its category', () => {
    const rule = ({ tags, category }: CatalogModel) =>
      new Set(tags).size === tags.length &&
      tags.every((tag) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(tag) && tag !== category);
    expect(offenders(rule)).toEqual([]);
  });

  test('has no repeated modality, feature or operation', () => {
    const rule = ({ capabilities: { input, output, features }, operations }: CatalogModel) =>
      [input, output, features, operations].every((list) => new Set<string>(list).size === list.length);
    expect(offenders(rule)).toEqual([]);
  });
});

describe('every override of a parameter', () => {
  test('is for an operation that the model serves', () => {
    const rule = ({ parameters, operations }: CatalogModel) =>
      Object.keys(parameters).every((operation) => operations.includes(operation as ModelOperation));
    expect(offenders(rule)).toEqual([]);
  });

  test('names a field of the operation, even to remove it', () => {
    const rule = ({ parameters }: CatalogModel) =>
      Object.entries(parameters).every(([operation, fields]) =>
        Object.keys(fields ?? {}).every(
          (field) => field in OPERATION_CONTRACTS[operation as ModelOperation].parameters,
        ),
      );
    expect(offenders(rule)).toEqual([]);
  });

  test('has a default that is one of its values', () => {
    const rule = ({ parameters }: CatalogModel) =>
      Object.values(parameters).every((fields) =>
        Object.values(fields ?? {}).every((field) => {
          const { default: usual, enum: values, minimum = -Infinity, maximum = Infinity } = field ?? {};
          if (usual === undefined) return true;
          if (values !== undefined) return typeof usual !== 'boolean' && values.includes(usual);
          return typeof usual !== 'number' || (usual >= minimum && usual <= maximum);
        }),
      );
    expect(offenders(rule)).toEqual([]);
  });
});

/**
 * Returns the fields that a request may have: the operation's, without those that the model removes; none if it does not serve
 * the operation.
 */
function fieldsOf({ operations, parameters }: CatalogModel, operation: ModelOperation): readonly string[] {
  if (!operations.includes(operation)) return [];
  const overrides = parameters[operation] ?? {};
  return Object.keys(OPERATION_CONTRACTS[operation].parameters).filter((field) => overrides[field] !== null);
}

describe('a model without image or video input', () => {
  /** Returns the models of the category that do not accept `input` but list one of its `fields`. */
  const listing = (category: ModelCategory, input: Modality, operation: ModelOperation, fields: readonly string[]) =>
    offenders(
      (model) =>
        model.category !== category ||
        model.capabilities.input.includes(input) ||
        !fieldsOf(model, operation).some((field) => fields.includes(field)),
    );

  test('has no image field if it makes videos', () => {
    const fields = ['image_url', 'end_image_url', 'reference_image_urls'];
    expect(listing('video', 'image', 'videos.generations', fields)).toEqual([]);
  });

  test('has no video field if it makes videos', () => {
    expect(listing('video', 'video', 'videos.generations', ['video_url'])).toEqual([]);
  });

  test('has no image field if it makes images', () => {
    expect(listing('image', 'image', 'images.generations', ['image_url', 'image_urls'])).toEqual([]);
  });

  test('has no image edits', () => {
    const rule = ({ operations, capabilities: { input } }: CatalogModel) =>
      !operations.includes('images.edits') || input.includes('image');
    expect(offenders(rule)).toEqual([]);
  });

  test('makes images from text only', () => {
    const rule = (model: CatalogModel) => {
      if (!fieldsOf(model, 'images.generations').includes('operation')) return true;
      const values = model.parameters['images.generations']?.operation?.enum;
      return model.capabilities.input.includes('image') || values?.join() === 'text-to-image';
    };
    expect(offenders(rule)).toEqual([]);
  });
});

describe('every price', () => {
  test('has its source and date, which is in the past', () => {
    const rule = ({ priceSource }: CatalogModel) =>
      URL.canParse(priceSource?.url ?? '') && Date.parse(priceSource?.date ?? '') <= Date.now();
    expect(offenders(rule, priced)).toEqual(['local/universal-sentence-encoder-lite', ...SYNTHETIC]);
  });

  test('can be charged', () => {
    expect(offenders(({ pricing }) => PriceSheet.parse(pricing) !== null, priced)).toEqual([]);
  });

  test('of a later period has the same kinds as the one before', () => {
    const rule = ({ pricing }: CatalogModel) => {
      if (pricing === null || pricing === 'free') return true;
      const kinds = pricePeriods(pricing).map(({ prices }) => Object.keys(prices).sort().join());
      return new Set(kinds).size === 1;
    };
    expect(offenders(rule, priced)).toEqual([]);
  });
});

/** Returns the token prices with their dates; empty for a model without a price. */
function tokenPrices({ pricing }: CatalogModel): readonly string[] {
  if (pricing === null || pricing === 'free') return [];
  return pricePeriods(pricing).map(({ effectiveFromMs, prices }) =>
    [effectiveFromMs, Number(prices.input_per_1m), Number(prices.output_per_1m)].join(),
  );
}

/** Returns a form that is the same for all spellings: `anthropic/claude-opus-5.5` is the maker's `claude-opus-5-5`. */
function bareName(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).replaceAll('.', '-');
}

describe("a model resold at its maker's price", () => {
  const made = new Map(
    models
      .filter(({ provider, ownedBy }) => provider === ownedBy)
      .map((model) => [`${model.ownedBy}/${bareName(model.id)}`, tokenPrices(model)] as const),
  );
  const sold = models.flatMap((model) => {
    const ours = tokenPrices(model);
    const theirs = made.get(`${model.ownedBy}/${bareName(model.id)}`) ?? [];
    return model.provider !== model.ownedBy && ours.length > 0 && ours[0] === theirs[0]
      ? [{ model, ours, theirs }]
      : [];
  });

  test('exists at every reseller', () => {
    const resellers = new Set(sold.map(({ model }) => model.provider));
    expect([...resellers]).toEqual(expect.arrayContaining(['openrouter', 'perplexity', 'vercel']));
  });

  test('follows the price of its maker', () => {
    const late = sold.filter(({ ours, theirs }) => ours.join(' ') !== theirs.join(' '));
    expect(late.map(({ model }) => nameOf(model))).toEqual([]);
  });
});
