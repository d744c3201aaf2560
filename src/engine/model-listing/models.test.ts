import { beforeEach, describe, expect, test } from 'bun:test';
import type { Model } from '../../domain/catalog/model.ts';
import type { SuccessSnapshot } from '../../domain/catalog/preference.ts';
import { sampleCatalogModel } from '../../domain/catalog/testing/sample-catalog-model.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { hashSecret } from '../access/secrets.ts';
import type { Directory } from '../directory/directory.ts';
import { sampleDirectory, sampleProvider } from '../directory/testing/sample-directory.ts';
import { sampleAccount, sampleChannel, sampleCredential, sampleModel } from '../ports/testing/samples.ts';
import { parseModelQuery } from './model-query.ts';
import { listed, Models, type ModelsView } from './models.ts';

const STARTED_AT_MS = 1_790_000_000_000;
const SECRET = 'sk-a-key-of-this-test';
const REFUSED = new Failure('rate_limit_exceeded', { message: 'too often' });

const PROVIDER = sampleProvider({
  models: () => [
    sampleCatalogModel({ id: 'brush-a', category: 'image', ownedBy: 'studio', tags: ['fast'] }),
    sampleCatalogModel({ id: 'brush-b', category: 'image', ownedBy: 'studio' }),
    sampleCatalogModel({ id: 'brush-c', category: 'image', ownedBy: 'openai' }),
    sampleCatalogModel({ id: 'ears', category: 'stt', operations: ['audio.transcriptions', 'audio.translations'] }),
    sampleCatalogModel({ id: 'lumen', category: 'chat', pricing: { input_per_1m: '1' } }),
    sampleCatalogModel({ id: 'talker', category: 'audio' }),
    sampleCatalogModel({ id: 'not-served', ownedBy: 'far-away', tags: ['rare'] }),
  ],
});
const SERVED = ['brush-a', 'brush-b', 'brush-c', 'ears', 'lumen', 'talker'];
const SNAPSHOT: SuccessSnapshot = {
  atMs: STARTED_AT_MS - 5_000,
  windowMs: 86_400_000,
  counts: [
    { modelId: 'brush-a', succeeded: 1, failed: 9 },
    { modelId: 'brush-c', succeeded: 9, failed: 1 },
  ],
};

const directory = sampleDirectory(
  {
    channels: [
      sampleChannel({ models: Object.fromEntries(SERVED.map((id) => [id, id])) }),
      sampleChannel({ id: 'own', owner: 'acme', models: { 'of-acme': 'of-acme' } }),
    ],
    models: [sampleModel({ id: 'of-acme', ownedBy: 'secret-maker', tags: ['secret-tag'], status: null })],
  },
  [PROVIDER],
);

const OWNER = {
  account: sampleAccount(),
  credential: sampleCredential({ secretHash: hashSecret(SECRET) }),
};

let nowMs: number;
let snapshot: SuccessSnapshot | null;
let refusal: Failure | null;
let admitted: number;
let used: string[];
let models: Models;

beforeEach(() => {
  nowMs = STARTED_AT_MS;
  snapshot = SNAPSHOT;
  refusal = null;
  admitted = 0;
  used = [];
  models = new Models({
    directory: () => directory,
    principals: { find: (hash) => (hash === OWNER.credential.secretHash ? OWNER : null) },
    limits: {
      admit() {
        admitted += 1;
        return { headers: { 'x-ratelimit-limit': '60' }, limits: null, refusal, end: () => {} };
      },
    },
    clock: { nowMs: () => nowMs },
    keyUsed: ({ id }) => used.push(id),
    wrongKeys: { refused: (_caller, failure) => failure },
    snapshot: () => snapshot,
    minimumSamples: 10,
  });
});

function view(fields: Partial<ModelsView> = {}): ModelsView {
  return { directory, principal: null, snapshot, nowMs, ...fields };
}

function list(query: string, seen = view()) {
  const found = models.list(seen, new URLSearchParams(query));
  return found instanceof Failure ? expect.unreachable(found.message) : found;
}

function ids(query: string, seen?: ModelsView): readonly string[] {
  return list(query, seen).models.map(({ id }) => id);
}

function refusalOf(query: string, seen = view()): string {
  const found = models.list(seen, new URLSearchParams(query));
  return found instanceof Failure ? found.message : expect.unreachable();
}

function modelOf(id: string, from: Directory = directory): Model {
  return from.visibleModel(id, null) ?? expect.unreachable();
}

describe('a list', () => {
  test('has every model that the caller may use, by id', () => {
    expect(ids('')).toEqual(SERVED);
    expect(ids('', view({ principal: OWNER }))).toEqual([...SERVED, 'of-acme'].sort());
  });

  test.each<[string, readonly string[]]>([
    ['category=image', ['brush-a', 'brush-b', 'brush-c']],
    ['provider=studio', ['brush-a', 'brush-b']],
    ['tag=fast', ['brush-a']],
    ['tag=image', ['brush-a', 'brush-b', 'brush-c']],
    // Models made by this provider, and models made by others but served over one of its channels.
    ['category=image&provider=openai', ['brush-a', 'brush-b', 'brush-c']],
    ['category=translation', ['ears']],
    ['tag=translation', ['ears']],
    ['category=chat&tag=fast', []],
  ])('%s', (query, expected) => {
    expect(ids(query)).toEqual(expected);
  });

  test('can be filtered by any name of a maker', () => {
    const vocabulary = () => ({ providers: new Set(['kling']), tags: new Set<string>() });
    expect(parseModelQuery(new URLSearchParams('provider=kuaishou'), vocabulary)).toMatchObject({ provider: 'kling' });
  });

  test('has no preferences without a scene', () => {
    expect(list('category=image').preferences).toBeNull();
  });

  test('accepts makers and tags of the catalog, even without a served model', () => {
    expect([ids('provider=far-away'), ids('tag=rare')]).toEqual([[], []]);
  });

  test.each(['provider=secret-maker', 'tag=secret-tag'])(
    '%s: a value of an own model only is accepted for its owner alone',
    (query) => {
      const [name] = query.split('=');
      expect(ids(query, view({ principal: OWNER }))).toEqual(['of-acme']);
      // For other accounts, the value does not exist.
      expect(refusalOf(query).replace(/; got .*/, '')).toBe(refusalOf(`${name}=no-such-thing`).replace(/; got .*/, ''));
      expect(refusalOf(`${name}=no-such-thing`)).not.toContain('secret');
    },
  );

  test("does not reveal an owner's makers and tags to later callers", () => {
    ids('provider=secret-maker', view({ principal: OWNER }));
    expect(refusalOf('provider=secret-maker')).not.toContain('"secret-maker",');
  });
});

describe('with recommended_for', () => {
  test('lists the best first, then those with too few samples', () => {
    expect(ids('recommended_for=image')).toEqual(['brush-c', 'brush-a', 'brush-b']);
  });

  test('has preferences of this scene only', () => {
    const { preferences } = list('recommended_for=translation');
    expect([...(preferences ?? [])].map(([id, scenes]) => [id, Object.keys(scenes)])).toEqual([
      ['ears', ['translation']],
    ]);
  });

  test('ranks within the whole scene, whatever else filters the list', () => {
    const { models: found, preferences } = list('recommended_for=image&provider=studio');
    const ranks = found.map(({ id }) => [id, preferences?.get(id)?.image?.rank]);
    expect(ranks).toEqual([
      ['brush-a', 2],
      ['brush-b', 3],
    ]);
  });

  test('has the counts in the preference', () => {
    expect(list('recommended_for=image').preferences?.get('brush-a')).toEqual({
      image: { rank: 2, successRate: 0.1, sampleCount: 10, status: 'ready', updatedAtMs: SNAPSHOT.atMs },
    });
  });
});

describe("a model's own preferences", () => {
  test('are its ranks in each of its scenes', () => {
    const preferences = models.preferencesOf(view(), modelOf('ears'));
    expect(Object.keys(preferences ?? {})).toEqual(['stt', 'translation']);
    expect(models.preferencesOf(view(), modelOf('brush-b'))).toMatchObject({ image: { rank: 3 } });
  });

  test('are the same as in the list', () => {
    const inList = list('recommended_for=image').preferences?.get('brush-c');
    expect(models.preferencesOf(view(), modelOf('brush-c'))).toEqual(inList ?? expect.unreachable());
  });

  test('are empty for an audio model', () => {
    expect(models.preferencesOf(view(), modelOf('talker'))).toEqual({});
  });

  test('are null for a chat model', () => {
    expect(models.preferencesOf(view(), modelOf('lumen'))).toBeNull();
  });
});

describe('the time of the preferences', () => {
  const updatedAtMs = () => models.preferencesOf(view(), modelOf('ears'))?.stt?.updatedAtMs;

  test('is the start of the gateway until there is a count', () => {
    snapshot = null;
    const first = updatedAtMs();
    nowMs += 3_600_000;
    expect([first, updatedAtMs()]).toEqual([STARTED_AT_MS, STARTED_AT_MS]);
  });

  test('is the time of the count afterwards, even for a model that is not in it', () => {
    nowMs += 3_600_000;
    expect(updatedAtMs()).toBe(SNAPSHOT.atMs);
  });
});

describe('prices', () => {
  test('are listed for every usable model, or for one', () => {
    expect(models.priced(view(), null)).toHaveLength(SERVED.length);
    expect(models.priced(view(), 'lumen')).toMatchObject([{ id: 'lumen' }]);
  });

  test('of a model hidden from the caller give its failure', () => {
    expect(models.priced(view(), 'of-acme')).toMatchObject({ code: 'model_not_found' });
  });

  test('are listed as in force, also if they never change', () => {
    const later = [
      { effectiveFromMs: null, prices: { per_request: '1' }, tiers: [] },
      { effectiveFromMs: 2_000, prices: { per_request: '2' }, tiers: [] },
    ];
    const at = (pricing: Model['pricing']) => listed({ ...modelOf('lumen'), pricing }, 1_000).prices;
    expect(at(later)).toEqual({ prices: { per_request: '1' }, tiers: [], untilMs: 2_000 });
    expect([at('free'), at(null)]).toEqual(['free', null]);
  });
});

describe('a call', () => {
  const callerWith = (secret: string | null) => ({ envelope: {}, secret, address: () => null });
  const caller = ({ principal }: ModelsView) => principal?.account.id ?? 'nobody';

  test("with a key sees its account's models, has the limit headers, and records the use of the key", async () => {
    expect(await models.withKey(callerWith(SECRET), caller)).toEqual({
      result: 'acme',
      headers: { 'x-ratelimit-limit': '60' },
    });
    expect(used).toEqual(['ci']);
  });

  test.each([
    ['none', null],
    ['a wrong one', 'sk-wrong'],
  ])('that requires a key and has %s is refused', async (_name, secret) => {
    expect((await models.withKey(callerWith(secret), caller)).result).toMatchObject({ code: 'invalid_api_key' });
    expect(admitted).toBe(0);
  });

  test('without a key, if it is optional, sees the public models beyond all limits', async () => {
    expect(await models.withOptionalKey(callerWith(null), caller)).toEqual({ result: 'nobody', headers: {} });
    expect(admitted).toBe(0);
  });

  test.each(['sk-wrong', ''])('with an optional but invalid key is refused: %j', async (secret) => {
    expect((await models.withOptionalKey(callerWith(secret), caller)).result).toMatchObject({
      code: 'invalid_api_key',
    });
  });

  test('over its limit reads nothing', async () => {
    refusal = REFUSED;
    const { result } = await models.withOptionalKey(callerWith(SECRET), () => expect.unreachable());
    expect([result, admitted]).toEqual([REFUSED, 1]);
  });
});
