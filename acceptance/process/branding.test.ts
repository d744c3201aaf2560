import { afterAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';

/* A change of the branding at one worker is on the pages of all of them, without a restart. */

const TOKEN = 'mt-operator-of-all-workers-00001';
/** Enough connections to reach each of the two workers, however the system spreads them. */
const CONNECTIONS = 40;
const TIMEOUT_MS = 240_000;

let space: ProcessWorkspace;
afterAll(async () => space?.remove());

test(
  'a new name, logo and color reach every worker',
  async () => {
    space = await ProcessWorkspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      sandbox: true,
      accounts: [{ id: 'house', admin: true, management_tokens: [{ id: 'ops', secret: TOKEN }] }],
    });
    const serving = await space.serve({ env: { SWITCHYARD_CONFIG, SWITCHYARD_WORKERS: '2' } });
    await until('all workers are ready', () => serving.stdout.includes('Workers: 2 processes'));
    const titles = async () => {
      const pages = Array.from({ length: CONNECTIONS }, async () => {
        const page = await fetch(`${serving.origin}/app/sign-in`, { headers: { connection: 'close' } });
        return /<title>([^<]*)/.exec(await page.text())?.[1];
      });
      return [...new Set(await Promise.all(pages))];
    };
    expect(await titles()).toEqual(['Switchyard']);
    for (const name of ['Acme AI', 'Beta AI']) {
      const changed = await fetch(`${serving.origin}/v1/management/settings`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ branding: { name, accent_color: '#c2335f' } }),
      });
      expect(changed.status).toBe(200);
      const { branding } = (await changed.json()) as { branding: { style_url: string } };
      await until('all workers have the name', async () => (await titles()).join() === name);
      // A page of one worker names a file that any other may have to answer.
      const styles = Array.from({ length: CONNECTIONS }, async () => {
        const style = await fetch(`${serving.origin}/${branding.style_url}`, { headers: { connection: 'close' } });
        return [style.status, (await style.text()).includes('--accent:')];
      });
      for (const style of await Promise.all(styles)) expect(style).toEqual([200, true]);
    }
  },
  TIMEOUT_MS,
);
