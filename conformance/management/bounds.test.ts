import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import type { ManagementRoute } from '../../src/transports/management/route.ts';
import { pathOf, ROUTES } from './routes.ts';
import { ACME, Scene } from './scene.ts';

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

/** Returns invalid bodies by their fault, for a route whose schema has these members. */
function hostileBodies(members: readonly string[]): Readonly<Record<string, unknown>> {
  return {
    'unknown members': asMap(many((index) => `unknown-${index}`)),
    'unknown members with long names': asMap(Array.from({ length: 20 }, (_, index) => `${index}${'n'.repeat(20_000)}`)),
    ...Object.fromEntries(
      members.flatMap((name) => [
        [`${name}: a long list of numbers`, { [name]: many((index) => index) }],
        [`${name}: a long list of wrong texts`, { [name]: many((index) => ` wrong ${index}`) }],
        [`${name}: a long list of objects`, { [name]: Array.from({ length: MANY / 2 }, () => ({ a: 1 })) }],
        [`${name}: a large map`, { [name]: asMap(many((index) => `key ${index}`)) }],
        [`${name}: a long text`, { [name]: ' wrong'.repeat(50_000) }],
      ]),
    ),
  };
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
    for (const [about, body] of Object.entries(hostileBodies(membersOf(route)))) {
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
