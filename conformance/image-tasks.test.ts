import { afterAll, beforeAll, expect, test } from 'bun:test';
import { imageJobs } from '../src/engine/tasks/image-jobs.ts';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';
import { asArray, asObject } from './shared/json.ts';
import { pngOf } from './shared/png.ts';
import { until } from './shared/until.ts';

/* `async: true` at channels whose upstreams answer with the images themselves. */

const b64_json = pngOf({ width: 8, height: 8 }).toString('base64');
let asked = 0;
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    asked++;
    return Response.json({ created: 1, data: [{ b64_json }] });
  },
});
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGatewayWith(
    [
      {
        ...{ id: 'openai', name: 'OpenAI', provider: 'openai', api_key: 'upstream-key' },
        base_url: upstream.url.href.replace(/\/$/, ''),
        models: { 'by-image': 'gpt-image-1', 'by-tokens': 'gpt-image-1' },
      },
    ],
    {
      models: [
        { id: 'by-image', category: 'image', pricing: { per_image: '0.04' } },
        { id: 'by-tokens', category: 'image', pricing: { input_per_1m: '5', output_per_1m: '40' } },
      ],
    },
  );
});
afterAll(async () => {
  await gateway?.stop();
  upstream.stop(true);
});

async function ask(body: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(`${gateway.origin}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ prompt: 'a cat', ...body }),
  });
  return { status: answer.status, json: asObject(await answer.json()) };
}

async function poll(path: unknown): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${gateway.apiKey}` };
  return asObject(await (await fetch(`${gateway.origin}${String(path)}`, { headers })).json());
}

test('makes a task, which the gateway completes with one request to the upstream', async () => {
  asked = 0;
  const { status, json } = await ask({ model: 'by-image', async: true });
  expect([status, json.status, json.object]).toEqual([200, 'pending', 'task']);
  await until('the task is completed', async () => (await poll(json.poll_url)).status === 'completed');
  const [image] = asArray((await poll(json.poll_url)).data);
  expect(Buffer.from(await (await fetch(String(asObject(image).url))).arrayBuffer()).toString('base64')).toBe(b64_json);
  expect(asked).toBe(1);
});

test('is refused by its name where a task could not be charged', async () => {
  const { status, json } = await ask({ model: 'by-tokens', async: true });
  expect([status, asObject(json.error).param]).toEqual([400, 'async']);
});

test('as a wish in a header gives the images where there can be no task', async () => {
  const { status, json } = await ask({ model: 'by-tokens' }, { prefer: 'respond-async' });
  expect([status, asArray(json.data).length]).toEqual([200, 1]);
});

test('whose answer was lost with the gateway is not asked for: there is no job at the upstream', () => {
  const jobs = imageJobs('openai-images');
  expect(jobs?.isAskable?.({ url: '' })).toBe(false);
  expect(jobs?.isAskable?.({ url: 'https://upstream.example/jobs/1' })).toBe(true);
});
