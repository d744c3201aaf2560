import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { endOf, polledTask, type SentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { runwayVideos } from './index.ts';
import { RUNWAY_MODELS } from './models.ts';

const PIXEL = `data:image/png;base64,${PIXEL_BASE64}`;
const ID = '17f20503-6c24-4c16-946b-35dbbce2af2f';

const sent = (model: string, asked = {}) => videoSent(runwayVideos, model, asked);

describe('a request', () => {
  test('from a text has the pixels, and the API version', async () => {
    expect(await sent('gen4.5', { seed: 5, durationSeconds: 8, aspectRatio: '9:16' })).toEqual({
      body: { model: 'gen4.5', promptText: 'a fox in the snow', ratio: '720:1280', duration: 8, seed: 5 },
      ...{ suffix: '/text_to_video', lost: [] },
    });
    const whole = await runwayVideos.encodeRequest(PLAIN_VIDEO, { upstreamModel: 'gen4.5' }, { reference: 'task_1' });
    expect(whole instanceof Failure ? null : whole.headers).toEqual({ 'x-runway-version': '2024-11-06' });
    expect(runwayVideos.poll({ id: ID }, { upstreamModel: 'gen4.5' })).toEqual({
      url: `/tasks/${ID}`,
      headers: { 'x-runway-version': '2024-11-06' },
    });
  });

  test("has a seed within Runway's range", async () => {
    expect(await sent('gen4.5', { seed: 2 ** 32 - 1 })).toMatchObject({ body: { seed: 2 ** 32 - 1 }, lost: [] });
    expect(await sent('gen4.5', { seed: 2 ** 32 + 5 })).toMatchObject({
      body: { seed: 5 },
      lost: ['seed approximated'],
    });
  });

  test('goes to the endpoint for its inputs', async () => {
    const image = { firstImage: INLINE_PIXEL };
    expect(await sent('gen4_turbo', image)).toMatchObject({
      body: { promptImage: PIXEL, ratio: '1280:720', duration: 5 },
      suffix: '/image_to_video',
    });
    expect(
      await sent('veo3.1', { ...image, lastImage: { kind: 'url', url: 'https://example.com/b.png' } }),
    ).toMatchObject({
      body: {
        promptImage: [
          { uri: PIXEL, position: 'first' },
          { uri: 'https://example.com/b.png', position: 'last' },
        ],
        duration: 8,
      },
    });
    const videoUrl = 'https://example.com/v.mp4';
    expect(await sent('aleph2', { videoUrl, aspectRatio: '21:9' })).toEqual({
      body: { model: 'aleph2', promptText: 'a fox in the snow', videoUri: videoUrl, targetAspectRatio: '21:9' },
      ...{ suffix: '/video_to_video', lost: [] },
    });
    expect(await sent('seedance2', { videoUrl, referenceImages: [INLINE_PIXEL] })).toMatchObject({
      body: { promptVideo: videoUrl, references: [{ uri: PIXEL }] },
    });
    expect(await sent('hailuo3', { referenceImages: [INLINE_PIXEL], resolution: '2k' })).toMatchObject({
      body: { references: [{ uri: PIXEL }], resolution: '2K', ratio: '16:9' },
      suffix: '/text_to_video',
    });
  });

  test('that the model does not support names the field', async () => {
    expect(await sent('gen4_turbo')).toBe('400 prompt');
    expect(await sent('aleph2')).toBe('400 prompt');
    expect(await sent('gen4.5', { firstImage: INLINE_PIXEL, prompt: '' })).toBe('400 prompt');
    expect(await sent('gen4.5', { videoUrl: 'https://example.com/v.mp4' })).toBe('400 video_url');
    expect(await sent('gen4.5', { firstImage: INLINE_PIXEL, lastImage: INLINE_PIXEL })).toBe('400 end_image_url');
    expect(await sent('gen4.5', { audio: true })).toBe('400 audio');
    expect(await sent('seedance2', { referenceImages: new Array(10).fill(INLINE_PIXEL) })).toBe(
      '400 reference_image_urls',
    );
  });

  test("for an unknown model has the client's fields", async () => {
    const asked = {
      size: { width: 1111, height: 777 },
      durationSeconds: 17,
      seed: 1,
      audio: false,
      negativePrompt: 'fog',
    };
    expect(await sent('gen9', asked)).toMatchObject({
      body: { ratio: '1111:777', duration: 17, seed: 1, audio: false, negativePrompt: 'fog' },
      lost: [],
    });
  });

  test('for another file format costs more', async () => {
    const prores = { options: { outputFormat: 'prores' } };
    expect(await sent('gen4.5', prores)).toMatchObject({ body: { outputFormat: 'prores' } });
    expect(videoAsked(runwayVideos, 'gen4.5', prores).traits).toEqual(['prores']);
    expect(videoAsked(runwayVideos, 'gen4.5', { options: { outputFormat: 'mp4' } }).traits).toEqual([]);
    for (const outputFormat of [...WRONG_VALUES, 'PRORES']) {
      expect(await sent('gen4.5', { options: { outputFormat } })).toBe('400 provider_options.outputFormat');
    }
  });

  test('is priced as it is sent', async () => {
    const asks = (model: string, asked = {}) => videoAsked(runwayVideos, model, asked);
    expect(asks('veo3.1', { resolution: '1080p', durationSeconds: 7 })).toEqual({
      ...{ count: 1, seconds: 8, resolution: '1080p', traits: ['audio'] },
    });
    expect(asks('veo3.1', { audio: false })).toEqual({ count: 1, seconds: 8, resolution: '720p', traits: [] });
    expect(asks('seedance2', { size: { width: 3840, height: 2160 } })).toMatchObject({ seconds: 5, resolution: '4k' });
    expect(asks('gen9', { size: { width: 3900, height: 2200 } })).toMatchObject({ resolution: '4k' });
    expect(asks('hailuo3', { resolution: '1440p' })).toMatchObject({ resolution: '2k' });
    expect(asks('aleph2', { videoUrl: 'https://example.com/v.mp4' })).toMatchObject({
      seconds: null,
      resolution: null,
    });
  });

  const carried = ({ body }: SentTask) => {
    const names: Readonly<Record<string, readonly string[]>> = {
      promptImage: ['image_url', 'end_image_url'],
      references: ['reference_image_urls'],
      promptVideo: ['video_url'],
      videoUri: ['video_url'],
      ratio: ['aspect_ratio', 'size', 'resolution'],
      targetAspectRatio: ['aspect_ratio'],
      resolution: ['resolution', 'size'],
      negativePrompt: ['negative_prompt'],
    };
    // A model without a member for sound is silent anyway.
    return [
      ...Object.keys(body).flatMap((name) => names[name] ?? [name]),
      ...(body.audio === undefined ? ['audio'] : []),
    ];
  };

  test.each([...RUNWAY_MODELS, 'gen9'])('to %s carries, loses or refuses each pair of members', async (model) => {
    const asked = new Set(
      (await unaccountedVideo(runwayVideos, model, carried)).filter(
        // These models need an image or a video, which the pair may lack.
        (problem) => !/(?:gen4_turbo|aleph2)/.test(model) || !problem.endsWith('400 prompt'),
      ),
    );
    expect([...asked]).toEqual([]);
  });
});

describe('a job', () => {
  const polled = (body: unknown) => polledTask(runwayVideos, body, { id: ID });

  test('is identified by its id', () => {
    expect(submittedTask(runwayVideos, { id: ID, estimatedCost: { credits: 60 } }, PLAIN_VIDEO)).toEqual({
      ticket: { id: ID },
      report: { state: 'working', status: 'pending', progress: null },
    });
    for (const id of [...WRONG_VALUES.filter((value) => value !== 'x'), '../b', 'a/b', '..', `${'a'.repeat(501)}`]) {
      expect(submittedTask(runwayVideos, { id }, PLAIN_VIDEO)).toBeInstanceOf(Failure);
    }
    expect(submittedTask(runwayVideos, { error: 'You do not have enough credits' }, PLAIN_VIDEO)).toBeInstanceOf(
      Failure,
    );
  });

  test('is queued, runs and is done', () => {
    for (const status of ['PENDING', 'THROTTLED']) {
      expect(polled({ id: ID, status })).toEqual({ state: 'working', status: 'pending', progress: null });
    }
    expect(polled({ status: 'RUNNING', progress: 0.425 })).toEqual({
      ...{ state: 'working', status: 'processing', progress: 42 },
    });
    const url = 'https://dnznrvs05pmza.cloudfront.net/a.mp4?_jwt=x';
    expect(polled({ status: 'SUCCEEDED', output: [url], cost: { credits: 60 } })).toEqual({
      state: 'done',
      result: { items: [{ source: { kind: 'url', url }, mediaType: 'video/mp4', durationSeconds: null }] },
    });
    const frames = ['https://x.example/a.zip', 'https://x.example/a.wav'];
    expect(polled({ status: 'SUCCEEDED', output: frames })).toMatchObject({
      result: { items: [{ mediaType: 'application/zip' }] },
    });
  });

  test.each([
    ['SAFETY.INPUT.TEXT', 'invalid_request client content_refused'],
    ['SAFETY.OUTPUT.VIDEO', 'invalid_request client content_refused'],
    ['INPUT_PREPROCESSING.SAFETY.TEXT', 'invalid_request client content_refused'],
    ['ASSET.INVALID', 'invalid_request client job_refused'],
    ['INPUT_PREPROCESSING.INTERNAL', 'upstream_error upstream job_failed'],
    ['INTERNAL.BAD_OUTPUT.CODE01', 'upstream_error upstream job_failed'],
    ['SAFETYNET', 'upstream_error upstream job_failed'],
    [null, 'upstream_error upstream job_failed'],
  ])('that failed with %p is reported in one sentence', (failureCode, begins) => {
    const failure = 'It failed: see https://dev.runwayml.com/x?key=sk-12345678';
    const end = endOf(polled({ status: 'FAILED', failure, failureCode }));
    expect(end).toStartWith(begins);
    expect(end).not.toMatch(/runwayml|sk-/);
  });

  test('that was cancelled has failed', () => {
    expect(endOf(polled({ status: 'CANCELLED' }))).toStartWith('upstream_error upstream job_canceled');
  });

  test('continues after an unexpected response', () => {
    for (const value of [...WRONG_VALUES, '<html>', '{"__proto__": {"status": "FAILED"}}']) {
      expect(polled(value)).toBeInstanceOf(Failure);
      expect(polled({ status: value })).toBeInstanceOf(Failure);
      expect(polled({ status: 'SUCCEEDED', output: value })).toBeInstanceOf(Failure);
      expect(polled({ status: 'SUCCEEDED', output: [value] })).toBeInstanceOf(Failure);
      expect(polled({ status: 'RUNNING', progress: value })).toMatchObject({ state: 'working' });
      expect(polled({ status: 'FAILED', failure: value, failureCode: value })).toMatchObject({ state: 'failed' });
    }
    for (const url of ['file:///etc/passwd', 'javascript:1', 'data:video/mp4;base64,AAAA']) {
      expect(polled({ status: 'SUCCEEDED', output: [url] })).toBeInstanceOf(Failure);
    }
  });
});

const failedWith = (status: number, body: unknown) =>
  runwayVideos.decodeFailure(status, new Headers(), new TextEncoder().encode(JSON.stringify(body)));

test('a refusal names the client’s field', () => {
  const refused = (name: unknown) => {
    const issues = [{ code: 'invalid', path: [name], message: 'Invalid option' }];
    return failedWith(400, { error: 'Validation of body failed', issues }).details.param;
  };
  expect(refused('promptText')).toBe('prompt');
  expect(refused('promptImage')).toBe('image_url');
  expect(refused('duration')).toBe('duration');
  for (const value of WRONG_VALUES.filter((one) => one !== 'x')) expect(refused(value)).toBeUndefined();
  expect(failedWith(401, { error: 'bad key' })).toMatchObject({ side: 'upstream' });
  expect(failedWith(429, { error: 'slow down' })).toMatchObject({ code: 'rate_limit_exceeded' });
});
