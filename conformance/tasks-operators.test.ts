import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from 'bun:test';
import {
  hasTestPostgres,
  POSTGRES_REQUIREMENT,
  type SharedTestPostgres,
  sharedTestPostgres,
} from '../src/stores/shared/testing/postgres.ts';
import { testNeeding } from '../tools/test/needs.ts';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { answerOf } from './shared/answer.ts';
import { asArray, asObject, parseJson } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* `switchyard tasks`: an operator beside a running gateway. */

setDefaultTimeout(60_000);

const HEADERS = { authorization: `Bearer ${clientKey('payer')}`, 'content-type': 'application/json' };
const REASON = 'The provider has lost the video. Nothing was charged.';

type State = 'pending' | 'down' | 'done';

/** xAI's videos, every job of which is in the state that the test wants. */
class Videos {
  state: State = 'pending';
  questions = 0;
  private readonly server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => this.answer(request.method),
  });

  get baseUrl(): string {
    return `http://127.0.0.1:${this.server.port}/v1`;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private answer(method: string): Response {
    if (method === 'POST') return Response.json({ request_id: crypto.randomUUID() });
    this.questions++;
    if (this.state === 'pending') return Response.json({ status: 'pending' }, { status: 202 });
    if (this.state === 'down') return new Response('', { status: 503, headers: { 'retry-after': '300' } });
    const video = { url: `${this.baseUrl}/clip.mp4`, duration: 5, respect_moderation: true };
    return Response.json({ status: 'done', video, model: 'grok-imagine-video' });
  }
}

const isPostgresPresent = hasTestPostgres();

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (database) => {
  const isSkipped = database === 'PostgreSQL' && !isPostgresPresent;
  const storeTest = testNeeding(POSTGRES_REQUIREMENT, !isSkipped);
  const videos = new Videos();
  let server: SharedTestPostgres | null = null;
  let space: Workspace;
  let serving: Serving;
  let env: Record<string, string> = {};

  beforeAll(async () => {
    if (isSkipped) return;
    space = await Workspace.create();
    if (database === 'PostgreSQL') {
      server = await sharedTestPostgres();
      env = { DATABASE_URL: await server.createDatabase(), SWITCHYARD_SECRET: 'the master secret of all nodes' };
    }
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      tasks: { poll_interval_ms: 20, keep_days: 2 },
      channels: [
        {
          ...{ id: 'videos', provider: 'xai', api_key: 'upstream-key', base_url: videos.baseUrl },
          models: { clip: 'grok-imagine-video' },
        },
      ],
      models: [{ id: 'clip', category: 'video', pricing: { per_request: '0.25' } }],
      accounts: [accountWith('payer', [keyNamed('payer')], { billing: 'prepaid', balance_usd: '1' })],
    });
    env = { ...env, SWITCHYARD_CONFIG };
    serving = await space.serve({ env });
  });
  afterAll(async () => {
    await space?.remove();
    await videos.stop();
  });

  const command = (...args: string[]) => space.run(args, { env });
  const json = async (...args: string[]) => parseJson((await command(...args, '--json')).stdout);
  const freeUsd = async () => asObject(await json('accounts', 'balance', 'payer')).free_usd;
  const taskOf = async (id: string) =>
    (await answerOf(await fetch(`${serving.baseUrl}/tasks/${id}`, { headers: HEADERS }))).json;

  async function create(): Promise<string> {
    const body = JSON.stringify({ model: 'clip', prompt: 'a fox' });
    const answer = await fetch(`${serving.baseUrl}/videos/generations`, { method: 'POST', headers: HEADERS, body });
    const { status, json: task } = await answerOf(answer);
    expect(status).toBe(200);
    return String(task.id);
  }

  storeTest('fail ends a task that a gateway asks for, and the gateway stops asking', async () => {
    const before = videos.questions;
    const id = await create();
    await until('the gateway has asked', () => videos.questions > before + 1);
    expect(await json('tasks', 'list', '--open', '--channel', 'videos')).toMatchObject([
      { id, account: 'payer', model: 'clip', kind: 'video', stage: 'submitted', poll_errors: 0 },
    ]);
    expect(await freeUsd()).toBe('0.75');
    expect(await command('tasks', 'fail', id, '--reason', REASON)).toMatchObject({
      ...{ exitCode: 0, stdout: `failed ${id} of payer; nothing is charged\n` },
    });
    const task = await taskOf(id);
    expect(task).toMatchObject({ status: 'failed', error: REASON });
    expect(Number(task.expires) - Number(task.ended)).toBe(2 * 86_400);
    // There is nothing to write that would tell it at once that the task is not its own any more.
    await until('the gateway knows', async () => {
      const known = videos.questions;
      await Bun.sleep(300);
      return videos.questions === known;
    });
    expect(await taskOf(id)).toEqual(task);
    expect(await freeUsd()).toBe('1');
    expect(await json('tasks', 'show', id)).toMatchObject({
      ...{ stage: 'failed', cost_usd: '0', ending: { failure_kind: 'ended_by_operator' }, hold: { state: 'released' } },
    });
    const again = await command('tasks', 'fail', id, '--reason', REASON);
    expect([again.exitCode, again.stderr]).toEqual([1, `switchyard: task: "${id}" is failed, which is final\n`]);
  });

  storeTest('retry-poll asks at once where the gateway would wait for minutes', async () => {
    videos.state = 'down';
    const id = await create();
    await until('the question has failed', async () => {
      const [task] = asArray(await json('tasks', 'list', '--open'));
      return asObject(task).poll_errors === 1;
    });
    videos.state = 'done';
    const before = videos.questions;
    await Bun.sleep(500);
    expect([videos.questions, (await taskOf(id)).status]).toEqual([before, 'pending']);
    const { exitCode, stdout } = await command('tasks', 'retry-poll', id);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('its job is asked for')]);
    await until('it is done', async () => (await taskOf(id)).status === 'completed');
    expect(await freeUsd()).toBe('0.75');
    const again = await command('tasks', 'retry-poll', id);
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      `switchyard: task: "${id}" is completed, which is final: nothing is asked any more\n`,
    ]);
  });

  storeTest('the books are right after that', async () => {
    expect(await command('ledger', 'verify')).toMatchObject({ exitCode: 0 });
    expect(await json('tasks', 'list', '--open')).toEqual([]);
  });
});
