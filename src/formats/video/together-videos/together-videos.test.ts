import { describe, expect, test } from 'bun:test';
import { INLINE_PIXEL, PIXEL_URI } from '../../shared/testing/image-samples.ts';
import { endOf, polledTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { togetherVideos } from './index.ts';

const MODEL = 'ByteDance/Seedance-2.5';
const sent = (asked: object = {}) => videoSent(togetherVideos, MODEL, asked);

describe('a request', () => {
  test("has the client's fields, and their price", async () => {
    expect(await sent()).toEqual({
      body: { model: MODEL, prompt: 'a fox in the snow' },
      ...{ suffix: '', lost: [] },
    });
    const asked = { durationSeconds: 5, aspectRatio: '21:9', resolution: '1080p', seed: 1, audio: true };
    expect(await sent({ ...asked, negativePrompt: 'fog', options: { output_format: 'WEBM' } })).toMatchObject({
      body: {
        ...{ seconds: '5', ratio: '21:9', resolution: '1080p', seed: 1, generate_audio: true, negative_prompt: 'fog' },
        output_format: 'WEBM',
      },
      lost: [],
    });
    expect(videoAsked(togetherVideos, MODEL, asked)).toEqual({
      ...{ count: 1, seconds: 5, resolution: '1080p', traits: ['audio'] },
    });
    const size = { width: 1366, height: 768 };
    expect(await sent({ size, audio: false })).toMatchObject({ body: { ...size, generate_audio: false } });
    expect(videoAsked(togetherVideos, MODEL, { size })).toEqual({
      ...{ count: 1, seconds: null, resolution: '768p', traits: [] },
    });
  });

  test('has images and a video by URL or inline', async () => {
    const url = 'https://example.com/b.png';
    const videoUrl = 'https://example.com/v.mp4';
    expect(await sent({ firstImage: INLINE_PIXEL, lastImage: { kind: 'url', url }, prompt: '' })).toMatchObject({
      body: {
        media: {
          frame_images: [
            { input_image: PIXEL_URI, frame: 'first' },
            { input_image: url, frame: 'last' },
          ],
        },
      },
    });
    expect(await sent({ referenceImages: [INLINE_PIXEL], videoUrl })).toMatchObject({
      body: { media: { reference_images: [PIXEL_URI], source_video: videoUrl } },
    });
    // A client of the account's own channel may add members that the gateway has no field for.
    const options = { media: { audio_inputs: ['https://example.com/a.mp3'] } };
    expect(await sent({ videoUrl, options })).toMatchObject({
      body: { media: { source_video: videoUrl, audio_inputs: ['https://example.com/a.mp3'] } },
    });
  });

  test.each(['seconds', 'resolution', 'height', 'model', 'generate_audio'])('refuses the option %s', async (name) => {
    expect(await sent({ options: { [name]: 4 } })).toBe(`400 provider_options.${name}`);
  });

  test('carries, loses or refuses each pair of members', async () => {
    const names: Readonly<Record<string, readonly string[]>> = {
      seconds: ['duration'],
      ratio: ['aspect_ratio'],
      width: ['size'],
      generate_audio: ['audio'],
      frame_images: ['image_url', 'end_image_url'],
      reference_images: ['reference_image_urls'],
      source_video: ['video_url'],
    };
    const found = await unaccountedVideo(togetherVideos, MODEL, ({ body }) =>
      Object.keys({ ...body, ...Object(body.media) }).flatMap((name) => names[name] ?? [name]),
    );
    expect(found).toEqual([]);
  });
});

test('a job has its video at its own URL', () => {
  const job = { id: 'v-1', object: 'video', model: MODEL, seconds: '5', size: '1366x768', created_at: 1 };
  expect(submittedTask(togetherVideos, { ...job, status: 'in_progress' }, PLAIN_VIDEO)).toEqual({
    ticket: { id: 'v-1' },
    report: { state: 'working', status: 'processing', progress: null },
  });
  const polled = (more: object) => polledTask(togetherVideos, { ...job, ...more }, { id: 'v-1' }, 'sora-2');
  const url = 'https://cdn.together.example/v.mp4';
  expect(polled({ status: 'completed', outputs: { cost: 1, video_url: url } })).toEqual({
    state: 'done',
    result: {
      items: [{ source: { kind: 'url', url }, mediaType: 'video/mp4', durationSeconds: 5 }],
      ...{ resolution: '768p', model: MODEL },
    },
  });
  expect(endOf(polled({ status: 'failed', error: { message: 'Out of memory' } }))).toMatch(
    /^upstream_error upstream job_failed/,
  );
});
