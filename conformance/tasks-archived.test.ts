import { afterAll, beforeAll, expect, test } from 'bun:test';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { answerOf } from './shared/answer.ts';
import { asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* Tasks of archived accounts: the provider bills them, so they are finished and charged, and only their account can read them. */

const STATES = ['submitting', 'pending', 'completed', 'failed'] as const;
type State = (typeof STATES)[number];

/** xAI's video API; the prompt of a job decides its result. */
let isOver = false;
const prompts = new Map<string, string>();
const submitted = Promise.withResolvers<null>();
const provider = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === 'POST') {
      const id = crypto.randomUUID();
      const prompt = String(asObject(await request.json()).prompt);
      prompts.set(id, prompt);
      if (prompt === 'submitting') await submitted.promise;
      return Response.json({ request_id: id });
    }
    const prompt = prompts.get(new URL(request.url).pathname.split('/').at(-1) ?? '');
    if (prompt === 'failed') return Response.json({ status: 'failed', error: { message: 'It has melted.' } });
    if (prompt !== 'completed' && !isOver) return Response.json({ status: 'pending' }, { status: 202 });
    const video = { url: 'https://cdn.example/clip.mp4', duration: 5, respect_moderation: true };
    return Response.json({ status: 'done', video, model: 'grok-imagine-video' });
  },
});

let space: Workspace;
let serving: Serving;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    tasks: { poll_interval_ms: 20 },
    channels: [
      {
        ...{ id: 'videos', provider: 'xai', api_key: 'upstream-key', base_url: `http://127.0.0.1:${provider.port}/v1` },
        models: { clip: 'grok-imagine-video' },
      },
    ],
    models: [{ id: 'clip', category: 'video', pricing: { per_request: '0.25' } }],
    accounts: STATES.map((state) => accountWith(state, [keyNamed(state)], { billing: 'prepaid', balance_usd: '1' })),
  });
  env = { SWITCHYARD_CONFIG };
  serving = await space.serve({ env });
});
afterAll(async () => {
  await space?.remove();
  provider.stop(true);
});

const headersOf = (state: State) => ({
  authorization: `Bearer ${clientKey(state)}`,
  'content-type': 'application/json',
});
const create = async (state: State) => {
  const body = JSON.stringify({ model: 'clip', prompt: state });
  const url = `${serving.baseUrl}/videos/generations`;
  return answerOf(await fetch(url, { method: 'POST', headers: headersOf(state), body }));
};
const read = async (state: State, id: string) =>
  answerOf(await fetch(`${serving.baseUrl}/tasks/${id}`, { headers: headersOf(state) }));
const command = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await space.run(args, { env });
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
};
const json = async (...args: string[]) => parseJson(await command(...args, '--json'));
const tasksOf = async (state: State) =>
  (await json('tasks', 'list', '--account', state)) as { id: string; stage: string }[];

test('are finished and charged whatever their state was', async () => {
  const creating = create('submitting');
  await until('the provider gets the submission', () => [...prompts.values()].includes('submitting'));
  for (const state of STATES.slice(1)) expect((await create(state)).status).toBe(200);
  const ids = new Map<State, string>();
  for (const state of STATES) ids.set(state, (await tasksOf(state))[0]?.id ?? '');
  const idOf = (state: State) => ids.get(state) ?? '';
  for (const state of ['completed', 'failed'] as const) {
    await until('the task is final', async () => (await read(state, idOf(state))).json.status === state);
  }
  for (const state of STATES) await command('accounts', 'archive', state);
  await until('the keys are refused', async () => {
    const answers = await Promise.all(STATES.map((state) => read(state, idOf(state))));
    return answers.every(({ status }) => status === 401);
  });

  submitted.resolve(null);
  isOver = true;
  expect((await creating).status).toBe(200);
  await until('all tasks are final', async () => {
    const tasks = await Promise.all(STATES.map(tasksOf));
    return tasks.flat().every(({ stage }) => stage === 'completed' || stage === 'failed');
  });
  for (const state of STATES) {
    const cost_usd = state === 'failed' ? '0' : '0.25';
    expect(await json('tasks', 'show', idOf(state))).toMatchObject({
      ...{ stage: state === 'failed' ? 'failed' : 'completed', cost_usd },
      hold: { state: state === 'failed' ? 'released' : 'settled' },
    });
    expect(asObject(await json('accounts', 'balance', state)).free_usd).toBe(state === 'failed' ? '1' : '0.75');
  }

  // A restored account finds its results.
  await command('accounts', 'restore', 'pending');
  await until('the key is accepted again', async () => (await read('pending', idOf('pending'))).status === 200);
  expect((await read('pending', idOf('pending'))).json).toMatchObject({
    status: 'completed',
    data: [{ url: 'https://cdn.example/clip.mp4' }],
  });
});
