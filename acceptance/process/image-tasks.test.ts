import { afterEach, expect, test } from 'bun:test';
import { asArray, asObject } from '../../conformance/shared/json.ts';
import { pngOf } from '../../conformance/shared/png.ts';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* Image tasks that the gateway itself waits for, when it is stopped or killed. */

const TIMEOUT_MS = 600_000;
const PRICE = 0.04;
const BALANCE = 1;
const KEY = 'sk-images-0000000000000000000000000000';
const TOKEN = 'mt-images-0000000000000000000000000000';

const endings: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
}, 600_000);

/** Starts a provider that responds when the test lets it. */
function startProvider() {
  const b64_json = pngOf({ width: 8, height: 8 }).toString('base64');
  const waiting: (() => void)[] = [];
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: () => {
      asked++;
      return new Promise<Response>((resolve) => {
        waiting.push(() => resolve(Response.json({ created: 1, data: [{ b64_json }] })));
      });
    },
  });
  endings.push(() => server.stop(true));
  const answerAll = () => {
    for (const answer of waiting.splice(0)) answer();
  };
  return { url: server.url.href.replace(/\/$/, ''), asked: () => asked, answerAll };
}

async function start({ graceMs }: { readonly graceMs: number }) {
  const provider = startProvider();
  const space = await ProcessWorkspace.create();
  endings.push(() => space.remove());
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    server: { shutdown_grace_ms: graceMs },
    channels: [
      {
        ...{ id: 'openai', name: 'OpenAI', provider: 'openai', api_key: 'upstream-key', base_url: provider.url },
        models: { picture: 'gpt-image-1' },
      },
    ],
    models: [{ id: 'picture', category: 'image', pricing: { per_image: String(PRICE) } }],
    accounts: [
      {
        ...{ id: 'payer', name: 'Payer', balance_usd: String(BALANCE), requests_per_minute: 1_000_000 },
        keys: [{ id: 'payer', name: 'Payer', secret: KEY }],
        management_tokens: [{ id: 'payer', name: 'Payer', secret: TOKEN }],
      },
    ],
  });
  const serve = () => space.serve({ env: { SWITCHYARD_CONFIG } });
  return { provider, serve };
}

async function read(serving: ServingProcess, path: string, secret: string) {
  const answer = await fetch(`${serving.origin}${path}`, { headers: { authorization: `Bearer ${secret}` } });
  return asObject(await answer.json());
}

/** Creates a task whose provider has received the request and not responded. */
async function waitingTask(serving: ServingProcess, asked: () => number): Promise<string> {
  const answer = await fetch(`${serving.baseUrl}/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'picture', prompt: 'a cat', async: true }),
  });
  const { status, poll_url } = asObject(await answer.json());
  expect([answer.status, status]).toEqual([200, 'pending']);
  await until('the provider gets the request', () => asked() === 1);
  return String(poll_url);
}

async function finalTask(serving: ServingProcess, path: string) {
  await until('the task is final', async () =>
    ['completed', 'failed'].includes(String((await read(serving, path, KEY)).status)),
  );
  return await read(serving, path, KEY);
}

async function money(serving: ServingProcess): Promise<readonly number[]> {
  const { balance_usd, held_usd } = await read(serving, '/v1/management/balance', TOKEN);
  return [Number(balance_usd), Number(held_usd)];
}

test(
  'a killed gateway leaves a failed, free task, and the provider is not asked again',
  async () => {
    const { provider, serve } = await start({ graceMs: 30_000 });
    const first = await serve();
    const path = await waitingTask(first, provider.asked);
    process.kill(-first.pid, 'SIGKILL');
    await first.exited;
    const second = await serve();
    const { status, error } = await finalTask(second, path);
    expect([status, error]).toEqual(['failed', expect.stringContaining('The gateway was interrupted')]);
    expect(await money(second)).toEqual([BALANCE, 0]);
    expect(provider.asked()).toBe(1);
  },
  TIMEOUT_MS,
);

test(
  'a gateway that stops waits for the provider, then stores and charges the result',
  async () => {
    const { provider, serve } = await start({ graceMs: 30_000 });
    const first = await serve();
    const path = await waitingTask(first, provider.asked);
    first.signal('SIGINT');
    await until('the gateway stops', () => first.stdout.includes('Stopping: waiting'));
    provider.answerAll();
    expect(await first.exited).toBe(0);
    const second = await serve();
    const { status, data } = await finalTask(second, path);
    expect([status, asArray(data).length]).toEqual(['completed', 1]);
    expect(await money(second)).toEqual([BALANCE - PRICE, 0]);
  },
  TIMEOUT_MS,
);

test(
  'a gateway that stops while the provider is silent leaves a failed, free task',
  async () => {
    const { provider, serve } = await start({ graceMs: 200 });
    const first = await serve();
    const path = await waitingTask(first, provider.asked);
    first.signal('SIGINT');
    expect(await first.exited).toBe(0);
    const second = await serve();
    expect((await finalTask(second, path)).status).toBe('failed');
    expect(await money(second)).toEqual([BALANCE, 0]);
    expect(provider.asked()).toBe(1);
  },
  TIMEOUT_MS,
);
