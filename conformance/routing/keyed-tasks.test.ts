import { afterAll, beforeAll, expect, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { answerOf } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { RunningClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* Tasks over a channel with several upstream keys: each is polled with the key that it was submitted with. */

interface Received {
  readonly what: string;
  readonly key: string | null;
}

const clock = new RunningClock();
const received: Received[] = [];
const ready = new Set<string>();
const taskIds: string[] = [];
let space: Workspace;
let serving: Serving;

/** An image provider that knows a job only by the key that submitted it. */
const provider = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ method, url, headers }) => {
    const { origin, searchParams } = new URL(url);
    const key = headers.get('x-key');
    if (method === 'POST') {
      const id = `job-of-${key}`;
      received.push({ what: 'submit', key });
      return Response.json({ id, polling_url: `${origin}/v1/get_result?id=${id}` });
    }
    const id = searchParams.get('id') ?? '';
    received.push({ what: id, key });
    if (id !== `job-of-${key}`) return Response.json({ id, status: 'Task not found' }, { status: 404 });
    return Response.json(
      ready.has(id)
        ? { id, status: 'Ready', result: { sample: `${origin}/picture.png` } }
        : { id, status: 'Pending', result: null },
    );
  },
});

const keys = (...names: string[]) => names.map((name, at) => ({ name, key: `of-${name}`, weight: at === 0 ? 1 : 0 }));
const fileOf = (apiKeys: readonly object[]) => ({
  channels: [
    {
      ...{ id: 'images', provider: 'black-forest-labs', base_url: `http://127.0.0.1:${provider.port}/v1` },
      ...{ api_keys: apiKeys, models: { flux: 'flux-pro-1.1' } },
    },
  ],
  models: [{ id: 'flux', pricing: { per_image: '0.25' } }],
  tasks: { poll_interval_ms: 10 },
  accounts: [
    accountWith('payer', [keyNamed('payer')], {
      billing: 'prepaid',
      balance_usd: '100',
      requests_per_minute: 1_000_000,
    }),
  ],
});

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', fileOf(keys('a', 'b')));
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, clock, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await provider.stop(true);
});

const authorization = `Bearer ${clientKey('payer')}`;

async function submitted(): Promise<string> {
  const answer = await answerOf(
    await fetch(`${serving.origin}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'flux', prompt: 'a fox', async: true }),
    }),
  );
  expect(answer.status).toBe(200);
  const id = String(answer.json.id);
  taskIds.push(id);
  return id;
}

const shown = async (id: string) =>
  (await answerOf(await fetch(`${serving.origin}/v1/tasks/${id}`, { headers: { authorization } }))).json;

async function ended(id: string, stepMs = 0): Promise<Record<string, unknown>> {
  let task = await shown(id);
  await until('the task has ended', async () => {
    clock.advance(stepMs);
    task = await shown(id);
    return task.status === 'completed' || task.status === 'failed';
  });
  return task;
}

async function polled(job: string): Promise<void> {
  const before = received.length;
  await until(`${job} is polled again`, () => received.slice(before).some(({ what }) => what === job));
}

interface Payer {
  readonly id: string;
  readonly balance_usd: string;
  readonly held_usd: string;
}

async function payer(): Promise<Payer | undefined> {
  const { stdout } = await space.run(['accounts', 'list', '--json']);
  return (JSON.parse(stdout) as Payer[]).find(({ id }) => id === 'payer');
}

test('a task goes on with its key after the key is disabled, and new ones take another key', async () => {
  const id = await submitted();
  await polled('job-of-of-a');
  expect((await space.run(['channels', 'disable', 'images', '--key', 'a'])).exitCode).toBe(0);
  await until('new tasks take the other key', async () => {
    await submitted();
    return received.findLast(({ what }) => what === 'submit')?.key === 'of-b';
  });
  await polled('job-of-of-a');
  ready.add('job-of-of-a');
  expect(await ended(id)).toMatchObject({ status: 'completed' });
  expect(received.filter(({ what, key }) => what !== 'submit' && what !== `job-of-${key}`)).toEqual([]);
});

test('a task whose key is removed fails, costs nothing, and no other key polls it', async () => {
  const id = await submitted();
  await polled('job-of-of-b');
  expect(Number((await payer())?.held_usd)).toBeGreaterThanOrEqual(0.25);
  const file = await space.write('changed.yaml', fileOf(keys('c')));
  expect(await space.run(['apply', file])).toMatchObject({ exitCode: 0 });
  expect(await ended(id, 1_000)).toMatchObject({ status: 'failed', error: expect.stringContaining('was removed') });
  const all = await Promise.all(taskIds.map((one) => ended(one, 1_000)));
  const completed = all.filter(({ status }) => status === 'completed').length;
  expect(completed).toBeLessThan(taskIds.length);
  expect(await payer()).toMatchObject({ balance_usd: String(100 - completed * 0.25), held_usd: '0' });
  expect(received.filter(({ what, key }) => what !== 'submit' && what !== `job-of-${key}`)).toEqual([]);
});
