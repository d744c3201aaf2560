import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI, { type APIError, toFile } from 'openai';
import { accountWith, clientKey, keyNamed } from './first-light/upstream.ts';
import { asObject } from './shared/json.ts';
import { pngOf } from './shared/png.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';
import { openai } from './task-simulators/openai.ts';
import { sampleFile } from './task-simulators/samples.ts';
import { PublicFiles, SimulatedProvider } from './task-simulators/simulated-provider.ts';

/* `/v1/videos` with OpenAI's SDK, unchanged, in front of OpenAI's API, of another provider and of the sandbox. */

setDefaultTimeout(600_000);

const PIXEL = pngOf({ width: 8, height: 8 });
const ELSEWHERE = 'https://files.example.com/v.mp4';

let space: Workspace;
let serving: Serving;
let sora: SimulatedProvider;
let files: PublicFiles;
let xai: ReturnType<typeof startXai>;

/** Starts a provider whose videos have public URLs, and which changes a video by its URL. */
function startXai() {
  const received: { readonly path: string; readonly body: unknown }[] = [];
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      if (request.method === 'POST') {
        received.push({ path, body: await request.json() });
        return Response.json({ request_id: `job-${received.length}` });
      }
      return Response.json({ status: 'done', video: { url: ELSEWHERE, duration: 6 } });
    },
  });
  return { baseUrl: `http://127.0.0.1:${server.port}/v1`, received, stop: () => server.stop(true) };
}

const client = (key = 'one') => new OpenAI({ apiKey: clientKey(key), baseURL: serving.baseUrl, maxRetries: 0 });

/** Returns the error of a request that must fail. */
async function refusal(work: Promise<unknown>): Promise<APIError> {
  return await work.then(
    () => Promise.reject(new Error('the request succeeded')),
    (error: APIError) => error,
  );
}

async function expectBooksAgree(): Promise<void> {
  const { exitCode, stdout } = await space.run(['ledger', 'verify']);
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
}

async function finished(id: string, key = 'one'): Promise<OpenAI.Videos.Video> {
  let video = await client(key).videos.retrieve(id);
  await until('the video is final', async () => {
    video = await client(key).videos.retrieve(id);
    return video.status === 'completed' || video.status === 'failed';
  });
  return video;
}

beforeAll(async () => {
  space = await Workspace.create();
  files = new PublicFiles();
  sora = new SimulatedProvider(openai, files);
  xai = startXai();
  const PRICED = { category: 'video', pricing: { per_second: '0.1' } };
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      {
        id: 'sora',
        provider: 'openai',
        api_key: openai.apiKey,
        base_url: `${sora.origin}/v1`,
        models: { 'sora-2': 'sora-2' },
      },
      { id: 'xai', provider: 'xai', api_key: 'k', base_url: xai.baseUrl, models: { grok: 'grok-imagine-video' } },
      { id: 'sandbox', provider: 'sandbox', models: { 'sandbox-video': 'sandbox-video' } },
    ],
    models: [
      { id: 'sora-2', ...PRICED },
      { id: 'grok', ...PRICED },
    ],
    tasks: { poll_interval_ms: 10 },
    accounts: [
      accountWith('one', [keyNamed('one')], { billing: 'prepaid', balance_usd: '100', requests_per_minute: 100_000 }),
      accountWith('other', [keyNamed('other')], { requests_per_minute: 100_000 }),
      accountWith('pager', [keyNamed('pager')], { requests_per_minute: 100_000 }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG }, sleep: () => Promise.resolve() });
});
afterAll(async () => {
  await space?.remove();
  await Promise.all([sora?.stop(), files?.stop(), xai?.stop()]);
});

describe('create', () => {
  test('with a file and the SDK’s form makes a video at OpenAI’s API, which is charged by its length', async () => {
    sora.play(['queued', 'in_progress', 'completed']);
    const input_reference = await toFile(PIXEL, 'first.png', { type: 'image/png' });
    const body = { prompt: 'it runs', seconds: '8', size: '1280x720', input_reference } as const;
    const made = await client().videos.create(body);
    expect(made).toMatchObject({
      ...{ object: 'video', model: 'sora-2', status: 'queued', progress: 0 },
      ...{ seconds: '8', size: '1280x720', prompt: 'it runs', completed_at: null, error: null },
      remixed_from_video_id: null,
    });
    const video = await finished(made.id);
    expect(video).toMatchObject({ id: made.id, status: 'completed', progress: 100, seconds: '8', prompt: 'it runs' });
    expect(Number(video.expires_at)).toBeGreaterThan(Number(video.completed_at));
    expect(sora.complaints).toEqual([]);
    // The contract's own address has the same task.
    const task = await fetch(`${serving.baseUrl}/tasks/${made.id}`, {
      headers: { authorization: `Bearer ${clientKey('one')}` },
    });
    expect(await task.json()).toMatchObject({ id: made.id, status: 'completed', kind: 'video' });
    await expectBooksAgree();
  });

  test('takes JSON, an image by its address, and the fields of the gateway', async () => {
    const made = await client().post<OpenAI.Videos.Video>('/videos', {
      body: {
        model: 'grok',
        prompt: 'a fox',
        seconds: '6',
        input_reference: { image_url: 'https://example.com/a.png' },
      },
    });
    expect(made).toMatchObject({ model: 'grok', seconds: '6', size: null });
    expect(xai.received.at(-1)?.body).toMatchObject({ prompt: 'a fox', image: { url: 'https://example.com/a.png' } });
    const form = await client().videos.create({
      model: 'grok',
      prompt: 'x',
      input_reference: { image_url: 'https://example.com/b.png' },
    });
    expect(form.model).toBe('grok');
    expect(xai.received.at(-1)?.body).toMatchObject({ image: { url: 'https://example.com/b.png' } });
  });

  test.each([
    [{ prompt: '' }, 'prompt'],
    [{ prompt: 'x', seconds: 'long' as never }, 'seconds'],
    [{ prompt: 'x', size: 'big' as never }, 'size'],
    [{ prompt: 'x', model: 'nothing-of-this-name' }, 'model'],
    [{ prompt: 'x', input_reference: { file_id: 'file-1' } }, 'input_reference.file_id'],
    [{ prompt: 'x', input_reference: { image_url: 'ftp://x' } }, 'input_reference.image_url'],
    [{ prompt: 'x', input_reference: new File(['no image'], 'a.png', { type: 'image/png' }) }, 'input_reference'],
  ])('with %j names the field', async (body, param) => {
    const error = await refusal(client().videos.create(body));
    expect({ param: error.param, isClients: error.status === 400 || error.status === 404 }).toEqual({
      param,
      isClients: true,
    });
  });

  test('that fails has a code and a message, and costs nothing', async () => {
    sora.play(['queued', 'blocked']);
    const { id } = await client().videos.create({ prompt: 'something' });
    const video = await finished(id);
    expect(video).toMatchObject({
      status: 'failed',
      completed_at: null,
      error: { message: expect.stringContaining('moderation') },
    });
    expect(video.error?.code).toMatch(/^\w+$/);
    await expectBooksAgree();
  });
});

describe('content', () => {
  test('is the stored file, whole and in ranges, and its thumbnail', async () => {
    sora.play(['completed']);
    const { id } = await client().videos.create({ prompt: 'a fox' });
    await finished(id);
    const whole = sampleFile('clip.mp4');
    const got = await client().videos.downloadContent(id);
    expect([got.status, got.headers.get('content-type')]).toEqual([200, 'video/mp4']);
    expect(new Uint8Array(await got.arrayBuffer())).toEqual(whole.bytes);
    const part = await client().videos.downloadContent(id, {}, { headers: { range: 'bytes=4-7' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 4-7/${whole.bytes.length}`,
      'ftyp',
    ]);
    const thumbnail = await client().videos.downloadContent(id, { variant: 'thumbnail' });
    expect(thumbnail.headers.get('content-type')).toBe('image/png');
    expect((await refusal(client().videos.downloadContent(id, { variant: 'spritesheet' }))).status).toBe(404);
    expect((await refusal(client().videos.downloadContent(id, { variant: 'film' as never }))).param).toBe('variant');
    expect((await refusal(client('other').videos.downloadContent(id))).code).toBe('async_task_not_found');
  });

  test('of a provider with public files is a redirect, and of an unfinished video a conflict', async () => {
    const { id } = await client().videos.create({ model: 'grok', prompt: 'a fox' });
    await finished(id);
    const headers = { authorization: `Bearer ${clientKey('one')}` };
    const answer = await fetch(`${serving.baseUrl}/videos/${id}/content`, { headers, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, ELSEWHERE]);
    sora.play(['queued']);
    const open = await client().videos.create({ prompt: 'a fox' });
    expect((await refusal(client().videos.downloadContent(open.id))).status).toBe(409);
  });
});

describe('remix and edit', () => {
  test('go to OpenAI’s own address for a video that it made, at the price of that video', async () => {
    sora.play(['completed']);
    const first = await client().videos.create({ prompt: 'a fox', seconds: '8' });
    await finished(first.id);
    const remix = await client().videos.remix(first.id, { prompt: 'at night' });
    expect(remix).toMatchObject({ model: 'sora-2', seconds: '8', prompt: 'at night', remixed_from_video_id: first.id });
    expect((await finished(remix.id)).status).toBe('completed');
    const edit = await client().videos.edit({ prompt: 'in rain', video: { id: remix.id } });
    expect((await finished(edit.id)).remixed_from_video_id).toBe(remix.id);
    expect(sora.complaints).toEqual([]);
    const shown = await space.run(['tasks', 'show', edit.id, '--json']);
    expect(asObject(JSON.parse(shown.stdout))).toMatchObject({ cost_usd: '0.8', target: { asked: { seconds: 8 } } });
    await expectBooksAgree();
  });

  test('send the address of the video to another provider', async () => {
    const first = await client().videos.create({ model: 'grok', prompt: 'a fox' });
    await finished(first.id);
    const remix = await client().videos.remix(first.id, { prompt: 'at night' });
    expect(xai.received.at(-1)).toMatchObject({
      path: '/v1/videos/edits',
      body: { prompt: 'at night', video: { url: ELSEWHERE } },
    });
    expect((await finished(remix.id)).status).toBe('completed');
  });

  test('refuse what cannot be changed, and find no video of another account', async () => {
    sora.play(['queued']);
    const open = await client().videos.create({ prompt: 'a fox' });
    expect((await refusal(client().videos.remix(open.id, { prompt: 'x' }))).status).toBe(409);
    expect((await refusal(client('other').videos.remix(open.id, { prompt: 'x' }))).code).toBe('async_task_not_found');
    expect((await refusal(client().videos.edit({ prompt: 'x', video: { id: 'task_1' } }))).status).toBe(404);
    const upload = await refusal(client().videos.edit({ prompt: 'x', video: new File(['v'], 'v.mp4') }));
    expect([upload.status, upload.message]).toEqual([400, expect.stringContaining('must not be a file')]);
    expect((await refusal(client().videos.remix(open.id, { prompt: '' }))).param).toBe('prompt');
    expect(
      (await refusal(client().post(`/videos/${open.id}/remix`, { body: { prompt: 'x', size: '1x1' } }))).param,
    ).toBe('size');
  });

  test('name the method if the provider cannot change videos', async () => {
    for (const [name, call] of Object.entries({
      'videos.extend': () => client().videos.extend({ prompt: 'x', seconds: '4', video: { id: 'task_1' } }),
      'videos.createCharacter': () => client().videos.createCharacter({ name: 'Fox', video: new File(['v'], 'v.mp4') }),
      'videos.getCharacter': () => client().videos.getCharacter('char_1'),
    })) {
      const error = await refusal(call());
      expect([error.status, error.message]).toEqual([404, expect.stringContaining(`\`${name}\``)]);
    }
  });
});

/** A field of the gateway beside OpenAI's, as text, since the SDK sends a form. */
const AT_ONCE = { model: 'sandbox-video', provider_options: '{"delay_ms":0}' };

test('list has all videos of the account in the SDK’s pages, while others are made and deleted', async () => {
  const pager = client('pager');
  const made: string[] = [];
  for (let count = 0; count < 5; count++) {
    made.unshift((await pager.videos.create({ ...AT_ONCE, prompt: `video ${count}` })).id);
  }
  await fetch(`${serving.baseUrl}/music/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey('pager')}`, 'content-type': 'application/json' },
    body: '{}',
  });
  for (const id of made) await finished(id, 'pager');
  const seen: string[] = [];
  for await (const { id } of pager.videos.list({ limit: 2 })) {
    seen.push(id);
    expect(await pager.videos.delete(id)).toEqual({ id, object: 'video.deleted', deleted: true });
    await pager.videos.create({ ...AT_ONCE, prompt: 'later' });
  }
  expect(seen).toEqual(made);
  for (const id of made) expect((await refusal(pager.videos.retrieve(id))).code).toBe('async_task_not_found');
  const ascending = await pager.videos.list({ order: 'asc', limit: 3 });
  expect(ascending.data.map(({ prompt }) => prompt)).toEqual(['later', 'later', 'later']);
  expect((await refusal(pager.videos.list({ limit: 101 }))).param).toBe('limit');
});

describe('delete', () => {
  test('removes the stored files and the object, and neither the charge nor the log', async () => {
    sora.play(['completed']);
    const { id } = await client().videos.create({ prompt: 'a fox' });
    await finished(id);
    const task = await fetch(`${serving.baseUrl}/tasks/${id}`, {
      headers: { authorization: `Bearer ${clientKey('one')}` },
    });
    const { data } = (await task.json()) as { readonly data: readonly { readonly url: string }[] };
    const link = data[0]?.url ?? '';
    expect((await fetch(link)).status).toBe(200);
    expect((await refusal(client('other').videos.delete(id))).code).toBe('async_task_not_found');
    await client().videos.delete(id);
    expect((await fetch(link)).status).toBe(404);
    const { videos } = client();
    for (const call of [() => videos.retrieve(id), () => videos.delete(id), () => videos.downloadContent(id)]) {
      expect((await refusal(call())).code).toBe('async_task_not_found');
    }
    await expectBooksAgree();
  });

  test('of an unfinished video is a conflict; it can be cancelled', async () => {
    const { id } = await client().videos.create({
      model: 'sandbox-video',
      prompt: 'x',
      provider_options: '{"delay_ms":60000}',
    } as never);
    expect((await refusal(client().videos.delete(id))).status).toBe(409);
    await client().post(`/tasks/${id}/cancel`);
    expect(await client().videos.retrieve(id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    await client().videos.delete(id);
  });
});
