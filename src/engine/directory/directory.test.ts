import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../domain/catalog/model.ts';
import { sampleCatalogModel } from '../../domain/catalog/testing/sample-catalog-model.ts';
import { PriceSheet } from '../../domain/money/price-sheet.ts';
import { sampleChannel, sampleModel } from '../ports/testing/samples.ts';
import type { Directory } from './directory.ts';
import { sampleDirectory, sampleProvider } from './testing/sample-directory.ts';

const READ = { url: 'https://prices.example', date: '2026-01-31' };
const CHEAP = { input_per_1m: '0.15', output_per_1m: '0.6' };
const DEAR = { input_per_1m: '20', output_per_1m: '80' };
const PROVIDER = sampleProvider({
  models: () => [
    sampleCatalogModel({ id: 'gpt-4o-mini', name: 'GPT-4o mini', pricing: CHEAP, priceSource: READ }),
    sampleCatalogModel({ id: 'o3-pro', name: 'o3-pro', pricing: DEAR, priceSource: READ }),
    sampleCatalogModel({ id: 'gpt-image-1', name: 'GPT Image 1', category: 'image' }),
  ],
});
/** No format of the provider has this name. */
const UNASKABLE = ['no-such-format'];

function directoryOf(channels: readonly Channel[], models: readonly DeclaredModel[] = []): Directory {
  return sampleDirectory({ channels, models }, [PROVIDER]);
}

/** Makes a channel that serves the public id `house`, unless `fields` names others. */
function channel(id: string, fields: Partial<Channel> = {}): Channel {
  return sampleChannel({ id, models: { house: 'gpt-4o-mini' }, ...fields });
}

function declared(id: string, fields: Partial<DeclaredModel> = {}): DeclaredModel {
  return sampleModel({ id, status: null, category: null, ownedBy: null, tags: null, ...fields });
}

type Way = (directory: Directory, id: string, accountId: string) => boolean;
const WAYS: readonly [string, Way][] = [
  ['visibleModel', (directory, id, accountId) => directory.visibleModel(id, accountId) !== undefined],
  ['visibleModels', (directory, id, accountId) => directory.visibleModels(accountId).some((model) => model.id === id)],
  ['routesTo', (directory, id, accountId) => directory.routesTo(id, accountId, 'openai-chat') !== null],
  ['isHealthy', (directory, id, accountId) => directory.isHealthy(id, accountId, 0)],
];

/** Returns which of these can ask for a model; `null` stands for a caller without an account. */
function seers(directory: Directory, id = 'house'): readonly (string | null)[] {
  return ['acme', 'globex', null].filter((accountId) => directory.visibleModel(id, accountId) !== undefined);
}

function channelsTo(directory: Directory, accountId: string): readonly string[] | undefined {
  return directory.routesTo('house', accountId, 'openai-chat')?.targets.map((target) => target.channel.id);
}

describe("an account's own channel", () => {
  test.each(WAYS)('%s: is visible to its owner only', (_name, sees) => {
    const directory = directoryOf([
      channel('a', { owner: 'acme', models: { 'of-acme': 'o3-pro' } }),
      channel('b', { owner: 'globex', models: { 'of-globex': 'o3-pro' } }),
      channel('c', { models: { 'of-all': 'o3-pro' } }),
    ]);
    const seen = ['acme', 'globex', 'initech'].map((accountId) =>
      ['of-acme', 'of-globex', 'of-all'].filter((id) => sees(directory, id, accountId)),
    );
    expect(seen).toEqual([['of-acme', 'of-all'], ['of-globex', 'of-all'], ['of-all']]);
  });

  const TWO_OWNERS = [
    channel('a', { owner: 'acme', models: { house: 'o3-pro' } }),
    channel('b', { owner: 'globex', models: { house: 'gpt-4o-mini' } }),
  ];

  test.each([
    ['acme', 'o3-pro', DEAR],
    ['globex', 'GPT-4o mini', CHEAP],
  ])('determines for %s, its owner, what an id means that only own channels serve', (accountId, name, pricing) => {
    const directory = directoryOf(TWO_OWNERS);
    expect(directory.visibleModel('house', accountId)).toMatchObject({ name, pricing });
    expect(directory.visibleModels(accountId)).toMatchObject([{ id: 'house', name, pricing }]);
    expect(directory.routesTo('house', accountId, 'openai-chat')).toMatchObject({ model: { name, pricing } });
  });

  test('has the price that its owner alone is charged', () => {
    const directory = directoryOf(TWO_OWNERS);
    const sheets = ['acme', 'globex'].map((accountId) => directory.routesTo('house', accountId, 'openai-chat')?.prices);
    expect(sheets).toEqual([PriceSheet.parse(DEAR), PriceSheet.parse(CHEAP)]);
  });

  test('is a target of its owner only', () => {
    const directory = directoryOf(TWO_OWNERS);
    expect([channelsTo(directory, 'acme'), channelsTo(directory, 'globex')]).toEqual([['a'], ['b']]);
  });

  test('is hidden from accounts without channels of their own', () => {
    expect(directoryOf(TWO_OWNERS).visibleModel('house', 'initech')).toBeUndefined();
    expect(directoryOf(TWO_OWNERS).visibleModels(null)).toEqual([]);
  });

  test('is another route to an id that a shared channel serves too', () => {
    const directory = directoryOf([channel('a-own', { owner: 'acme' }), channel('shared', { priority: 9 })]);
    expect([channelsTo(directory, 'acme'), channelsTo(directory, 'globex')]).toEqual([['shared', 'a-own'], ['shared']]);
  });

  test('does not define an id that a shared channel serves too', () => {
    const own = channel('a-own', { owner: 'acme', models: { house: 'o3-pro' } });
    const directory = directoryOf([own, channel('shared', { priority: 9 })]);
    const names = ['acme', 'globex', null].map((accountId) => directory.visibleModel('house', accountId)?.name);
    expect(names).toEqual(['GPT-4o mini', 'GPT-4o mini', 'GPT-4o mini']);
    expect(directory.routesTo('house', 'acme', 'openai-chat')?.prices).toEqual(PriceSheet.parse(CHEAP));
  });

  test('counts as an own channel of its owner while enabled', () => {
    const directory = directoryOf([
      channel('a', { owner: 'acme' }),
      channel('b', { owner: 'globex', enabled: false }),
      channel('c'),
    ]);
    expect(['acme', 'globex', 'initech'].map((id) => directory.hasOwnChannels(id))).toEqual([true, false, false]);
  });
});

describe('a model is defined by its shared channels', () => {
  const dear = { models: { house: 'o3-pro' } };

  test.each<[string, readonly Channel[]]>([
    ['the first by priority', [channel('a', { priority: 2 }), channel('b', { ...dear, priority: 1 })]],
    ['the first by id of equal priority', [channel('b'), channel('a', dear)]],
    ['a disabled one, as before', [channel('a', { ...dear, enabled: false }), channel('b')]],
  ])('%s', (_name, channels) => {
    expect(directoryOf(channels).visibleModel('house', null)).toMatchObject({ name: 'o3-pro', pricing: DEAR });
  });

  test('except those with an unknown provider', () => {
    const directory = directoryOf([channel('a', { ...dear, provider: 'nobody' }), channel('b')]);
    expect(directory.visibleModel('house', null)?.name).toBe('GPT-4o mini');
  });
});

describe('a model that is not public', () => {
  test.each(['hidden', 'hold'] as const)('%s: is hidden from all, whichever channels serve it', (status) => {
    const directory = directoryOf(
      [channel('shared'), channel('own', { owner: 'acme' })],
      [declared('house', { status })],
    );
    for (const [name, sees] of WAYS) expect([name, sees(directory, 'house', 'acme')]).toEqual([name, false]);
    expect(seers(directory)).toEqual([]);
  });
});

describe('a model without a channel', () => {
  test('is visible to all if declared public', () => {
    expect(seers(directoryOf([], [declared('house', { status: 'public' })]))).toEqual(['acme', 'globex', null]);
  });

  test('is hidden from all if declared, but not as public', () => {
    expect(seers(directoryOf([], [declared('house')]))).toEqual([]);
  });

  test('has no target and is not healthy', () => {
    const directory = directoryOf([], [declared('house', { status: 'public' })]);
    expect(channelsTo(directory, 'acme')).toEqual([]);
    expect(directory.isHealthy('house', 'acme', 0)).toBe(false);
  });

  test('is removed when its only channel is disabled', () => {
    expect(seers(directoryOf([channel('a', { enabled: false })]))).toEqual([]);
  });

  test('stays when its only channel is disabled if declared public', () => {
    const directory = directoryOf([channel('a', { enabled: false })], [declared('house', { status: 'public' })]);
    expect(seers(directory)).toEqual(['acme', 'globex', null]);
  });

  test('is visible to the owner of a channel that serves it, declared public or not', () => {
    const directory = directoryOf([channel('a', { owner: 'acme' })], [declared('house', { status: 'public' })]);
    expect(seers(directory)).toEqual(['acme']);
  });

  test('is hidden from all if a disabled own channel names it, declared public or not', () => {
    const off = channel('a', { owner: 'acme', enabled: false });
    expect(seers(directoryOf([off], [declared('house', { status: 'public' })]))).toEqual([]);
  });
});

describe('a model whose shared channel no format can call', () => {
  test('is hidden from all if it is for chat', () => {
    expect(seers(directoryOf([channel('a', { formats: UNASKABLE })]))).toEqual([]);
  });

  test('is visible only to the owner of a channel that can be called', () => {
    const directory = directoryOf([channel('a', { formats: UNASKABLE }), channel('b', { owner: 'acme' })]);
    expect(seers(directory)).toEqual(['acme']);
    expect(channelsTo(directory, 'acme')).toEqual(['b']);
  });

  test("is defined by that owner's channel for the owner", () => {
    const own = channel('b', { owner: 'acme', models: { house: 'o3-pro' } });
    const directory = directoryOf([channel('a', { formats: UNASKABLE }), own]);
    expect(directory.visibleModel('house', 'acme')).toMatchObject({ name: 'o3-pro', pricing: DEAR });
  });

  test('is visible to all if it is not for chat', () => {
    const directory = directoryOf([channel('a', { formats: UNASKABLE, models: { house: 'gpt-image-1' } })]);
    expect(seers(directory)).toEqual(['acme', 'globex', null]);
  });
});

describe('visibleModels', () => {
  const shared = channel('shared', { models: { b: 'b', 'a/z': 'a/z', B: 'B', a: 'a' } });

  test('are sorted by id, by code units', () => {
    expect(
      directoryOf([shared])
        .visibleModels(null)
        .map(({ id }) => id),
    ).toEqual(['B', 'a', 'a/z', 'b']);
  });

  test('include own channels in that order, each once', () => {
    const own = channel('own', { owner: 'acme', models: { a: 'a', aa: 'aa' } });
    const models = directoryOf([own, shared]).visibleModels('acme');
    expect(models.map(({ id }) => id)).toEqual(['B', 'a', 'a/z', 'aa', 'b']);
  });

  test('are the same list for all accounts without own channels', () => {
    const directory = directoryOf([shared, channel('own', { owner: 'acme' })]);
    const everybodys = directory.visibleModels(null);
    expect(directory.visibleModels('globex')).toBe(everybodys);
    expect(directory.visibleModels('initech')).toBe(everybodys);
  });
});

test('firstModelFor is the first that a channel serves for the operation', () => {
  const models = { text: 'o3-pro', vector: 'text-embedding-3-small' };
  const embedder = { ...PROVIDER, wires: [{ wire: 'openai-embeddings', path: '/embeddings' }] };
  const channels = [channel('a', { models })];
  const over = (declaredModels: readonly DeclaredModel[]) =>
    sampleDirectory({ channels, models: declaredModels }, [embedder]);
  const directory = over([declared('vector', { category: 'embedding' })]);
  expect(directory.firstModelFor('embeddings')).toBe('vector');
  expect(directory.firstModelFor('rerank')).toBeNull();
  const hidden = [declared('vector', { category: 'embedding', status: 'hidden' })];
  expect(over(hidden).firstModelFor('embeddings')).toBeNull();
});

describe('firstChatModel', () => {
  test('is the first that a channel serves', () => {
    expect(directoryOf([channel('a', { models: { z: 'o3-pro', b: 'o3-pro' } })]).firstChatModel()).toBe('z');
  });

  test.each<[string, readonly Channel[], readonly DeclaredModel[]]>([
    ['is not for chat', [channel('a', { models: { one: 'gpt-image-1' } })], []],
    ['is hidden', [channel('a', { models: { one: 'o3-pro' } })], [declared('one', { status: 'hidden' })]],
    ['has no channel', [channel('a', { models: {} })], [declared('one', { status: 'public' })]],
    ['no format can ask', [channel('a', { models: { one: 'o3-pro' }, formats: UNASKABLE })], []],
    ["is an account's own", [channel('a', { models: { one: 'o3-pro' }, owner: 'acme' })], []],
  ])('is not one that %s', (_name, channels, models) => {
    expect(directoryOf(channels, models).firstChatModel()).toBeNull();
    expect(directoryOf([...channels, channel('b')], models).firstChatModel()).toBe('house');
  });
});
