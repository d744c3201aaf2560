import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sampleRecord } from '../src/engine/ports/testing/samples.ts';
import { createLogger } from '../src/main/logging/logger.ts';
import { retryWhileBusy } from '../src/stores/sqlite/connection.ts';
import { openSqliteStore } from '../src/stores/sqlite/sqlite-store.ts';
import {
  accountWith,
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  startUpstream,
} from './first-light/upstream.ts';
import { asArray, asObject } from './shared/json.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/*
 * The contract's `recommended_for`: a day of traffic with known success rates is written to the request log of a real gateway, which must rank
 * the models in exactly the resulting order, also after a restart.
 */

const SECRET = 'a-master-secret-for-tests';
const DAY_MS = 86_400_000;
const MINIMUM_SAMPLES = 20;

/** The requests that are written for each model: responses, failures of the upstream or the gateway, and requests that must not count. */
interface Traffic {
  readonly ok: number;
  readonly failed?: number;
  /** Client errors, rate limits and disconnects. */
  readonly clients?: number;
  /** Older than a day. */
  readonly old?: number;
}

const TRAFFIC: Readonly<Record<string, Traffic>> = {
  'always-right': { ok: 40 },
  // 19 of 20 ranks above 94 of 100, although both are close to 0.95.
  'nearly-always': { ok: 19, failed: 1 },
  'mostly-right': { ok: 94, failed: 6 },
  // The same rate twice, ranked by id; the second has twice the traffic.
  'tie-a': { ok: 15, failed: 5 },
  'tie-b': { ok: 30, failed: 10 },
  // All its failures are client errors.
  'badly-asked': { ok: 20, clients: 300 },
  'was-bad-yesterday': { ok: 39, failed: 1, old: 500 },
  'never-right': { ok: 0, failed: 25 },
  'too-few-and-right': { ok: 19 },
  'too-few-and-wrong': { ok: 1, failed: 18 },
  'only-mistakes': { ok: 0, clients: 50 },
  unasked: { ok: 0 },
};

const RANKED = [
  ['always-right', 1, 40, 'ready'],
  ['badly-asked', 1, 20, 'ready'],
  ['was-bad-yesterday', 39 / 40, 40, 'ready'],
  ['nearly-always', 19 / 20, 20, 'ready'],
  ['mostly-right', 94 / 100, 100, 'ready'],
  ['tie-a', 15 / 20, 20, 'ready'],
  ['tie-b', 30 / 40, 40, 'ready'],
  ['never-right', 0, 25, 'ready'],
  ['only-mistakes', 0, 0, 'insufficient_samples'],
  ['too-few-and-right', 1, 19, 'insufficient_samples'],
  ['too-few-and-wrong', 1 / 19, 19, 'insufficient_samples'],
  ['unasked', 0, 0, 'insufficient_samples'],
] as const;

const CLIENTS_OWN = [
  { status: 400, errorCode: 'invalid_value' },
  { status: 400, errorCode: 'context_length_exceeded' },
  { status: 402, errorCode: 'insufficient_balance', channelId: null },
  { status: 429, errorCode: 'rate_limit_exceeded', channelId: null },
  { status: 499, errorCode: 'client_closed_request', clientGone: true },
  { status: 200, errorCode: 'upstream_error', clientGone: true },
];
const FAILURES = [
  { status: 502, errorCode: 'upstream_error' },
  // A stream that broke after its head.
  { status: 200, errorCode: 'upstream_error' },
  { status: 504, errorCode: 'timeout_error' },
  { status: 503, errorCode: 'all_channels_failed', channelId: null },
  { status: 429, errorCode: 'rate_limit_exceeded' },
];

let upstream: FakeUpstream;
let space: Workspace;
let gateway: Serving;

async function writeTraffic(path: string, nowMs: number): Promise<void> {
  const clock = { nowMs: () => nowMs, monotonicMs: () => performance.now() };
  const store = await openSqliteStore({ path, secret: SECRET, clock, logger: createLogger('silent') });
  for (const [modelId, { ok, failed = 0, clients = 0, old = 0 }] of Object.entries(TRAFFIC)) {
    const write = (count: number, outcomes: readonly object[], ageMs: number) => {
      for (let index = 0; index < count; index++) {
        const atMs = nowMs - ageMs - (index / count) * (DAY_MS - 3_600_000);
        store.requestLog.append(sampleRecord({ modelId, atMs, ...outcomes[index % outcomes.length] }));
      }
    };
    const answered = { status: 200, errorCode: null, failureKind: null, clientGone: false };
    write(ok, [answered], 1_000);
    write(
      failed,
      FAILURES.map((failure) => ({ ...answered, ...failure })),
      1_000,
    );
    write(
      clients,
      CLIENTS_OWN.map((mistake) => ({ ...answered, ...mistake })),
      1_000,
    );
    write(
      old,
      FAILURES.map((failure) => ({ ...answered, ...failure })),
      DAY_MS,
    );
  }
  await store.requestLog.flush();
  await store.close();
}

async function serve(refreshMs: number): Promise<Serving> {
  const configuration = {
    discovery: { minimum_samples: MINIMUM_SAMPLES, refresh_ms: refreshMs },
    channels: [channelTo(upstream, { models: Object.keys(TRAFFIC).concat('talker') })],
    models: [
      ...Object.keys(TRAFFIC).map((id) => ({
        id,
        category: 'image',
        operations: ['images.generations', 'chat.completions'],
        pricing: 'free',
      })),
      { id: 'talker', category: 'chat' },
    ],
    accounts: [accountWith('asker', [keyNamed('asker')], { requests_per_minute: 100_000 })],
  };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configuration);
  return space.serve({ env: { SWITCHYARD_CONFIG, SWITCHYARD_SECRET: SECRET, LOG_LEVEL: 'error' } });
}

async function get(path: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${clientKey('asker')}` };
  return asObject(await (await fetch(`${gateway.origin}${path}`, { headers })).json());
}

async function ranking(query = 'recommended_for=image') {
  const { data } = await get(`/v1/models?${query}`);
  return asArray(data).map((model) => {
    const { id, vendor } = asObject(model);
    const image = asObject(asObject(asObject(vendor).agent_preferences).image);
    return { id: String(id), ...image };
  });
}

const expected = RANKED.map(([id, rate, samples, status], index) => ({
  id,
  preferred_rank: index + 1,
  success_rate_24h: rate,
  sample_count_24h: samples,
  status,
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  basis: { score_source: expect.any(String), channel_id: null, physical_model: null },
}));

const isCounted = async () => JSON.stringify(await ranking()).includes('"ready"');

beforeAll(async () => {
  upstream = startUpstream();
  space = await Workspace.create();
  // The first start creates the database; the traffic is written while no gateway runs.
  await (await serve(86_400_000)).stop();
  await writeTraffic(space.database, Date.now());
  gateway = await serve(1_000);
});

afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

describe('a day of traffic with known success rates', () => {
  test('ranks the models in exactly the resulting order', async () => {
    await until('the count', isCounted);
    expect(await ranking()).toEqual(expected);
  }, 600_000);

  test('has the same order right after a restart, from the same count', async () => {
    const before = await ranking();
    await gateway.stop();
    // The log no longer matters: the earlier count is still fresh.
    const log = new Database(space.database);
    await retryWhileBusy(() => void log.run("DELETE FROM request_log WHERE model_id = 'always-right'"));
    log.close();
    gateway = await serve(86_400_000);
    expect(await ranking()).toEqual(before);
  }, 600_000);

  test('keeps the ranks of the whole scene if another filter narrows the list', async () => {
    const narrowed = await ranking('recommended_for=image&category=image&tag=image');
    expect(narrowed).toEqual(await ranking());
    expect(await ranking('recommended_for=video')).toEqual([]);
  });

  test('is the same in the detail and the list, and absent for a chat model', async () => {
    const [first] = await ranking();
    const { vendor } = await get('/v1/models/always-right');
    expect(asObject(asObject(vendor).agent_preferences)).toEqual({
      image: expect.objectContaining({ preferred_rank: first && 1 }),
    });
    expect(asObject((await get('/v1/models/talker')).vendor)).not.toHaveProperty('agent_preferences');
  });
});

describe('while the gateway runs', () => {
  test('a new count follows the schedule, and client traffic changes the order', async () => {
    await gateway.stop();
    gateway = await serve(1_000);
    await until(
      'the ranking excludes the deleted rows',
      async () => (await ranking())[0]?.id === 'badly-asked',
      20_000,
    );
    const headers = { authorization: `Bearer ${clientKey('asker')}`, 'content-type': 'application/json' };
    const ask = (model: string) =>
      fetch(`${gateway.origin}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }),
      }).then((answer) => answer.text());
    for (let index = 0; index < 20; index++) await ask('too-few-and-right');
    const place = async (id: string) => (await ranking()).find((model) => model.id === id);
    await until(
      'the ranking has the new requests',
      async () => JSON.stringify(await place('too-few-and-right')).includes('"sample_count_24h":39'),
      600_000,
    );
    expect(await place('too-few-and-right')).toMatchObject({ success_rate_24h: 1, status: 'ready', preferred_rank: 2 });
  }, 600_000);
});
