import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { INLINE_PIXEL, ODD_VALUES, PIXEL_URI } from '../../shared/testing/image-samples.ts';
import { polledTask, type SentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { falVideos } from './index.ts';
import { FAL_VIDEOS, falVideo } from './models.ts';

const FIRST = { firstImage: INLINE_PIXEL };
const BOTH = { ...FIRST, lastImage: INLINE_PIXEL };
const THREE = { referenceImages: [INLINE_PIXEL, INLINE_PIXEL, INLINE_PIXEL] };

describe('a request', () => {
  test('to Veo has its parameters', async () => {
    const asked = { durationSeconds: 4, resolution: '1080p', aspectRatio: '9:16', audio: false, seed: 3 };
    expect(await videoSent(falVideos, 'fal-ai/veo3', { ...asked, negativePrompt: 'fog' })).toEqual({
      body: {
        ...{ prompt: 'a fox in the snow', duration: '4s', resolution: '1080p', aspect_ratio: '9:16' },
        ...{ generate_audio: false, negative_prompt: 'fog', seed: 3 },
      },
      suffix: '/fal-ai/veo3',
      lost: [],
    });
    expect(videoAsked(falVideos, 'fal-ai/veo3', asked)).toEqual({
      ...{ count: 1, seconds: 4, resolution: '1080p', traits: [] },
    });
    expect(videoAsked(falVideos, 'fal-ai/veo3')).toEqual({
      ...{ count: 1, seconds: 8, resolution: '720p', traits: ['audio'] },
    });
  });

  const KLING = 'fal-ai/kling-video/v2.5-turbo/pro';
  test.each<[string, string, Partial<VideoRequest>]>([
    ['fal-ai/veo3', '/fal-ai/veo3/image-to-video', FIRST],
    ['fal-ai/veo3/fast', '/fal-ai/veo3/fast/image-to-video', FIRST],
    ['fal-ai/veo3/image-to-video', '/fal-ai/veo3', {}],
    ['fal-ai/veo3.1', '/fal-ai/veo3.1/first-last-frame-to-video', BOTH],
    ['fal-ai/veo3.1', '/fal-ai/veo3.1/reference-to-video', THREE],
    ['fal-ai/veo3.1/reference-to-video', '/fal-ai/veo3.1/image-to-video', FIRST],
    [`${KLING}/text-to-video`, `/${KLING}/text-to-video`, {}],
    [`${KLING}/text-to-video`, `/${KLING}/image-to-video`, BOTH],
    [`${KLING}/image-to-video`, `/${KLING}/text-to-video`, {}],
    ['fal-ai/kling-video/v2.1/pro/image-to-video', '/fal-ai/kling-video/v2.1/pro/image-to-video', {}],
    ['fal-ai/ltx-2/text-to-video/fast', '/fal-ai/ltx-2/image-to-video/fast', FIRST],
    ['fal-ai/luma-dream-machine/ray-2', '/fal-ai/luma-dream-machine/ray-2/image-to-video', FIRST],
    ['fal-ai/luma-dream-machine/ray-2/image-to-video', '/fal-ai/luma-dream-machine/ray-2', {}],
    ['someone/new/text-to-video', '/someone/new/image-to-video', FIRST],
    ['someone/new/text-to-video', '/someone/new/reference-to-video', THREE],
    ['someone/new/image-to-video', '/someone/new/image-to-video', {}],
    ['rec-1a2b3c4d', '/rec-1a2b3c4d', FIRST],
    ['a b/c?d=e', '/a%20b/c%3Fd%3De', {}],
  ])('for %s goes to %s if that extends its path', async (id, suffix, asked) => {
    expect(await videoSent(falVideos, id, asked)).toMatchObject({ suffix });
  });

  test('has images under the names of the endpoint', async () => {
    const pair = (first: string, last: string) => ({ body: { [first]: PIXEL_URI, [last]: PIXEL_URI } });
    expect(await videoSent(falVideos, 'fal-ai/veo3.1', BOTH)).toMatchObject(pair('first_frame_url', 'last_frame_url'));
    expect(await videoSent(falVideos, `${KLING}/image-to-video`, BOTH)).toMatchObject(
      pair('image_url', 'tail_image_url'),
    );
    expect(await videoSent(falVideos, 'someone/new', BOTH)).toMatchObject(pair('image_url', 'end_image_url'));
    expect(await videoSent(falVideos, 'fal-ai/veo3', BOTH)).toBe('400 end_image_url');
    expect(await videoSent(falVideos, 'fal-ai/veo3.1', THREE)).toMatchObject({
      body: { image_urls: [PIXEL_URI, PIXEL_URI, PIXEL_URI], duration: '8s' },
    });
    expect(await videoSent(falVideos, 'fal-ai/veo3.1', { ...THREE, ...FIRST })).toBe('400 image_url');
  });

  test('is charged for the resolution of its endpoint', () => {
    const id = 'fal-ai/minimax/hailuo-02/standard/text-to-video';
    expect(videoAsked(falVideos, id, { resolution: '512p' })).toMatchObject({ resolution: '768p' });
    expect(videoAsked(falVideos, id, { resolution: '512p', ...FIRST })).toMatchObject({ resolution: '512p' });
    expect(videoAsked(falVideos, 'fal-ai/wan/v2.2-a14b/text-to-video')).toMatchObject({ seconds: 81 / 16 });
  });

  const NAMES: Readonly<Record<string, string>> = {
    ...{ first_frame_url: 'image_url', tail_image_url: 'end_image_url', last_frame_url: 'end_image_url' },
    ...{ image_urls: 'reference_image_urls', num_frames: 'duration', generate_audio: 'audio' },
  };

  const SIZED = { size: { width: 1280, height: 720 } };
  const ids = [...FAL_VIDEOS, ...FAL_VIDEOS.map((id) => `${id}/image-to-video`), 'someone/new'];
  test.each(ids)('to %s carries, loses or refuses each pair of members', async (id) => {
    const { model } = falVideo(id, PLAIN_VIDEO);
    // Properties that every video of the model has without being requested.
    const always = [
      ...(model.length?.member === null ? ['duration'] : []),
      ...(model.resolution?.member === null ? ['resolution'] : []),
      ...(typeof model.sound === 'string' ? ['audio'] : []),
    ];
    const carried = ({ body }: SentTask) => {
      // 1280x720 is 16:9 at 720p.
      const isSized = body.aspect_ratio === '16:9' && videoAsked(falVideos, id, SIZED).resolution === '720p';
      return [...Object.keys(body).map((name) => NAMES[name] ?? name), ...always, ...(isSized ? ['size'] : [])];
    };
    expect(await unaccountedVideo(falVideos, id, carried)).toEqual([]);
  });
});

describe('a job', () => {
  const id = '80e732af-660e-45cd-bd63-580e4f2a94cc';
  const urls = { response_url: `https://evil.example/requests/${id}`, status_url: 'https://evil.example/x' };
  const ticket = { id, app: '/fal-ai/kling-video', step: 'status' };
  const result = { ...ticket, step: 'result' };
  const target = { upstreamModel: 'fal-ai/kling-video/v2.1/pro/image-to-video' };

  test('is accepted with its id and the app of its endpoint', () => {
    const answer = { request_id: id, status: 'IN_QUEUE', ...urls };
    expect(submittedTask(falVideos, answer, PLAIN_VIDEO, target.upstreamModel)).toEqual({
      ticket,
      report: { state: 'working', status: 'pending', progress: null },
    });
    for (const odd of ['../../keys', '', 'a/b', 7, {}, 'x'.repeat(101)]) {
      expect(submittedTask(falVideos, { ...answer, request_id: odd }, PLAIN_VIDEO)).toBeInstanceOf(Failure);
    }
    for (const odd of [...ODD_VALUES, 'not json', { video: { url: 'https://x.example/a.mp4' } }]) {
      expect(submittedTask(falVideos, odd, PLAIN_VIDEO)).toBeInstanceOf(Failure);
    }
  });

  test('is polled for its status, and then at once for its result', () => {
    expect(falVideos.poll(ticket, target)).toEqual({ url: `/fal-ai/kling-video/requests/${id}/status` });
    expect(falVideos.poll(result, target)).toEqual({ url: `/fal-ai/kling-video/requests/${id}` });
    expect(falVideos.poll({ ...ticket, id: '../x' }, target).url).toContain('..%2Fx');
    expect(polledTask(falVideos, { status: 'IN_QUEUE', queue_position: 3 }, ticket)).toMatchObject({
      ...{ state: 'working', status: 'pending' },
    });
    expect(polledTask(falVideos, { status: 'IN_PROGRESS', logs: null }, ticket)).toEqual({
      ...{ state: 'working', status: 'processing', progress: null },
    });
    expect(polledTask(falVideos, { status: 'COMPLETED', ...urls }, ticket)).toEqual({
      ...{ state: 'working', status: 'processing', progress: null, ticket: result, afterMs: 0 },
    });
  });

  test('fails with its runner, and continues in an unknown state', () => {
    const completed = {
      status: 'COMPLETED',
      error: 'Runner gone: https://x.example/log',
      error_type: 'runner_disconnected',
    };
    expect(polledTask(falVideos, completed, ticket)).toMatchObject({
      ...{
        state: 'failed',
        failure: { kind: 'job_failed', message: 'The job failed: Runner gone:' },
      },
    });
    const wrong = { status: 'COMPLETED', error: 'The image is too small.', error_type: 'bad_request' };
    expect(polledTask(falVideos, wrong, ticket)).toMatchObject({
      ...{ state: 'failed', failure: { side: 'client', message: 'The image is too small.' } },
    });
    const { error_type: _, ...unsaid } = wrong;
    expect(polledTask(falVideos, unsaid, ticket)).toMatchObject({ state: 'failed', failure: { side: 'upstream' } });
    for (const odd of ODD_VALUES.filter((value) => value !== 'odd')) {
      const answer = { status: 'COMPLETED', error: odd, error_type: '' };
      expect(polledTask(falVideos, answer, ticket)).toMatchObject({ state: 'working', ticket: result });
    }
    for (const odd of [...ODD_VALUES, 'not json', { status: 'FAILED' }, { status: 'constructor' }]) {
      expect(polledTask(falVideos, odd, ticket)).toBeInstanceOf(Failure);
    }
    for (const status of ODD_VALUES) expect(polledTask(falVideos, { status }, ticket)).toBeInstanceOf(Failure);
  });

  test('has its video with its reported properties', () => {
    const url = 'https://v3.fal.media/files/a/output.mp4';
    const file = { url, content_type: 'video/mp4', file_name: 'output.mp4', duration: 5.2 };
    const item = { source: { kind: 'url', url }, mediaType: 'video/mp4', durationSeconds: 5.2 };
    for (const body of [{ video: file }, { videos: [file] }, { output: file }, { data: { video: file } }]) {
      expect(polledTask(falVideos, body, result)).toEqual({ state: 'done', result: { items: [item] } } as never);
    }
    const more = {
      video: { url, content_type: 'application/octet-stream' },
      thumbnail: { url: 'https://x.example/t.png' },
    };
    expect(polledTask(falVideos, { ...more, actual_prompt: 'A red fox' }, result)).toMatchObject({
      result: {
        items: [{ mediaType: 'video/mp4', revisedPrompt: 'A red fox', cover: { url: 'https://x.example/t.png' } }],
      },
    });
  });

  test('without a file has failed permanently', () => {
    for (const odd of ODD_VALUES) {
      for (const body of [{ video: odd }, { videos: odd }, { video: { url: odd } }]) {
        expect(polledTask(falVideos, body, result)).toMatchObject({ state: 'failed', failure: { kind: 'no_result' } });
      }
      const url = 'https://x.example/a.mp4';
      const told = { url, content_type: odd, duration: odd };
      expect(polledTask(falVideos, { video: told, thumbnail: odd, actual_prompt: odd }, result)).toMatchObject({
        ...{ state: 'done', result: { items: [{ source: { url } }] } },
      });
    }
    const flagged = { video: { url: 'https://x.example/a.mp4' }, has_nsfw_concepts: [true] };
    expect(polledTask(falVideos, flagged, result)).toMatchObject({
      failure: { kind: 'content_refused', side: 'client' },
    });
  });

  test("that was invalid reports the client's field with its result", () => {
    const refusal = (type: string, member: string) =>
      falVideos.decodeFailure(
        422,
        new Headers(),
        new TextEncoder().encode(JSON.stringify({ detail: [{ loc: ['body', member], msg: 'Not so.', type }] })),
      );
    expect(refusal('content_policy_violation', 'prompt')).toMatchObject({ kind: 'content_refused', side: 'client' });
    const wrong = refusal('missing', 'prompt');
    expect(falVideos.decodeRefusal?.(wrong, result)).toEqual({ state: 'failed', failure: wrong });
    expect(falVideos.decodeRefusal?.(wrong, ticket)).toBeNull();
    const down = falVideos.decodeFailure(503, new Headers(), new Uint8Array(0));
    expect(falVideos.decodeRefusal?.(down, result)).toBeNull();
    expect(refusal('image_load_error', 'image_url')).toMatchObject({ details: { param: 'image_url' } });
    expect(refusal('missing', 'tail_image_url')).toMatchObject({ details: { param: 'end_image_url' } });
    expect(refusal('missing', 'constructor')).toMatchObject({ details: { param: 'constructor' } });
  });
});
