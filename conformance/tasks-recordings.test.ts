import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { type Answer, answerOf } from './shared/answer.ts';
import { asArray, asObject, isObject, parseJson } from './shared/json.ts';
import { recordingId, recordingsFolder, recordingsMissing } from './shared/recordings.ts';
import { type Replay, startReplay } from './shared/replay.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/*
 * What providers have answered to the creation of a job and to the questions after it, in that order, through a whole gateway. Those of
 * Replicate are recordings. Of xAI's videos and Google's Veo there are none: theirs are in the same form, from the published documents
 * (docs.x.ai, "Video Generation"; ai.google.dev, "Generate videos with Veo") and what the official SDKs' own tests answer.
 */

setDefaultTimeout(60_000);

const HEADERS = { authorization: `Bearer ${clientKey('payer')}`, 'content-type': 'application/json' };
const CLIP = new TextEncoder().encode('\0\0\0\u0018ftypmp42 the bytes of a video');
const CLIP_BASE64 = Buffer.from(CLIP).toString('base64');
/** Where Replicate has its files. The sequences are played with the address of the test's own server in its place. */
const FILE_HOST = 'https://replicate.delivery';

interface Recorded {
  readonly status: number;
  readonly body: string;
}

interface Sequence {
  /** Also the public id of its model. */
  readonly name: string;
  readonly endpoint: 'images' | 'videos';
  readonly provider: 'replicate' | 'xai' | 'google';
  readonly upstreamModel: string;
  readonly create: Recorded;
  /** In the order in which they were given; the last one is given again. */
  readonly polls: readonly Recorded[];
}

// ---- recorded

interface Exchange extends Recorded {
  readonly file: string;
  readonly path: string;
  readonly index: number;
  readonly isCreation: boolean;
  readonly sent: Readonly<Record<string, unknown>>;
  readonly answer: Readonly<Record<string, unknown>>;
}

const missing = recordingsMissing();
const recordings = missing === undefined ? replicateSequences() : [];

function replicateExchanges(): readonly Exchange[] {
  const folder = path.join(recordingsFolder, 'replicate', 'predictions');
  return readdirSync(folder)
    .map((file) => {
      const { source, request, response } = asObject(parseJson(readFileSync(path.join(folder, file), 'utf8')));
      const { method, url, body: sent } = asObject(request);
      const { status, body } = asObject(response);
      return {
        ...{ file, path: String(asObject(source).path), index: Number(asObject(source).index) },
        isCreation: method === 'POST' && /\/predictions$/.test(String(url)),
        sent: asObject(parseJson(String(sent ?? ''))),
        ...{ status: Number(status), body: String(body), answer: asObject(parseJson(String(body))) },
      };
    })
    .toSorted((a, b) => a.path.localeCompare(b.path) || a.index - b.index);
}

/** Each creation with what was said of its prediction after it. Of one that nobody asked for again, it is all that is known. */
function replicateSequences(): readonly Sequence[] {
  const all = replicateExchanges();
  return all
    .filter(({ isCreation, sent, status }) => isCreation && status === 201 && typeof sent.version === 'string')
    .map((create) => {
      const later = all.filter(
        (one) => one.path === create.path && one.index > create.index && one.answer.id === create.answer.id,
      );
      return {
        ...{ name: create.file.replace(/\.json$/, ''), endpoint: 'images', provider: 'replicate', create },
        upstreamModel: `${create.answer.model}:${create.sent.version}`,
        polls: later.length === 0 ? [create] : later,
      };
    });
}

// ---- written

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
/** Each ends with the first answer, and cannot be asked for any more. */
const atOnce = (name: string, prediction: object): Sequence => ({
  ...{ name, endpoint: 'images', provider: 'replicate', upstreamModel: 'stability-ai/sdxl:1' },
  ...{ create: ok({ id: 'atonce', ...prediction }, 201), polls: [ok({ detail: 'Not found.' }, 404)] },
});
const AT_ONCE = {
  made: atOnce('at-once-made', { status: 'succeeded', output: AT_ONCE_OUTPUT, error: null }),
  empty: atOnce('at-once-empty', { status: 'succeeded', output: [], error: null }),
};

const sequences = [
  ...recordings,
  ...Object.values(AT_ONCE),
  ...Object.values(XAI_SEQUENCES),
  ...Object.values(VEO_SEQUENCES),
];

// ---- the provider

/** Answers with one sequence after the other, and has the files that they name. */
class Provider {
  /** Methods and paths, and the channel's key as each request had it. */
  asked: string[] = [];
  private current: Sequence | null = null;
  private polled = 0;
  private readonly server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.answer(request) });

  get origin(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  play(sequence: Sequence): void {
    this.current = sequence;
    this.asked = [];
    this.polled = 0;
  }

  get questions(): number {
    return this.polled;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    // A gateway learns within seconds, not at once, that an operator has ended a task.
    if (request.method === 'GET' && this.isOther(pathname)) return new Response('', { status: 404 });
    const key = request.headers.get('authorization') ?? request.headers.get('x-goog-api-key') ?? 'no key';
    this.asked.push(`${request.method} ${pathname} ${key}`);
    if (/\/(?:files|pbxt)\//.test(pathname)) {
      return new Response(CLIP, { headers: { 'content-type': /\.png$/.test(pathname) ? 'image/png' : 'video/mp4' } });
    }
    const { status, body } = this.next(request.method) ?? { status: 500, body: '' };
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    return new Response(body.replaceAll(FILE_HOST, this.origin), { status, headers });
  }

  private isOther(pathname: string): boolean {
    if (/\/(?:files|pbxt)\//.test(pathname)) return false;
    const { id, request_id: requestId, name } = asObject(parseJson(this.current?.create.body ?? ''));
    return !pathname.endsWith(`/${id ?? requestId ?? name}`);
  }

  private next(method: string): Recorded | undefined {
    if (this.current === null) return undefined;
    const { create, polls } = this.current;
    return method === 'POST' ? create : polls[Math.min(this.polled++, polls.length - 1)];
  }
}

const provider = new Provider();
let replay: Replay | null = null;
let space: Workspace;
let serving: Serving;

const REPLAYED = 'replicate/predictions/succeeded.json';
const FAULTS = ['reset', 'garbage', 'status-500'] as const;

beforeAll(async () => {
  space = await Workspace.create();
  if (missing === undefined) replay = await startReplay({ split: 'whole', folders: [await ownFolder()] });
  const channels = (['replicate', 'xai', 'google'] as const).map((name) => ({
    ...{ id: name, provider: name, api_key: `${name}-key` },
    base_url: `${provider.origin}/${name === 'google' ? 'v1beta' : 'v1'}`,
    models: Object.fromEntries(
      sequences.filter((one) => one.provider === name).map((one) => [one.name, one.upstreamModel]),
    ),
  }));
  const replayed = ['replayed', ...FAULTS.map((fault) => `replayed-${fault}`)];
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    media: { allow_http: true, allowed_ranges: ['127.0.0.0/8'] },
    tasks: { poll_interval_ms: 10 },
    channels: [
      ...channels.filter(({ models }) => Object.keys(models).length > 0),
      ...(replay === null ? [] : [replayChannel(replay)]),
    ],
    models: [
      ...sequences.map(({ name, endpoint }) => ({ id: name, category: endpoint.slice(0, -1), ...PRICE })),
      ...(replay === null ? [] : replayed.map((id) => ({ id, category: 'image', ...PRICE }))),
    ],
    accounts: [
      accountWith('payer', [keyNamed('payer')], {
        billing: 'prepaid',
        balance_usd: '100',
        requests_per_minute: 1_000_000,
      }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space?.remove();
  await replay?.stop();
  await provider.stop();
});

/** A recorded prediction that has succeeded, with the address of its file changed. */
async function ownFolder(): Promise<string> {
  const polled = recordings.flatMap(({ polls }) => polls);
  const body = polled.map((one) => one.body).find((text) => asObject(parseJson(text)).status === 'succeeded');
  const response = { status: 200, headers: {}, body: body?.replaceAll(FILE_HOST, provider.origin) };
  await space.write(`replay/${REPLAYED}`, JSON.stringify({ response }));
  const row = { file: REPLAYED, provider: 'replicate', api: 'predictions', status: 200, stream: false };
  await space.write('replay/index.jsonl', JSON.stringify(row));
  return space.path('replay');
}

const PRICE = { pricing: { per_request: '0.25' } };

function replayChannel({ baseUrl }: Replay): object {
  const faulty = FAULTS.map((fault) => [`replayed-${fault}`, `fault.${fault}.${recordingId(REPLAYED)}`]);
  const models = { replayed: recordingId(REPLAYED), ...Object.fromEntries(faulty) };
  // Failures that the test asks for must not rest the channel.
  const breaker = { minimum_requests: 1_000_000 };
  return { id: 'replay', provider: 'replicate', api_key: 'replay-key', base_url: baseUrl, breaker, models };
}

// ---- the client

async function create(endpoint: Sequence['endpoint'], body: object): Promise<Answer> {
  const url = `${serving.baseUrl}/${endpoint}/generations`;
  return answerOf(await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body) }));
}

async function read(id: string): Promise<Readonly<Record<string, unknown>>> {
  return (await answerOf(await fetch(`${serving.baseUrl}/tasks/${id}`, { headers: HEADERS }))).json;
}

async function begin(sequence: Sequence, extra: object = {}): Promise<string> {
  provider.play(sequence);
  const isImage = sequence.endpoint === 'images';
  const body = { model: sequence.name, prompt: 'robots', ...(isImage && { async: true }), ...extra };
  const { status, json } = await create(sequence.endpoint, body);
  expect({ status, json }).toMatchObject({ status: 200, json: { status: 'pending' } });
  return String(json.id);
}

async function final(id: string): Promise<Readonly<Record<string, unknown>>> {
  let task: Readonly<Record<string, unknown>> = {};
  const seen: string[] = [];
  await until('the task is final', async () => {
    task = await read(id);
    if (seen.at(-1) !== task.status) seen.push(String(task.status));
    return task.status === 'completed' || task.status === 'failed';
  });
  const order = ['pending', 'processing', 'completed', 'failed'];
  expect(seen).toEqual(seen.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
  return task;
}

/** What an operator sees of it. */
async function shown(id: string): Promise<Readonly<Record<string, unknown>>> {
  return asObject(parseJson((await space.run(['tasks', 'show', id, '--json'])).stdout));
}

async function expectMade(id: string, items: number): Promise<Readonly<Record<string, unknown>>[]> {
  const task = await final(id);
  expect({ ...task, error: task.error }).toMatchObject({ status: 'completed', error: undefined });
  const data = asArray(task.data).map(asObject);
  expect(data).toHaveLength(items);
  for (const { url } of data) {
    const file = await fetch(String(url));
    expect({ url, status: file.status, bytes: await file.bytes() }).toEqual({ url, status: 200, bytes: CLIP });
  }
  expect(await shown(id)).toMatchObject({ stage: 'completed', cost_usd: '0.25', hold: { state: 'settled' } });
  return data;
}

async function expectFailed(id: string, sentence: RegExp, code: string): Promise<void> {
  const task = await final(id);
  expect(task).toMatchObject({ status: 'failed', error: expect.stringMatching(sentence) });
  expect(task.data).toBeUndefined();
  expect(await shown(id)).toMatchObject({
    ...{ stage: 'failed', cost_usd: '0', ending: { kind: 'failed', code }, hold: { state: 'released' } },
  });
}

const lastOf = ({ polls }: Sequence) => asObject(parseJson(polls.at(-1)?.body ?? ''));

describe.skipIf(missing !== undefined)('recorded of Replicate', () => {
  const named = (list: readonly Sequence[]) => list.map((one) => [one.name, one] as const);
  const ending = (status: string) => recordings.filter((one) => lastOf(one).status === status);
  const open = recordings.filter((one) => ['starting', 'processing'].includes(String(lastOf(one).status)));

  test('there are sequences that end well, that end badly, and that do not end', () => {
    const counts = [ending('succeeded').length, ending('canceled').length, open.length];
    expect(counts.every((count) => count >= 2)).toBe(true);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(recordings.length);
  });

  test.each(named(ending('succeeded')))('%s: the image is made, and can be read', async (_name, sequence) => {
    const id = await begin(sequence);
    const output = asArray(lastOf(sequence).output);
    const data = await expectMade(id, output.length);
    expect(data).toMatchObject(output.map(() => ({ url: expect.stringContaining('/out-0.png') })));
    const prediction = lastOf(sequence).id;
    const questions = provider.asked.filter((one) => one.includes('/predictions'));
    expect(questions).toEqual([
      'POST /v1/predictions Bearer replicate-key',
      ...sequence.polls.map(() => `GET /v1/predictions/${prediction} Bearer replicate-key`),
    ]);
    expect(provider.asked.filter((one) => one.includes('/pbxt/') && !one.endsWith('no key'))).toEqual([]);
  });

  test.each(named(ending('canceled')))('%s: the task has failed, and costs nothing', async (_name, sequence) => {
    await expectFailed(await begin(sequence), /cancel/i, 'upstream_error');
  });

  test.each(named(open))('%s: the task waits, until an operator ends it', async (_name, sequence) => {
    const id = await begin(sequence);
    await until('it is asked for', () => provider.questions > 5);
    await until('that is known', async () => (await read(id)).status === 'processing');
    const failed = await space.run(['tasks', 'fail', id, '--reason', 'It was given up.']);
    expect(failed).toMatchObject({ exitCode: 0 });
    await expectFailed(id, /^It was given up\.$/, 'client_closed_request');
  });
});

describe.skipIf(missing !== undefined)('replayed', () => {
  const submissions = async () => (await replay?.journal())?.filter(({ method }) => method === 'POST').length;

  test('a prediction that has succeeded at once is a task that is completed by its first answer', async () => {
    await replay?.clearJournal();
    const { json } = await create('images', { model: 'replayed', prompt: 'robots', async: true });
    expect(json).toMatchObject({ status: 'pending' });
    await expectMade(String(json.id), 1);
    expect(await submissions()).toBe(1);
  });

  test.each(FAULTS)('a submission with the fault %s is made once, and costs nothing', async (fault) => {
    await replay?.clearJournal();
    const { status, json } = await create('images', { model: `replayed-${fault}`, prompt: 'robots', async: true });
    expect(status).toBeGreaterThanOrEqual(500);
    expect(json.error).toBeDefined();
    expect(await submissions()).toBe(1);
    const [task] = asArray(parseJson((await space.run(['tasks', 'list', '--limit', '1', '--json'])).stdout));
    expect(task).toMatchObject({ model: `replayed-${fault}`, stage: 'failed' });
    expect(await shown(String(asObject(task).id))).toMatchObject({ cost_usd: '0', hold: { state: 'released' } });
  });
});

describe('the first answer', () => {
  test('has the image already: it is not asked for again', async () => {
    await expectMade(await begin(AT_ONCE.made), 1);
    expect(provider.questions).toBe(0);
  });

  test('says that the job is done, and has no image: failed', async () => {
    await expectFailed(await begin(AT_ONCE.empty), /image/, 'upstream_error');
    expect(provider.questions).toBe(0);
  });
});

describe('xAI', () => {
  test('202 pending, then done: the video and its length', async () => {
    const id = await begin(XAI_SEQUENCES.done, { duration: 5 });
    const [item] = await expectMade(id, 1);
    expect(item).toMatchObject({ content_type: 'video/mp4', duration: 5 });
    const questions = provider.asked.filter((one) => !one.includes('/files/'));
    const { request_id } = asObject(parseJson(XAI_CREATED.body));
    expect(questions).toEqual([
      'POST /v1/videos/generations Bearer xai-key',
      ...XAI_SEQUENCES.done.polls.map(() => `GET /v1/videos/${request_id} Bearer xai-key`),
    ]);
  });

  test('done, but taken out by moderation: failed, by the client', async () => {
    await expectFailed(await begin(XAI_SEQUENCES.moderated), /moderation/, 'invalid_request');
  });

  test('failed: the sentence of the provider', async () => {
    await expectFailed(await begin(XAI_SEQUENCES.failed), /could not be rendered/, 'upstream_error');
  });

  test('expired: failed', async () => {
    await expectFailed(await begin(XAI_SEQUENCES.expired), /not finish the job in time/, 'upstream_error');
  });
});

describe('Veo', () => {
  test('an operation that is done has a file that only the key opens: the client gets a copy', async () => {
    const id = await begin(VEO_SEQUENCES.file);
    const [item] = await expectMade(id, 1);
    expect(item).toMatchObject({ content_type: 'video/mp4' });
    expect(new URL(String(item?.url)).origin).toBe(serving.origin);
    expect(JSON.stringify(await read(id))).not.toContain('google-key');
    expect(provider.asked).toEqual([
      `POST /v1beta/models/${VEO_MODEL}:predictLongRunning google-key`,
      ...VEO_SEQUENCES.file.polls.map(() => `GET /v1beta/${VEO_OPERATION} google-key`),
      'GET /v1beta/files/bwvzlcbhx2x6:download google-key',
    ]);
  });

  test('the video itself in the answer: the client gets a copy', async () => {
    const id = await begin(VEO_SEQUENCES.base64);
    const [item] = await expectMade(id, 1);
    expect(new URL(String(item?.url)).origin).toBe(serving.origin);
    expect(JSON.stringify(await read(id))).not.toContain(CLIP_BASE64);
  });

  test('one of two videos filtered out: the other one', async () => {
    await expectMade(await begin(VEO_SEQUENCES.half, { n: 2 }), 1);
  });

  test('all filtered out: failed, by the client, with the reason', async () => {
    await expectFailed(await begin(VEO_SEQUENCES.filtered), /real people/, 'invalid_request');
  });

  test('an error about the request: failed, by the client', async () => {
    await expectFailed(await begin(VEO_SEQUENCES.refused), /too many words/, 'invalid_request');
  });

  test('an error of the provider: failed', async () => {
    await expectFailed(await begin(VEO_SEQUENCES.internal), /Internal error/, 'upstream_error');
  });
});

test('the books are right after all of that', async () => {
  expect(await space.run(['ledger', 'verify'])).toMatchObject({ exitCode: 0 });
  expect(sequences.every((one) => isObject(lastOf(one)))).toBe(true);
});
