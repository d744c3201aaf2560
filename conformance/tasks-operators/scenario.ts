import { afterAll, beforeAll, expect, test } from 'bun:test';
import { every } from '../../src/main/system.ts';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { answerOf } from '../shared/answer.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

const HEADERS = { authorization: `Bearer ${clientKey('payer')}`, 'content-type': 'application/json' };
const REASON = 'The provider has lost the video. Nothing was charged.';
/** How often another job is polled before a job that is not polled meanwhile counts as abandoned. */
const ROUNDS = 5;
const OFTEN_MS = 50;

type State = 'pending' | 'down' | 'done';

/** xAI's video API, whose jobs have the state that the test sets. */
class Videos {
  /** The state of new jobs. */
  state: State = 'pending';
  readonly jobs: { readonly id: string; state: State; questions: number }[] = [];
  private readonly server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => this.answer(request),
  });

  get baseUrl(): string {
    return `http://127.0.0.1:${this.server.port}/v1`;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private answer({ method, url }: Request): Response {
    if (method === 'POST') {
      const id = crypto.randomUUID();
      this.jobs.push({ id, state: this.state, questions: 0 });
      return Response.json({ request_id: id });
    }
    const job = this.jobs.find(({ id }) => url.endsWith(`/${id}`));
    if (job === undefined) return new Response('', { status: 404 });
    job.questions++;
    if (job.state === 'pending') return Response.json({ status: 'pending' }, { status: 202 });
    if (job.state === 'down') return new Response('', { status: 503, headers: { 'retry-after': '300' } });
    const video = { url: `${this.baseUrl}/clip.mp4`, duration: 5, respect_moderation: true };
    return Response.json({ status: 'done', video, model: 'grok-imagine-video' });
  }
}

/**
 * Defines the tests of `switchyard tasks` beside a running gateway; `databaseOf` returns the variables of its
 * database.
 */
export function testOperators(databaseOf: () => Promise<Readonly<Record<string, string>>>): void {
  const videos = new Videos();
  let space: Workspace;
  let serving: Serving;
  let env: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    space = await Workspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      tasks: { poll_interval_ms: 20 },
      retention: { tasks_days: 2 },
      channels: [
        {
          ...{ id: 'videos', provider: 'xai', api_key: 'upstream-key', base_url: videos.baseUrl },
          ...{ models: { clip: 'grok-imagine-video' }, breaker: { minimum_requests: 1_000 } },
        },
      ],
      models: [{ id: 'clip', category: 'video', pricing: { per_request: '0.25' } }],
      accounts: [accountWith('payer', [keyNamed('payer')], { billing: 'prepaid', balance_usd: '1' })],
    });
    env = { ...(await databaseOf()), SWITCHYARD_CONFIG };
    // The gateway checks every ten seconds which tasks it still owns.
    serving = await space.serve({ env, every: (ms, work) => every(Math.min(ms, OFTEN_MS), work) });
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

  /** Creates a task; resolves to the task and its job at the provider. */
  async function create(state: State) {
    videos.state = state;
    const body = JSON.stringify({ model: 'clip', prompt: 'a fox' });
    const answer = await fetch(`${serving.baseUrl}/videos/generations`, { method: 'POST', headers: HEADERS, body });
    const { status, json: task } = await answerOf(answer);
    expect(status).toBe(200);
    const job = videos.jobs.at(-1);
    if (job === undefined) throw new Error('the provider got no submission');
    return { id: String(task.id), job };
  }

  /** Resolves when the job is no longer polled while another one is. */
  async function untilLeftAlone(job: { readonly questions: number }, other: { readonly questions: number }) {
    await until('the gateway polls only the other job', async () => {
      const known = job.questions;
      const before = other.questions;
      await until('the other job is polled', () => other.questions >= before + ROUNDS);
      return job.questions === known;
    });
  }

  test('fail ends a task that a gateway polls, and the gateway stops polling', async () => {
    const { id, job } = await create('pending');
    await until('the job is polled', () => job.questions > 1);
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
    expect(await freeUsd()).toBe('1');
    // A task in this stage writes nothing, so the gateway does not notice at once that it lost the task.
    const other = await create('pending');
    await untilLeftAlone(job, other.job);
    expect(await taskOf(id)).toEqual(task);
    expect(await json('tasks', 'show', id)).toMatchObject({
      ...{ stage: 'failed', cost_usd: '0', ending: { failure_kind: 'ended_by_operator' }, hold: { state: 'released' } },
    });
    const again = await command('tasks', 'fail', id, '--reason', REASON);
    expect([again.exitCode, again.stderr]).toEqual([1, `switchyard: task: "${id}" is failed, which is final\n`]);
    expect(await command('tasks', 'fail', other.id, '--reason', REASON)).toMatchObject({ exitCode: 0 });
    expect(await freeUsd()).toBe('1');
  });

  test('retry-poll polls at once instead of after minutes', async () => {
    const { id, job } = await create('down');
    await until('the poll has failed', async () => {
      const [task] = asArray(await json('tasks', 'list', '--open'));
      return asObject(task).poll_errors === 1;
    });
    job.state = 'done';
    const other = await create('pending');
    await until('another job is polled', () => other.job.questions > ROUNDS);
    expect([job.questions, (await taskOf(id)).status]).toEqual([1, 'pending']);
    expect(await command('tasks', 'fail', other.id, '--reason', REASON)).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await command('tasks', 'retry-poll', id);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('its job is polled')]);
    await until('the task is completed', async () => (await taskOf(id)).status === 'completed');
    expect(await freeUsd()).toBe('0.75');
    const again = await command('tasks', 'retry-poll', id);
    expect([again.exitCode, again.stderr]).toEqual([
      1,
      `switchyard: task: "${id}" is completed, which is final: it is no longer polled\n`,
    ]);
  });

  test('the ledger verifies afterwards', async () => {
    expect(await command('ledger', 'verify')).toMatchObject({ exitCode: 0 });
    expect(await json('tasks', 'list', '--open')).toEqual([]);
  });
}
