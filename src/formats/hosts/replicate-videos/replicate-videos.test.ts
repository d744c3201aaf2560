import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { INLINE_PIXEL, ODD_VALUES, PIXEL_URI } from '../../shared/testing/image-samples.ts';
import { polledTask, type SentTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { replicateVideos } from './index.ts';
import { REPLICATE_VIDEOS, replicateVideo } from './models.ts';

const VEO = 'google/veo-3.1';

async function input(id: string, asked: Partial<VideoRequest> = {}) {
  const sent = await videoSent(replicateVideos, id, asked);
  return typeof sent === 'string' ? sent : { input: sent.body.input, lost: sent.lost };
}

function asks(id: string, asked: Partial<VideoRequest> = {}) {
  return replicateVideos.asks({ ...PLAIN_VIDEO, ...asked }, { upstreamModel: id });
}

describe('a request', () => {
  test('for an official model goes to its endpoint, and for another one names the version', async () => {
    expect(await videoSent(replicateVideos, VEO)).toEqual({
      body: {
        input: {
          ...{ prompt: 'a fox in the snow', duration: 8, resolution: '1080p', generate_audio: true },
        },
      },
      suffix: '/models/google/veo-3.1/predictions',
      lost: [],
    });
    for (const id of ['someone/new:abc', 'rec-1a2b3c4d']) {
      expect(await videoSent(replicateVideos, id)).toEqual({
        ...{
          body: { version: id, input: { prompt: 'a fox in the snow' } },
          suffix: '/predictions',
          lost: [],
        },
      });
    }
  });

  test('has images under the names of the model', async () => {
    const both = { firstImage: INLINE_PIXEL, lastImage: INLINE_PIXEL };
    const pair = (first: string, last: string) => ({ input: { [first]: PIXEL_URI, [last]: PIXEL_URI } });
    expect(await input(VEO, both)).toMatchObject(pair('image', 'last_frame'));
    expect(await input('kwaivgi/kling-v2.1', both)).toMatchObject(pair('start_image', 'end_image'));
    expect(await input('minimax/hailuo-02', both)).toMatchObject(pair('first_frame_image', 'last_frame_image'));
    expect(await input('someone/new', both)).toMatchObject(pair('image', 'last_frame_image'));
    expect(await input('google/veo-3', both)).toBe('400 end_image_url');
    const references = (count: number) => ({ referenceImages: Array(count).fill(INLINE_PIXEL) });
    expect(await input(VEO, references(3))).toMatchObject({ input: { reference_images: Array(3).fill(PIXEL_URI) } });
    expect(await input(VEO, references(4))).toBe('400 reference_image_urls');
  });

  test('has the nearest supported length and resolution, and reports a loss', async () => {
    const asked = { durationSeconds: 5, resolution: '480p' };
    expect(await input(VEO, asked)).toMatchObject({
      input: { duration: 6, resolution: '720p' },
      lost: ['duration approximated', 'resolution approximated'],
    });
    expect(asks(VEO, asked)).toEqual({ count: 1, seconds: 6, resolution: '720p', traits: ['audio'] });
    expect(await input('minimax/video-01', asked)).toMatchObject({
      input: { prompt: 'a fox in the snow' },
      lost: ['duration approximated', 'resolution approximated'],
    });
    expect(asks('minimax/video-01', asked)).toMatchObject({ seconds: 6, resolution: '720p' });
    expect(await input('wan-video/wan-2.2-i2v-fast', asked)).toMatchObject({ input: { num_frames: 81 }, lost: [] });
    expect(asks('wan-video/wan-2.2-i2v-fast', asked)).toMatchObject({ seconds: 81 / 16 });
    expect(await input('kwaivgi/kling-v2.1', { resolution: '1080p' })).toMatchObject({ input: { mode: 'pro' } });
    expect(asks('kwaivgi/kling-v2.1', { resolution: '4k' })).toMatchObject({ resolution: '1080p' });
  });

  test('has a size as ratio and height', async () => {
    const odd = { size: { width: 1000, height: 700 } };
    expect(await input(VEO, odd)).toMatchObject({ lost: ['size approximated'] });
    const size = { size: { width: 1920, height: 1080 } };
    expect(await input(VEO, size)).toMatchObject({
      input: { aspect_ratio: '16:9', resolution: '1080p' },
      lost: [],
    });
    expect(await input('someone/new', size)).toMatchObject({ input: { aspect_ratio: '16:9', resolution: '1080p' } });
    expect(await input('kwaivgi/kling-v2.5-turbo-pro', { ...size, firstImage: INLINE_PIXEL })).toMatchObject({
      lost: ['size approximated'],
    });
  });

  test('is charged with sound whenever the video has it', async () => {
    expect(asks(VEO)).toMatchObject({ traits: ['audio'] });
    expect(asks(VEO, { audio: false })).toMatchObject({ traits: [] });
    expect(await input(VEO, { audio: false })).toMatchObject({ input: { generate_audio: false }, lost: [] });
    expect(asks('wan-video/wan-2.5-i2v', { audio: false })).toMatchObject({ traits: ['audio'] });
    expect(await input('wan-video/wan-2.5-i2v', { audio: false })).toMatchObject({ lost: ['audio approximated'] });
    expect(await input('google/veo-2', { audio: true })).toBe('400 audio');
  });

  test("for an unknown model has the client's values", async () => {
    const asked = { durationSeconds: 7.5, aspectRatio: '5:4', resolution: '4k', audio: true, seed: 1 };
    expect(await input('rec-00000000', { ...asked, negativePrompt: 'fog' })).toEqual({
      input: {
        ...{ prompt: 'a fox in the snow', duration: 7.5, aspect_ratio: '5:4', resolution: '4k' },
        ...{ generate_audio: true, seed: 1, negative_prompt: 'fog' },
      },
      lost: [],
    });
    expect(asks('rec-00000000', asked)).toEqual({ count: 1, seconds: 7.5, resolution: '4k', traits: ['audio'] });
    expect(asks('rec-00000000')).toEqual({ count: 1, seconds: null, resolution: null, traits: [] });
  });

  test('has no option that replaces a field, and all others in the input', async () => {
    expect(await input(VEO, { options: { duration: 4 } })).toBe('400 provider_options.duration');
    expect(await input('kwaivgi/kling-v2.1', { options: { mode: 'pro' } })).toBe('400 provider_options.mode');
    expect(await input(VEO, { options: { enhance: true } })).toMatchObject({ input: { enhance: true } });
  });

  const NAMES: Readonly<Record<string, string>> = {
    ...{ image: 'image_url', start_image: 'image_url', first_frame_image: 'image_url' },
    ...{ last_frame: 'end_image_url', last_image: 'end_image_url', end_image: 'end_image_url' },
    ...{ last_frame_image: 'end_image_url', reference_images: 'reference_image_urls', video: 'video_url' },
    ...{ num_frames: 'duration', mode: 'resolution', generate_audio: 'audio' },
  };

  const SIZED = { size: { width: 1280, height: 720 } };

  test.each([...REPLICATE_VIDEOS, 'someone/new'])(
    'to %s carries, loses or refuses each pair of members',
    async (id) => {
      const { length, resolution, sound } = replicateVideo(id);
      // Properties that every video of the model has without being requested.
      const always = [
        ...(length?.member === null ? ['duration'] : []),
        ...(resolution?.member === null ? ['resolution'] : []),
        ...(typeof sound === 'string' ? ['audio'] : []),
      ];
      const carried = ({ body }: SentTask) => {
        const input: Readonly<Record<string, unknown>> = { ...(body.input as object) }; // the wire writes an object
        // 1280x720 is 16:9 at 720p.
        const isSized = input.aspect_ratio === '16:9' && videoAsked(replicateVideos, id, SIZED).resolution === '720p';
        return [...Object.keys(input).map((name) => NAMES[name] ?? name), ...always, ...(isSized ? ['size'] : [])];
      };
      expect(await unaccountedVideo(replicateVideos, id, carried)).toEqual([]);
    },
  );
});

describe('a prediction', () => {
  const ticket = { id: 'abc' };
  const polled = (body: unknown) => polledTask(replicateVideos, body, ticket);

  test('is accepted with its id, and polled by id only', () => {
    const urls = { get: 'https://evil.example/v1/predictions/x' };
    const submission = submittedTask(replicateVideos, { id: 'abc', status: 'starting', urls }, PLAIN_VIDEO);
    expect(submission).toEqual({ ticket, report: { state: 'working', status: 'pending', progress: null } });
    expect(replicateVideos.poll(ticket, { upstreamModel: VEO })).toEqual({ url: '/predictions/abc' });
    for (const id of ['../account', 'a/b', '', 5, null, {}]) {
      expect(submittedTask(replicateVideos, { id, status: 'starting' }, PLAIN_VIDEO)).toBeInstanceOf(Failure);
    }
    expect(submittedTask(replicateVideos, { id: 'a', status: 'failed', error: 'no' }, PLAIN_VIDEO)).toMatchObject({
      kind: 'job_failed',
    });
  });

  test('has the progress from its logs', () => {
    const logs = (text: unknown) => polled({ id: 'abc', status: 'processing', logs: text });
    const bars = 'Using seed: 1\n  0%|          | 0/50\n 36%|███▌      | 18/50\n';
    expect(logs(bars)).toEqual({ state: 'working', status: 'processing', progress: 36 });
    for (const odd of ['', 'at 40%', '120%| x', '1234%|', ...ODD_VALUES])
      expect(logs(odd)).toMatchObject({ progress: null });
  });

  test('has its video in any member of the output', () => {
    const url = 'https://replicate.delivery/a/out.mp4';
    const item = { source: { kind: 'url', url }, mediaType: 'video/mp4' };
    const outputs = [url, [url], { video: url }, { videos: [{ url }] }, { output: { video: { url } } }];
    for (const output of [...outputs, ['https://x.example/first.png', url], [url, 'https://x.example/last.png']]) {
      expect(polled({ status: 'succeeded', output, model: VEO })).toEqual({
        ...{ state: 'done', result: { items: [item], model: VEO } },
      } as never);
    }
    expect(polled({ status: 'succeeded', output: [url, url] })).toMatchObject({ result: { items: [item, item] } });
    expect(polled({ status: 'succeeded', output: 'https://x.example/no-extension' })).toMatchObject({
      result: { items: [{ mediaType: null }] },
    });
  });

  test('without a file has failed permanently, whatever the output holds', () => {
    const odd = [...ODD_VALUES, 'ftp://x/y.mp4', 'javascript:alert(1)', `https://x.example/${'x'.repeat(20_000)}`];
    const nested = JSON.parse(`${'{"output":'.repeat(50)}"https://x.example/a.mp4"${'}'.repeat(50)}`);
    const polluted = JSON.parse(
      '{"__proto__":{"video":"https://x.example/a.mp4"},"constructor":"https://x.example/b"}',
    );
    for (const output of [...odd, nested, polluted, 'data:video/mp4;base64,!!', 'data:text/html,x', undefined]) {
      expect(polled({ status: 'succeeded', output })).toMatchObject({
        state: 'failed',
        failure: { kind: 'no_result' },
      });
    }
  });

  test('that has failed has a reason without URLs', () => {
    const reason = (error: unknown) => polled({ status: 'failed', error });
    expect(reason('Cannot read https://files.example/a?key=secret now')).toMatchObject({
      ...{
        state: 'failed',
        failure: { side: 'upstream', message: 'The job failed: Cannot read now' },
      },
    });
    expect(reason('The input was flagged as sensitive. (E005)')).toMatchObject({
      failure: { side: 'client', details: { publicCode: 'content_policy_violation' } },
    });
    for (const odd of ODD_VALUES) expect(reason(odd)).toMatchObject({ state: 'failed' });
    for (const status of ['canceled', 'aborted']) {
      expect(polled({ status })).toMatchObject({ state: 'failed', failure: { kind: 'job_canceled' } });
    }
  });

  test('with an invalid response is polled again', () => {
    for (const odd of [...ODD_VALUES, 'not json', { status: 'queued' }, { status: 'constructor' }]) {
      expect(polled(odd)).toBeInstanceOf(Failure);
    }
    for (const status of ODD_VALUES) expect(polled({ id: 'abc', status })).toBeInstanceOf(Failure);
  });
});

test('a refusal names the client’s field', () => {
  const bytes = new TextEncoder().encode(
    JSON.stringify({ title: 'Input validation failed', detail: '-', invalid_fields: [{ field: 'input.start_image' }] }),
  );
  const failure = replicateVideos.decodeFailure(422, new Headers(), bytes);
  expect(failure).toMatchObject({ side: 'client', details: { param: 'image_url' } });
});
