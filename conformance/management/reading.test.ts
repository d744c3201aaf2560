import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { ROUTES } from './routes.ts';
import { ACME, Scene } from './scene.ts';

/* Reading changes nothing: no GET creates an object or an audit entry. */

setDefaultTimeout(600_000);

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.stop());

/** Returns the ids of the audit entries and of all objects. */
async function state(): Promise<object> {
  const lists = ['keys', 'tokens', 'members', 'invitations', 'channels', 'alerts/rules', 'alerts/webhooks', 'tasks'];
  const all = await Promise.all(
    ['audit', 'accounts', 'ledger', ...lists].map(async (list) => {
      const query = list === 'members' ? { account_id: ACME } : {};
      const { status, body } = await scene.ask(`/${list}`, { query: { limit: '1000', ...query } });
      expect([list, status]).toEqual([list, 200]);
      return [list, body.data.map(({ id }: { id: unknown }) => id)];
    }),
  );
  return Object.fromEntries(all);
}

test('every GET of the management API, for an account and for all, changes nothing', async () => {
  const before = await state();
  // A live view lasts until its reader leaves.
  const reading = ROUTES.filter(({ method, path }) => method === 'get' && !path.endsWith('/live'));
  expect(reading.length).toBeGreaterThan(40);
  for (const { path } of reading) {
    for (const query of [{}, { account_id: ACME }]) {
      const { status } = await scene.ask(path.replace(/\{\w+\}/g, 'none'), { query });
      expect([path, status < 500]).toEqual([path, true]);
    }
  }
  expect(await state()).toEqual(before);
});
