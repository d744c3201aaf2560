import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { asArray, asObject, parseJson } from './shared/json.ts';
import { recordingId } from './shared/recordings.ts';
import { type Replay, startReplay } from './shared/replay.ts';
import { temporaryFolder } from './shared/workspace.ts';
import { CLIP, FILE_HOST, type Recorded, type Sequence, SequenceBed } from './task-sequences/bed.ts';

/*
 * The upstream responses to a job's creation and polls, in sequence, through a whole gateway. They follow the published documents (docs.x.ai,
 * "Video Generation"; ai.google.dev, "Generate videos with Veo") and the official SDKs' own tests. Recorded sequences of Replicate are replayed
 * in acceptance/recordings.
 */

setDefaultTimeout(600_000);

const CLIP_BASE64 = Buffer.from(CLIP).toString('base64');

const ok = (body: object, status = 200): Recorded => ({ status, body: JSON.stringify(body) });

const XAI_MODEL = 'grok-imagine-video';
const XAI_CREATED = ok({ request_id: 'aa87081b-1a29-d8a6-e5bf-5807e3a7a561' });
const XAI_PENDING = ok({ status: 'pending', progress: 20, model: XAI_MODEL }, 202);
const xai = (name: string, ...polls: readonly Recorded[]): Sequence => ({
  ...{ name: `xai-${name}`, endpoint: 'videos', provider: 'xai', upstreamModel: XAI_MODEL },
  ...{ create: XAI_CREATED, polls },
});

const VEO_MODEL = 'veo-3.1-generate-preview';
const VEO_OPERATION = `models/${VEO_MODEL}/operations/ce4kn5bjcz0t`;
const VEO_FILE = 'https://generativelanguage.googleapis.com/v1beta/files/bwvzlcbhx2x6:download?alt=media';
const VEO_RESPONSE = 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse';
const veo = (name: string, ...polls: readonly Recorded[]): Sequence => ({
  ...{ name: `veo-${name}`, endpoint: 'videos', provider: 'google', upstreamModel: VEO_MODEL },
  ...{ create: ok({ name: VEO_OPERATION }), polls },
});
const veoDone = (made: object) =>
  ok({ name: VEO_OPERATION, done: true, response: { '@type': VEO_RESPONSE, generateVideoResponse: made } });
const veoFailed = (error: object) => ok({ name: VEO_OPERATION, done: true, error });

const REASON = 'Sorry, we can’t create videos of real people whose names or likenesses are protected.';

const XAI_SEQUENCES = {
  done: xai('done', XAI_PENDING, ok({ request_id: 'aa87081b' }, 202), XAI_PENDING, {
    status: 200,
    body: JSON.stringify({
      status: 'done',
      video: { url: `${FILE_HOST}/files/video-001.mp4`, duration: 5, respect_moderation: true },
      ...{ model: XAI_MODEL, usage: { cost_in_usd_ticks: 500_000_000 }, progress: 100 },
    }),
  }),
  moderated: xai(
    'moderated',
    XAI_PENDING,
    ok({ status: 'done', video: { url: '', duration: 0, respect_moderation: false }, model: XAI_MODEL }),
  ),
  failed: xai(
    'failed',
    XAI_PENDING,
    ok({ status: 'failed', error: { code: 'internal_error', message: 'The video could not be rendered.' } }),
  ),
  expired: xai('expired', XAI_PENDING, ok({ status: 'expired', model: XAI_MODEL })),
};

const VEO_WORKING = [ok({ name: VEO_OPERATION }), ok({ name: VEO_OPERATION, done: false, metadata: {} })];

const VEO_SEQUENCES = {
  file: veo('file', ...VEO_WORKING, veoDone({ generatedSamples: [{ video: { uri: VEO_FILE } }] })),
  base64: veo(
    'base64',
    ...VEO_WORKING,
    veoDone({ generatedSamples: [{ video: { encodedVideo: CLIP_BASE64, encoding: 'video/mp4' } }] }),
  ),
  half: veo(
    'half-filtered',
    ...VEO_WORKING,
    veoDone({
      generatedSamples: [{ video: { uri: VEO_FILE } }],
      ...{ raiMediaFilteredCount: 1, raiMediaFilteredReasons: [REASON] },
    }),
  ),
  filtered: veo('filtered', ...VEO_WORKING, veoDone({ raiMediaFilteredCount: 1, raiMediaFilteredReasons: [REASON] })),
  refused: veo('refused', ...VEO_WORKING, veoFailed({ code: 3, message: 'The prompt has too many words.' })),
  internal: veo('internal', veoFailed({ code: 13, message: 'Internal error. Please try again.' })),
};

const AT_ONCE_OUTPUT = [`${FILE_HOST}/pbxt/at-once/out-0.png`];
/** Finishes with the first response and cannot be polled. */
const atOnce = (name: string, prediction: object): Sequence => ({
  ...{ name, endpoint: 'images', provider: 'replicate', upstreamModel: 'stability-ai/sdxl:1' },
  ...{ create: ok({ id: 'atonce', ...prediction }, 201), polls: [ok({ detail: 'Not found.' }, 404)] },
});
const AT_ONCE = {
  made: atOnce('at-once-made', { status: 'succeeded', output: AT_ONCE_OUTPUT, error: null }),
  empty: atOnce('at-once-empty', { status: 'succeeded', output: [], error: null }),
};

const sequences = [...Object.values(AT_ONCE), ...Object.values(XAI_SEQUENCES), ...Object.values(VEO_SEQUENCES)];

const REPLAYED = 'replicate/predictions/succeeded.json';
const FAULTS = ['reset', 'garbage', 'status-500'] as const;

let bed: SequenceBed;
let replay: Replay;
let folder = '';

beforeAll(async () => {
  folder = await temporaryFolder();
  bed = await SequenceBed.start(async (origin) => {
    await writePrediction(origin);
    replay = await startReplay({ split: 'whole', folders: [folder] });
    const faulty = FAULTS.map((fault) => [`replayed-${fault}`, `fault.${fault}.${recordingId(REPLAYED)}`]);
    const models = { replayed: recordingId(REPLAYED), ...Object.fromEntries(faulty) };
    // Failures that the test provokes must not open the breaker.
    const breaker = { minimum_requests: 1_000_000 };
    const replaying = { id: 'replay', provider: 'replicate', api_key: 'replay-key', base_url: replay.baseUrl };
    return { sequences, channels: [{ ...replaying, breaker, models }], imageModels: Object.keys(models) };
  });
});
afterAll(async () => {
  await bed?.stop();
  await replay?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Writes the exchange that is replayed: a prediction that succeeds at once, with its file on the test's own server. */
async function writePrediction(origin: string): Promise<void> {
  const body = AT_ONCE.made.create.body.replaceAll(FILE_HOST, origin);
  await Bun.write(path.join(folder, REPLAYED), JSON.stringify({ response: { status: 200, headers: {}, body } }));
  const row = { file: REPLAYED, provider: 'replicate', api: 'predictions', status: 200, stream: false };
  await Bun.write(path.join(folder, 'index.jsonl'), JSON.stringify(row));
}

describe('replayed', () => {
  const submissions = () => replay.journal().filter(({ method }) => method === 'POST').length;

  test('a prediction that succeeds at once becomes a completed task with its first response', async () => {
    replay.clearJournal();
    const { json } = await bed.create('images', { model: 'replayed', prompt: 'robots', async: true });
    expect(json).toMatchObject({ status: 'pending' });
    await bed.expectMade(String(json.id), 1);
    expect(submissions()).toBe(1);
  });

  test.each(FAULTS)('a submission with the fault %s is sent once and costs nothing', async (fault) => {
    replay.clearJournal();
    const { status, json } = await bed.create('images', { model: `replayed-${fault}`, prompt: 'robots', async: true });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(json.error).toBeDefined();
    expect(submissions()).toBe(1);
    const [task] = asArray(parseJson((await bed.space.run(['tasks', 'list', '--limit', '1', '--json'])).stdout));
    expect(task).toMatchObject({ model: `replayed-${fault}`, stage: 'failed' });
    expect(await bed.shown(String(asObject(task).id))).toMatchObject({ cost_usd: '0', hold: { state: 'released' } });
  });
});

describe('the first response', () => {
  test('has the image, so the job is not polled', async () => {
    await bed.expectMade(await bed.begin(AT_ONCE.made), 1);
    expect(bed.provider.questions).toBe(0);
  });

  test('is finished without an image: failed', async () => {
    await bed.expectFailed(await bed.begin(AT_ONCE.empty), /image/, 'upstream_error');
    expect(bed.provider.questions).toBe(0);
  });
});

describe('xAI', () => {
  test('202 pending, then done: the video and its length', async () => {
    const id = await bed.begin(XAI_SEQUENCES.done, { duration: 5 });
    const [item] = await bed.expectMade(id, 1);
    expect(item).toMatchObject({ content_type: 'video/mp4', duration: 5 });
    const questions = bed.provider.asked.filter((one) => !one.includes('/files/'));
    const { request_id } = asObject(parseJson(XAI_CREATED.body));
    expect(questions).toEqual([
      'POST /v1/videos/generations Bearer xai-key',
      ...XAI_SEQUENCES.done.polls.map(() => `GET /v1/videos/${request_id} Bearer xai-key`),
    ]);
  });

  test('done, but removed by moderation: failed, as a client error', async () => {
    await bed.expectFailed(await bed.begin(XAI_SEQUENCES.moderated), /moderation/, 'invalid_request');
  });

  test('failed: the provider’s message', async () => {
    await bed.expectFailed(await bed.begin(XAI_SEQUENCES.failed), /could not be rendered/, 'upstream_error');
  });

  test('expired: failed', async () => {
    await bed.expectFailed(await bed.begin(XAI_SEQUENCES.expired), /not finish the job in time/, 'upstream_error');
  });
});

describe('Veo', () => {
  test('a finished operation whose file needs the key: the client gets a copy', async () => {
    const id = await bed.begin(VEO_SEQUENCES.file);
    const [item] = await bed.expectMade(id, 1);
    expect(item).toMatchObject({ content_type: 'video/mp4' });
    expect(new URL(String(item?.url)).origin).toBe(bed.serving.origin);
    expect(JSON.stringify(await bed.read(id))).not.toContain('google-key');
    expect(bed.provider.asked).toEqual([
      `POST /v1beta/models/${VEO_MODEL}:predictLongRunning google-key`,
      ...VEO_SEQUENCES.file.polls.map(() => `GET /v1beta/${VEO_OPERATION} google-key`),
      'GET /v1beta/files/bwvzlcbhx2x6:download google-key',
    ]);
  });

  test('a video within the response: the client gets a copy', async () => {
    const id = await bed.begin(VEO_SEQUENCES.base64);
    const [item] = await bed.expectMade(id, 1);
    expect(new URL(String(item?.url)).origin).toBe(bed.serving.origin);
    expect(JSON.stringify(await bed.read(id))).not.toContain(CLIP_BASE64);
  });

  test('one of two videos was filtered: the other one is returned', async () => {
    await bed.expectMade(await bed.begin(VEO_SEQUENCES.half, { n: 2 }), 1);
  });

  test('all were filtered: failed, as a client error with the reason', async () => {
    await bed.expectFailed(await bed.begin(VEO_SEQUENCES.filtered), /real people/, 'invalid_request');
  });

  test('an error about the request: failed, as a client error', async () => {
    await bed.expectFailed(await bed.begin(VEO_SEQUENCES.refused), /too many words/, 'invalid_request');
  });

  test('an error of the provider: failed', async () => {
    await bed.expectFailed(await bed.begin(VEO_SEQUENCES.internal), /Internal error/, 'upstream_error');
  });
});

test('the ledger is consistent after all sequences', async () => {
  expect(await bed.space.run(['ledger', 'verify'])).toMatchObject({ exitCode: 0 });
});
