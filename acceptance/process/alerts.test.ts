import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* Alerts are delivered even if the gateway is killed during a delivery. */

const TOKEN = 'mt-alerts-0123456789abcdef';
const SECRET = btoa('s'.repeat(32));
const TIMEOUT_MS = 600_000;

interface Heard {
  readonly headers: Headers;
  readonly body: string;
}

let workspace: ProcessWorkspace;
let gateway: ServingProcess;
const heard: Heard[] = [];
/** The endpoint does not respond before this resolves. */
const answers = Promise.withResolvers<void>();
const endpoint = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 60,
  fetch: async (request) => {
    heard.push({ headers: request.headers, body: await request.text() });
    await answers.promise;
    return new Response(null, { status: 204 });
  },
});

const serve = () => workspace.serve({ env: { SWITCHYARD_CONFIG: workspace.path('switchyard.yaml') } });

beforeAll(async () => {
  workspace = await ProcessWorkspace.create();
  await workspace.write('switchyard.yaml', {
    // The tests poll for the state that they wait for.
    server: { management_requests_per_minute: 1_000_000 },
    accounts: [{ id: 'acme', admin: true, balance_usd: '1', management_tokens: [{ id: 'ops', secret: TOKEN }] }],
    alerts: {
      ...{ allow_http: true, allowed_ranges: ['127.0.0.1'] },
      webhooks: [{ id: 'on-call', url: `http://127.0.0.1:${endpoint.port}/`, secret: `whsec_${SECRET}` }],
    },
  });
  gateway = await serve();
}, TIMEOUT_MS);

afterAll(async () => {
  answers.resolve();
  await workspace?.remove();
  await endpoint.stop(true);
}, TIMEOUT_MS);

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  return fetch(`${gateway.baseUrl}/management/alerts/${path}`, { ...init, headers });
}

async function list(path: string): Promise<readonly { readonly [field: string]: unknown }[]> {
  const { data } = (await (await ask(path)).json()) as { data: { [field: string]: unknown }[] };
  return data;
}

test(
  'an alert is delivered after a kill during its delivery, signed and under the same id',
  async () => {
    // New rules are evaluated soon; rules of the file wait for their turn.
    const rule = { id: 'poor', balance_below: { usd: '5' }, accounts: ['acme'] };
    expect((await ask('rules', { method: 'POST', body: JSON.stringify(rule) })).status).toBe(201);
    await until('the alert is sent', () => heard.length > 0, TIMEOUT_MS);
    process.kill(gateway.pid, 'SIGKILL');
    await gateway.exited;
    answers.resolve();
    // Expires the claim.
    const database = new Database(workspace.database);
    database.run('UPDATE alert_deliveries SET next_attempt_at_ms = 0');
    database.close();
    gateway = await serve();
    await until('the alert is delivered', async () => (await list('deliveries?state=delivered')).length === 1);
    expect(heard).toHaveLength(2);
    const [first, second] = heard as [Heard, Heard];
    expect(second.body).toBe(first.body);
    const id = second.headers.get('webhook-id');
    expect(id).toBe(first.headers.get('webhook-id'));
    const signed = `${id}.${second.headers.get('webhook-timestamp')}.${second.body}`;
    const signature = createHmac('sha256', Buffer.from(SECRET, 'base64')).update(signed).digest('base64');
    expect(second.headers.get('webhook-signature')).toBe(`v1,${signature}`);
    const [delivery] = await list('deliveries?state=delivered');
    expect(await list('events?type=alert.raised')).toMatchObject([{ id: delivery?.event, rule: { id: 'poor' } }]);
  },
  TIMEOUT_MS,
);
