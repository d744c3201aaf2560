import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sectionOfContract } from './models/contract.ts';
import { describeTable } from './models/describe-table.ts';
import { geminiIds } from './models/objects.ts';
import { type AskOptions, eventually, KEYS, World } from './models/world.ts';
import { asArray, asObject } from './shared/json.ts';

/* The pages of the generative-content list, on a gateway with more models than fit on one page. */

setDefaultTimeout(600_000);

const MOST = 1000;
const BULK = Array.from({ length: MOST + 5 }, (_, index) => ({ id: `m-${String(index).padStart(4, '0')}` }));

let world: World;
/** All ids, in order. */
let ids: readonly string[];

beforeAll(async () => {
  world = await World.start({ models: BULK });
  ids = asArray((await world.ask('/v1/models')).json.data).map((model) => String(asObject(model).id));
});
afterAll(() => world.stop());

interface PageOfModels {
  readonly ids: readonly string[];
  readonly next: string | null;
}

async function page(query: string, options?: AskOptions): Promise<PageOfModels> {
  const { status, json } = await world.ask(`/v1beta/models?${query}`, options);
  expect([query, status]).toEqual([query, 200]);
  const names = asArray(json.models).map((item) => String(asObject(item).name).replace(/^models\//, ''));
  return { ids: names, next: typeof json.nextPageToken === 'string' ? json.nextPageToken : null };
}

async function allPages(query: string): Promise<readonly PageOfModels[]> {
  const pages = [await page(query)];
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) pages.push(await page(`${query}&pageToken=${next}`));
  return pages;
}

/** Expects a 400 in Google's envelope that names the parameter. */
async function checkRefused(query: string, field: string): Promise<void> {
  const { status, json, error } = await world.ask(`/v1beta/models?${query}`);
  expect([query, status, error.code, error.status]).toEqual([query, 400, 400, 'INVALID_ARGUMENT']);
  expect(Object.keys(json)).toEqual(['error']);
  expect(error.message).toStartWith(field);
  const violations = asArray(error.details).flatMap((detail) => asArray(asObject(detail).fieldViolations));
  expect(violations).toEqual([{ field, description: error.message }]);
}

describe('GET /v1beta/models', () => {
  const DEFAULT = '`pageSize` (integer, default 1000, maximum 1000)';
  const TOKEN = '`pageToken` (string, opaque token from a previous page)';
  const MODELS = '`models` (array of generative-content model list items)';
  const NEXT = '`nextPageToken` (string, present when more models remain)';
  const KEY = 'Authentication on this list is optional';

  test('the contract has these sentences', () => {
    const section = sectionOfContract('### Generative-content format (`/v1beta`)');
    const sentence = `\`GET /v1beta/models\` query parameters: ${DEFAULT}, ${TOKEN}. Response: ${MODELS}, ${NEXT}. ${KEY}.`;
    expect(section).toContain(sentence);
  });

  describe(DEFAULT, () => {
    test('default 1000', async () => {
      const { json } = await world.ask('/v1beta/models');
      expect(asArray(json.models)).toHaveLength(MOST);
    });

    test.each([1, 2, 999, 1000])('%d', async (size) => {
      expect((await page(`pageSize=${size}`)).ids).toEqual(ids.slice(0, size));
    });

    test.each(['0', '1001', 'abc', '-1', '1.5', '', '1e2', '0x10', '%2B5', '99999999999999999999'])(
      'refused: %j',
      async (size) => {
        await checkRefused(`pageSize=${size}`, 'pageSize');
      },
    );
  });

  describe(TOKEN, () => {
    test.each([7, 250, 1000])('pages of %d together are the whole list, each model once and in order', async (size) => {
      const pages = await allPages(`pageSize=${size}`);
      expect(pages.flatMap((one) => one.ids)).toEqual([...ids]);
      expect(pages.slice(0, -1).filter((one) => one.ids.length !== size)).toEqual([]);
    });

    test('continues after the previous page, with any page size', async () => {
      const first = await page('pageSize=3');
      expect((await page(`pageSize=5&pageToken=${first.next}`)).ids).toEqual(ids.slice(3, 8));
      expect((await page(`pageToken=${first.next}`)).ids).toEqual(ids.slice(3, 3 + MOST));
    });

    test('continues within a filtered list', async () => {
      const first = await page('category=chat&pageSize=2');
      const chats = (await allPages('category=chat&pageSize=1000')).flatMap((one) => one.ids);
      expect((await page(`category=chat&pageSize=2&pageToken=${first.next}`)).ids).toEqual(chats.slice(2, 4));
    });

    test('does not reveal models of one key to another', async () => {
      const size = ids.indexOf('secret-model') - 1;
      const first = await page('pageSize=1000');
      // The owner's page ends before the secret model, which would be first on the next page.
      const { next } = await page(`pageSize=${size + 1 - MOST}&pageToken=${first.next}`);
      const [own, others] = await Promise.all(
        [KEYS.owner, KEYS.other].map((key) => page(`pageToken=${next}`, { key })),
      );
      expect(own?.ids).toContain('secret-model');
      expect(others?.ids).toEqual(own?.ids.filter((id) => id !== 'secret-model') ?? []);
    });

    test('is refused if any character is changed, missing or added', async () => {
      const { next } = await page('pageSize=3');
      const token = next ?? expect.unreachable();
      const changed = [...token].flatMap((character, index) => {
        const others = ['A', 'B', '_'].filter((other) => other !== character).slice(0, 2);
        return others.map((other) => token.slice(0, index) + other + token.slice(index + 1));
      });
      const cut = [...token].map((_character, index) => token.slice(0, index) + token.slice(index + 1));
      const longer = [`${token}A`, `A${token}`, `${token}%3D`, `${token}%20`, token + token];
      for (const wrong of [...changed, ...cut, ...longer, 'abc', '1', '%00', ids[2] ?? '']) {
        await checkRefused(`pageToken=${wrong}`, 'pageToken');
      }
    });

    test('starts again if empty, as in proto3', async () => {
      expect((await page('pageSize=2&pageToken=')).ids).toEqual(ids.slice(0, 2));
    });

    test('does not expose the model that it refers to', async () => {
      const [one, other] = [await page('pageSize=3'), await page('pageSize=4')];
      expect(one.next?.slice(0, 20)).not.toBe(other.next?.slice(0, 20) ?? '');
    });
  });

  test(MODELS, async () => {
    const { json } = await world.ask('/v1beta/models?pageSize=10');
    expect(Object.keys(json)).toEqual(['models', 'nextPageToken']);
    for (const item of asArray(json.models)) expect(asObject(item).name).toStartWith('models/');
  });

  test(NEXT, async () => {
    const pages = await allPages('pageSize=1000');
    expect(pages.map(({ next }) => typeof next)).toEqual(['string', 'object']);
    const size = ids.length - MOST;
    const { json } = await world.ask(`/v1beta/models?pageSize=${size}&pageToken=${pages[0]?.next}`);
    expect(Object.keys(json)).toEqual(['models']);
  });

  describe(KEY, () => {
    test('without a key: the public models, page by page', async () => {
      const seen: string[] = [];
      let token = '';
      do {
        const { ids: some, next } = await page(`pageSize=400&pageToken=${token}`, { key: null });
        seen.push(...some);
        token = next ?? '';
      } while (token !== '');
      const everybodys = asArray((await world.ask('/v1/models', { key: KEYS.other })).json.data);
      expect(seen).toEqual(everybodys.map((model) => String(asObject(model).id)));
      expect(seen).not.toContain('secret-model');
    });

    test('an empty key counts as none', async () => {
      expect(await geminiIds(world, '?pageSize=5&key=', { key: null })).toEqual(
        await geminiIds(world, '?pageSize=5', { key: null }),
      );
    });

    test('with an invalid key: 401', async () => {
      const { status, error } = await world.ask('/v1beta/models?key=sk-wrong', { key: null });
      expect([status, error.code, error.status]).toEqual([401, 401, 'UNAUTHENTICATED']);
    });
  });
});

describeTable('Limits', { heading: '## Limits', rows: ([name]) => name === 'pageSize' }, [
  {
    cells: ['pageSize', 'default 1000, max 1000', '`/v1beta/models`'],
    check: async () => {
      expect((await page('')).ids).toEqual((await page(`pageSize=${MOST}`)).ids);
      await checkRefused(`pageSize=${MOST + 1}`, 'pageSize');
    },
  },
]);

test('a token survives a restart, and continues the same list after models have come and gone', async () => {
  const { next } = await page('pageSize=500');
  const last = ids[499] ?? expect.unreachable();
  const gone = BULK.find(({ id }) => id > last) ?? expect.unreachable();
  const models = [{ id: '0-first' }, ...BULK.filter((one) => one !== gone && one.id !== last), { id: `${last}-b` }];
  await world.apply({ models });
  await eventually(
    () => page('pageSize=1'),
    (first) => first.ids[0] === '0-first',
  );
  const expected = [`${last}-b`, ...ids.slice(500).filter((id) => id !== gone.id)];
  expect((await page(`pageSize=1000&pageToken=${next}`)).ids).toEqual(expected.slice(0, MOST));
  await world.restart();
  expect((await page(`pageSize=1000&pageToken=${next}`)).ids).toEqual(expected.slice(0, MOST));
});
