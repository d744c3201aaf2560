import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { pathOf, ROUTES } from '../../conformance/management/routes.ts';
import { ACME, Scene } from '../../conformance/management/scene.ts';
import type { ManagementRoute } from '../../src/transports/management/route.ts';

/*
 * The size of an error response does not grow with the errors in the request. Every route with a body gets bodies that are as large as the
 * limits allow and wrong in every member.
 */

const MOST_ANSWER_BYTES = 16 * 1024;
/** Just below the bound of values, so that the schema has to read them all. */
const MANY = 19_000;

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.stop());

const withBody = ROUTES.filter((route) => route.body !== undefined);

function membersOf({ body }: ManagementRoute): readonly string[] {
  const schema = z.toJSONSchema(body?.schema ?? z.never(), { io: 'input', unrepresentable: 'any' });
  return Object.keys(schema.properties ?? {});
}

const many = <Item>(item: (index: number) => Item) => Array.from({ length: MANY }, (_, index) => item(index));
const asMap = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));

/** Wrong values as JSON, made once because thousands of bodies contain them. */
const WRONG_VALUES = Object.entries({
  'a long list of numbers': many((index) => index),
  'a long list of wrong texts': many((index) => ` wrong ${index}`),
  'a long list of objects': Array.from({ length: MANY / 2 }, () => ({ a: 1 })),
  'a large map': asMap(many((index) => `key ${index}`)),
  'a long text': ' wrong'.repeat(50_000),
}).map(([about, value]) => [about, JSON.stringify(value)] as const);
const UNKNOWN_MEMBERS = JSON.stringify(asMap(many((index) => `unknown-${index}`)));
const UNKNOWN_LONG_NAMES = JSON.stringify(
  asMap(Array.from({ length: 20 }, (_, index) => `${index}${'n'.repeat(20_000)}`)),
);

/** Returns invalid bodies by their fault, for a route whose schema has these members. */
function hostileBodies(members: readonly string[]): readonly (readonly [about: string, body: string])[] {
  return [
    ['unknown members', UNKNOWN_MEMBERS],
    ['unknown members with long names', UNKNOWN_LONG_NAMES],
    ...members.flatMap((name) =>
      WRONG_VALUES.map(([about, value]) => [`${name}: ${about}`, `{${JSON.stringify(name)}:${value}}`] as const),
    ),
  ];
}

async function answerTo(route: ManagementRoute, body: unknown, token?: null) {
  const query = route.access.who === 'account' ? { account_id: ACME } : {};
  const search = new URLSearchParams(query).toString();
  const answer = await fetch(`${scene.gateway.origin}${pathOf(route)}${search === '' ? '' : `?${search}`}`, {
    method: route.method.toUpperCase(),
    headers: {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: 'Bearer mt-operator-of-this-scene-00000001' }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: answer.status, bytes: (await answer.bytes()).length };
}

describe.each(withBody.map((route) => [route.operationId, route] as const))('%s', (_id, route) => {
  test('answers a wrong body with less than 16 KB', async () => {
    for (const [about, body] of hostileBodies(membersOf(route))) {
      const { status, bytes } = await answerTo(route, body);
      expect({ about, status, isSmall: bytes < MOST_ANSWER_BYTES }).toMatchObject({ about, isSmall: true });
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });

  test('does not read a body of more values than any input has', async () => {
    const { status } = await answerTo(route, `{"a":[${'1,'.repeat(100_000)}1]}`);
    expect([401, 403, 413]).toContain(status);
  });
});

test('a route without a session reads no more than 8 KB', async () => {
  const open = withBody.filter(({ access }) => access.who === 'anyone');
  expect(open.length).toBeGreaterThan(0);
  for (const route of open) {
    expect((await answerTo(route, { token: 'x'.repeat(9 * 1024) }, null)).status).toBe(413);
    expect((await answerTo(route, asMap(Array.from({ length: 200 }, (_, index) => `m${index}`)), null)).status).toBe(
      413,
    );
  }
});
