import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Client } from 'pg';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';

/* Guards over PostgreSQL: they and their verdicts survive a restart, and no table has a value that they have masked. */

const TIMEOUT_MS = 600_000;
const NAME = 'jane.doe.of.postgres';
const EMAIL = `${NAME}@example.com`;
const OPERATOR = 'mt-house-of-postgres-0000000000001';

let space: Workspace;
let serving: Serving;
let url: string;
let start: () => Promise<Serving>;

beforeAll(async () => {
  space = await Workspace.create();
  url = await (await sharedTestPostgres()).createDatabase();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    models: [{ id: 'sandbox-chat' }],
    accounts: [
      { id: 'house', admin: true, management_tokens: [{ id: 'ops', secret: OPERATOR }] },
      {
        ...{ id: 'acme', billing: 'unlimited', capture: 'full', requests_per_minute: 100_000 },
        cache: { strategy: 'exact', max_temperature: 2 },
      },
    ],
  });
  const env = { SWITCHYARD_CONFIG, DATABASE_URL: url, SWITCHYARD_SECRET: 'the secret of this test' };
  start = () => space.serve({ env });
  serving = await start();
}, TIMEOUT_MS);
afterAll(() => space?.remove(), TIMEOUT_MS);

const managed = (path: string, method = 'GET', body?: object) =>
  fetch(`${serving.origin}/v1/management${path}`, {
    ...{ method, headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const post = (path: string, body: object, key: string) =>
  fetch(`${serving.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Returns the tables with a row that has the text. */
async function tablesWith(text: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
    );
    const found: string[] = [];
    const hex = Buffer.from(text).toString('hex');
    for (const { name } of rows) {
      const sql = `SELECT 1 FROM ${name} AS row WHERE row::text LIKE $1 OR row::text LIKE $2 LIMIT 1`;
      const { rowCount } = await client.query(sql, [`%${text}%`, `%${hex}%`]);
      if (rowCount !== 0) found.push(name);
    }
    return found;
  } finally {
    await client.end();
  }
}

test(
  'guards and verdicts survive a restart, and no table has a masked value',
  async () => {
    const guard = { id: 'privacy', pii: [{ class: 'email' }], stages: ['input', 'output'] };
    expect((await managed('/guards', 'POST', guard)).status).toBe(201);
    const made = await managed('/keys?account_id=acme', 'POST', { id: 'guarded', guards: ['privacy'] });
    const { secret } = (await made.json()) as { secret: string };
    const chat = { model: 'sandbox-chat', messages: [{ role: 'user', content: `Write to ${EMAIL}` }] };
    const answers = [
      await post('/chat/completions', chat, secret),
      await post('/chat/completions', { ...chat, stream: true }, secret),
      await post('/responses', { model: 'sandbox-chat', input: `Write to ${EMAIL}` }, secret),
      await post('/videos/generations', { model: 'sandbox-video', prompt: `a letter to ${EMAIL}` }, secret),
    ];
    for (const answer of answers) {
      expect(answer.status).toBeLessThan(300);
      await answer.text();
    }
    expect(await serving.stop()).toBe(0);
    serving = await start();
    const shown = await managed(`/requests/${answers[0]?.headers.get('x-request-id')}`);
    expect(await shown.json()).toMatchObject({
      guards: [{ guard: 'privacy', rule: 'email', stage: 'input', action: 'mask', count: 1 }],
    });
    expect((await post('/chat/completions', chat, secret)).status).toBe(200);
    await until('the task has ended', async () => {
      const line = await managed(`/requests/${answers[3]?.headers.get('x-request-id')}`);
      return line.ok && (await line.text()).includes('"rule":"email"');
    });
    expect(await tablesWith(NAME)).toEqual([]);
    // Otherwise the question would find nothing at all.
    expect(await tablesWith('sandbox-chat')).not.toEqual([]);
  },
  TIMEOUT_MS,
);
