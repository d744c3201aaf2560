import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { accountWith, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { type Answer, answerOf } from '../../conformance/shared/answer.ts';
import { asArray, asObject } from '../../conformance/shared/json.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { Workspace } from '../../conformance/shared/workspace.ts';
import { taskSimulators } from '../../conformance/task-simulators/index.ts';
import {
  type Disturbance,
  PublicFiles,
  SimulatedProvider,
} from '../../conformance/task-simulators/simulated-provider.ts';
import type { SimulatedCase, TaskSimulator } from '../../conformance/task-simulators/simulator.ts';
import { ERROR_CODES } from '../../src/domain/failure/error-codes.ts';
import { every } from '../../src/main/system.ts';
import { retryWhileBusy } from '../../src/stores/sqlite/connection.ts';

/* Tasks over every provider: from the client's request through all job states to the charge. */

setDefaultTimeout(600_000);

const KEY = clientKey('payer');
const PRICE_NANO_USD = 250_000_000n;
const POLL_MS = 10;
const PAUSE_MS = 50;
/** Rarer work than this has nothing to do here: it takes over tasks of other processes. */
const SAVE_MS = 250;
const PATHS = { videos: 'videos', music: 'music', '3d': '3d', images: 'images' } as const;
const CATEGORIES = { videos: 'video', music: 'music', '3d': '3d', images: 'image' } as const;
/** In the order in which a task can reach them. */
const ORDER = ['pending', 'processing', 'completed', 'failed'];

interface Played {
  readonly simulator: TaskSimulator;
  readonly one: SimulatedCase;
  /** The public id. */
  readonly model: string;
}

const played: readonly Played[] = taskSimulators
  .flatMap((simulator) => simulator.cases.map((one) => ({ simulator, one })))
  .map((one, index) => ({ ...one, model: `${one.simulator.provider}-${index}` }));

let files: PublicFiles;
const providers = new Map<TaskSimulator, SimulatedProvider>();
let space: Workspace;
let serving: Serving;
/** The gateway's database, opened for reading. */
let database: Database;

beforeAll(async () => {
  files = new PublicFiles();
  for (const simulator of taskSimulators) providers.set(simulator, new SimulatedProvider(simulator, files));
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
    tasks: { poll_interval_ms: POLL_MS },
    channels: taskSimulators.map((simulator, index) => ({
      ...{ id: `channel-${index}`, provider: simulator.provider, api_key: simulator.apiKey },
      base_url: `${providerOf(simulator).origin}${simulator.basePath}`,
      settings: simulator.settings ?? {},
      models: Object.fromEntries(
        played.filter((one) => one.simulator === simulator).map(({ model, one }) => [model, one.upstreamModel]),
      ),
    })),
    models: played.map(({ model, one }) => ({
      ...{ id: model, category: CATEGORIES[one.endpoint], pricing: { per_request: '0.25' } },
    })),
    accounts: [
      accountWith('payer', [keyNamed('payer')], {
        ...{ billing: 'prepaid', balance_usd: '100000', requests_per_minute: 1_000_000 },
      }),
    ],
  });
  // The gateway checks every 50 ms which jobs are due, and saves every 250 ms. The client polls more often than that.
  serving = await space.serve({
    env: { SWITCHYARD_CONFIG },
    every: (ms, work) => every(ms > SAVE_MS ? ms : POLL_MS, work),
  });
  database = new Database(space.database, { readonly: true, safeIntegers: true });
  await knowClips();
  for (const simulator of taskSimulators) void runAll(simulator);
});
afterAll(async () => {
  database?.close();
  await space?.remove();
  await files?.stop();
  for (const provider of providers.values()) await provider.stop();
});

/** Records the clips that the cases continue as results of the account. */
async function knowClips(): Promise<void> {
  const writable = new Database(space.database);
  const sql = 'INSERT INTO object_origins (account_id, object_id, channel_id, expires_at_ms) VALUES (?, ?, ?, ?)';
  try {
    for (const { simulator, one } of played) {
      const clip = 'continue_clip_id' in one.body ? String(one.body.continue_clip_id) : null;
      const channel = `channel-${taskSimulators.indexOf(simulator)}`;
      // The gateway writes to the writable at the same time.
      if (clip !== null)
        await retryWhileBusy(() => void writable.run(sql, ['payer', clip, channel, Number.MAX_SAFE_INTEGER]));
    }
  } finally {
    writable.close();
  }
}

/**
 * A test that mostly waits for jobs. Those of one provider run sequentially, because its simulator plays one script at
 * a time; different providers run in parallel. The test itself only reports the result.
 */
interface Run {
  readonly simulator: TaskSimulator;
  readonly body: () => Promise<void>;
  readonly done: PromiseWithResolvers<void>;
}

const runs: Run[] = [];

function playTest(name: string, simulator: TaskSimulator, body: () => Promise<void>): void {
  const done = Promise.withResolvers<void>();
  // The test awaits it later.
  done.promise.catch(() => undefined);
  runs.push({ simulator, body, done });
  test(name, () => done.promise, 600_000);
}

async function runAll(simulator: TaskSimulator): Promise<void> {
  for (const { body, done } of runs.filter((run) => run.simulator === simulator)) {
    await body().then(done.resolve, done.reject);
  }
}

function providerOf(simulator: TaskSimulator): SimulatedProvider {
  const provider = providers.get(simulator);
  if (provider === undefined) throw new Error(`the simulator of ${simulator.provider} is not running`);
  return provider;
}

interface Finished {
  readonly requestId: string;
  readonly task: Readonly<Record<string, unknown>>;
  /** Every status that was seen, the final one last. */
  readonly statuses: readonly string[];
}

/** Runs a job through these states while a client polls until it is final. */
async function play(
  one: Played,
  states: readonly string[],
  disturbances: readonly Disturbance[] = [],
): Promise<Finished> {
  const provider = providerOf(one.simulator);
  provider.play(states);
  provider.disturb(disturbances);
  const { model } = one;
  const created = await create(one);
  expect({ ...created.json, told: provider.complaints }).toMatchObject({
    ...{ id: expect.stringMatching(/^task_[A-Za-z0-9]{32}$/), status: 'pending', model, told: [] },
    created: expect.any(Number),
  });
  expect(created.status).toBe(200);
  const { id, task_id, poll_url } = created.json;
  expect([task_id, poll_url]).toEqual([id, `/v1/tasks/${id}`]);
  const { task, statuses } = await final(String(poll_url));
  expect({ told: provider.complaints, submits: provider.begun.length }).toEqual({ told: [], submits: 1 });
  return { requestId: created.headers.get('x-request-id') ?? '', task, statuses };
}

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };

async function create({ one, model }: Played): Promise<Answer> {
  const body = JSON.stringify({ model, ...one.body, ...(one.endpoint === 'images' && { async: true }) });
  const url = `${serving.baseUrl}/${PATHS[one.endpoint]}/generations`;
  return answerOf(await fetch(url, { method: 'POST', headers: HEADERS, body }));
}

async function final(pollUrl: string): Promise<Pick<Finished, 'task' | 'statuses'>> {
  const statuses: string[] = [];
  let task: Readonly<Record<string, unknown>> = {};
  const { origin } = new URL(serving.baseUrl);
  await until('the task is final', async () => {
    task = (await answerOf(await fetch(`${origin}${pollUrl}`, { headers: HEADERS }))).json;
    statuses.push(String(task.status));
    const isFinal = task.status === 'completed' || task.status === 'failed';
    // Real time: twenty clients that poll without a pause would starve the gateway of CPU.
    if (!isFinal) await Bun.sleep(PAUSE_MS);
    return isFinal;
  });
  return { task, statuses };
}

/** Returns each charge of the request, in nano-USD. */
function chargesOf(requestId: string): readonly bigint[] {
  const sql = "SELECT amount_nano FROM ledger_entries WHERE request_id = ? AND kind = 'charge'";
  return database
    .query<{ amount_nano: bigint }, [string]>(sql)
    .all(requestId)
    .map(({ amount_nano: amount }) => (amount < 0n ? -amount : amount));
}

const finals = (kind: 'completed' | 'failed') =>
  played.flatMap((one) =>
    one.simulator.states[kind].map((state) => [`${one.simulator.provider}: ${one.one.name}`, state, one] as const),
  );

const charged: string[] = [];
const free: string[] = [];

test('every simulator is played', () => {
  const others = ['index.ts', 'samples.ts', 'simulated-provider.ts', 'simulator.ts'];
  const written = readdirSync(path.join(import.meta.dir, '../../conformance/task-simulators')).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(taskSimulators).toHaveLength(written.filter((name) => !others.includes(name)).length);
});

describe('a job that succeeds', () => {
  const done = async (state: string, one: Played) => {
    const { working } = one.simulator.states;
    const { requestId, task, statuses } = await play(one, [...working, ...working, state]);
    expect(task).toMatchObject({ status: 'completed', model: one.model });
    expect(task.error).toBeUndefined();
    expect(statuses.map((status) => ORDER.indexOf(status))).toEqual(
      statuses.map((status) => ORDER.indexOf(status)).toSorted((a, b) => a - b),
    );
    const items = asArray(task.data).map(asObject);
    expect(items).toHaveLength(one.one.items.length);
    expect(items).toMatchObject(one.one.items.map((item) => ({ ...item })));
    for (const item of items) await readFiles(item);
    await until('the request is charged', () => chargesOf(requestId).length > 0);
    expect(chargesOf(requestId)).toEqual([PRICE_NANO_USD]);
    charged.push(requestId);
  };
  for (const [name, state, one] of finals('completed')) {
    playTest(`${name} ends with ${state}`, one.simulator, () => done(state, one));
  }
});

async function readFiles(item: Readonly<Record<string, unknown>>): Promise<void> {
  const urls = ['url', 'cover_url', 'video_url'].flatMap((name) => (item[name] === undefined ? [] : [item[name]]));
  expect(urls.length + (item.lyrics === undefined ? 0 : 1)).toBeGreaterThan(0);
  for (const url of urls) {
    const answer = await fetch(String(url));
    expect({ url, status: answer.status }).toEqual({ url, status: 200 });
    expect((await answer.bytes()).length).toBeGreaterThan(0);
  }
}

describe('a job that fails', () => {
  const failed = async (state: string, one: Played) => {
    const { requestId, task } = await play(one, [...one.simulator.states.working, state]);
    expect(task).toMatchObject({ status: 'failed', model: one.model });
    expect(task.data).toBeUndefined();
    const error = String(task.error);
    expect(error).toMatch(/^[A-Z]\S*( \S+)+$/);
    expect(error).not.toMatch(/https?:\/\/|undefined|\[object|: ?\.?$/);
    expect(error).not.toContain(one.simulator.apiKey);
    expect(chargesOf(requestId)).toEqual([]);
    const isRefused = one.simulator.refused?.includes(state) === true;
    expect({ state, side: await sideOf(requestId) }).toEqual({ state, side: isRefused ? 'client' : 'other' });
    free.push(requestId);
  };
  for (const [name, state, one] of finals('failed')) {
    playTest(`${name} ends with ${state}`, one.simulator, () => failed(state, one));
  }

  const failsAtOnce = async (one: Played) => {
    const [state] = one.simulator.states.failed;
    if (state === undefined) return;
    const { requestId, task } = await play(one, [state]);
    expect(task).toMatchObject({ status: 'failed' });
    free.push(requestId);
  };
  for (const one of played) {
    playTest(`${one.model} fails at once if its first state is final`, one.simulator, () => failsAtOnce(one));
  }
});

/** Resolves to whose fault the task's end is, according to the request log. */
async function sideOf(requestId: string): Promise<string> {
  let codes: readonly (string | null)[] = [];
  await until('the failure is logged', () => {
    const sql = 'SELECT error_code FROM request_log WHERE request_id LIKE ? AND error_code IS NOT NULL';
    codes = database
      .query<{ error_code: string | null }, [string]>(sql)
      .all(`${requestId}%`)
      .map(({ error_code: code }) => code);
    return codes.length > 0;
  });
  const isClients = codes.some((code) => code !== null && Object.hasOwn(ERROR_CODES, code) && isSide(code, 'client'));
  return isClients ? 'client' : 'other';
}

function isSide(code: string, side: string): boolean {
  return Object.entries(ERROR_CODES).some(([name, rule]) => name === code && rule.side === side);
}

const DISTURBANCES: readonly Disturbance[] = [
  () => Response.json({ error: { message: 'Overloaded.' } }, { status: 503 }),
  () => new Response('<html><body>Maintenance</body></html>', { headers: { 'content-type': 'text/html' } }),
  () => new Response('null', { headers: { 'content-type': 'application/json' } }),
  () => Response.json([[{}]]),
  () => Response.json({ error: { message: 'Slow down.' } }, { status: 429 }),
  () => new Response('', { status: 502 }),
];

describe('a provider with faults', () => {
  const disturbed = async (one: Played) => {
    const { working, completed } = one.simulator.states;
    const states = [...working, ...working.toReversed(), completed[0] ?? ''];
    const { requestId, task } = await play(one, states, DISTURBANCES);
    expect(task).toMatchObject({ status: 'completed' });
    for (const item of asArray(task.data)) await readFiles(asObject(item));
    charged.push(requestId);
  };

  const lost = async (one: Played) => {
    const provider = providerOf(one.simulator);
    provider.play([...one.simulator.states.working, one.simulator.states.completed[0] ?? '']);
    provider.loseSubmission();
    const created = await create(one);
    const { poll_url } = created.json;
    const status = typeof poll_url === 'string' ? (await final(poll_url)).task.status : 'failed';
    expect(provider.begun).toHaveLength(1);
    (status === 'completed' ? charged : free).push(created.headers.get('x-request-id') ?? '');
  };

  for (const one of played) {
    playTest(`${one.model} finishes although polls fail`, one.simulator, () => disturbed(one));
    playTest(`${one.model} is submitted once, even if the response is lost`, one.simulator, () => lost(one));
  }
});

describe('after all jobs', () => {
  test('each is charged at most once, and the ledger is consistent', async () => {
    for (const requestId of charged) await until('the request is charged', () => chargesOf(requestId).length > 0);
    for (const requestId of charged) expect(chargesOf(requestId)).toEqual([PRICE_NANO_USD]);
    for (const requestId of free) expect(chargesOf(requestId)).toEqual([]);
    const { exitCode, stdout } = await space.run(['ledger', 'verify']);
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  });

  test('no key was sent to the hosts of the files', () => {
    const received = files.received.join('\n');
    for (const { apiKey } of taskSimulators) expect(received).not.toContain(apiKey);
    expect(received).not.toContain(KEY);
  });
});
