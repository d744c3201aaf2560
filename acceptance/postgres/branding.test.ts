import { afterAll, expect, test } from 'bun:test';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

const TOKEN = 'mt-operator-of-all-nodes-000001';
const TIMEOUT_MS = 240_000;

const spaces: Workspace[] = [];
afterAll(async () => {
  await Promise.all(spaces.map((space) => space.remove()));
}, TIMEOUT_MS);

test(
  'the branding and the seller of statements are those of all nodes, without a restart',
  async () => {
    const postgres = await sharedTestPostgres();
    const env = { DATABASE_URL: await postgres.createDatabase(), SWITCHYARD_SECRET: 'the master secret of both' };
    const nodes: Serving[] = [];
    for (let at = 0; at < 2; at++) {
      const space = await Workspace.create();
      spaces.push(space);
      const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
        sandbox: true,
        accounts: [{ id: 'house', admin: true, management_tokens: [{ id: 'ops', secret: TOKEN }], balance_usd: '1' }],
      });
      nodes.push(await space.serve({ env: { ...env, SWITCHYARD_CONFIG } }));
    }
    const [one, other] = nodes as [Serving, Serving];
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const page = async () => await (await fetch(`${other.origin}/app/sign-in`)).text();
    expect(await page()).toContain('<title>Switchyard</title>');
    const body = JSON.stringify({ branding: { name: 'Acme AI' }, seller: { name: 'Acme Ltd' } });
    const changed = await fetch(`${one.origin}/v1/management/settings`, { method: 'PATCH', headers, body });
    const settings = (await changed.json()) as { readonly restart_needed: readonly string[] };
    expect([changed.status, settings.restart_needed]).toEqual([200, []]);
    await until('the other node has the name', async () => (await page()).includes('<title>Acme AI</title>'));
    const month = new Date().toISOString().slice(0, 7);
    const statement = await fetch(`${other.origin}/v1/management/statements/${month}?account_id=house`, { headers });
    expect(((await statement.json()) as { readonly seller: unknown }).seller).toEqual({
      ...{ name: 'Acme Ltd', address: [], tax_id: null, email: null },
    });
  },
  TIMEOUT_MS,
);
