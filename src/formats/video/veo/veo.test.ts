import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { WRONG_VALUES } from '../../shared/testing/image-exchange.ts';
import { INLINE_PIXEL, PIXEL_BASE64 } from '../../shared/testing/image-samples.ts';
import { endOf, polledTask, submittedTask } from '../../shared/testing/task-exchange.ts';
import { PLAIN_VIDEO, unaccountedVideo, videoAsked, videoSent } from '../../shared/testing/video-exchange.ts';
import { veo } from './index.ts';

/** The Gemini API has no member for sound. */
const GEMINI = { upstreamModel: 'veo-3.1-generate-preview', members: { generateAudio: null } };
const VERTEX = { upstreamModel: 'veo-3.1-generate-001' };
const IMAGE = { bytesBase64Encoded: PIXEL_BASE64, mimeType: 'image/png' };

const sent = (target: Parameters<typeof videoSent>[1], asked: object = {}) => videoSent(veo, target, asked);
const asks = (target: Parameters<typeof videoSent>[1], asked: object = {}) => videoAsked(veo, target, asked);
const body = (parameters: object, instance: object = {}) => ({
  instances: [{ prompt: 'a fox in the snow', ...instance }],
  parameters: { sampleCount: 1, ...parameters },
});

describe('a request', () => {
  test("has only the client's fields, and the audio setting if there is one", async () => {
    expect(await sent(GEMINI)).toEqual({ body: body({}), suffix: '', lost: [] });
    expect(await sent(VERTEX)).toMatchObject({ body: body({ generateAudio: true }), lost: [] });
    expect(await sent('veo-2.0-generate-001')).toMatchObject({ body: body({}), lost: [] });
    expect(await sent('their-video')).toMatchObject({ body: body({}), lost: [] });
  });

  test('is priced as it is sent', () => {
    const usual = { count: 1, seconds: 8, resolution: '720p', traits: ['audio'] };
    expect(asks(GEMINI)).toEqual(usual);
    expect(asks(GEMINI, { audio: false })).toEqual(usual);
    expect(asks(VERTEX)).toEqual(usual);
    expect(asks(VERTEX, { audio: false, count: 3, durationSeconds: 5 })).toEqual({
      ...{ count: 3, seconds: 6, resolution: '720p', traits: [] },
    });
    expect(asks(VERTEX, { size: { width: 3840, height: 2160 } })).toEqual({ ...usual, resolution: '4k' });
    expect(asks('veo-2.0-generate-001', { resolution: '1080p' })).toEqual({ ...usual, traits: [] });
    expect(asks('theirs')).toEqual({ count: 1, seconds: null, resolution: null, traits: ['audio'] });
    expect(asks('theirs', { audio: false }).traits).toEqual([]);
  });

  test('has every supported parameter', async () => {
    const asked = { count: 2, durationSeconds: 6, aspectRatio: '9:16', resolution: '720p', negativePrompt: 'fog' };
    const parameters = { sampleCount: 2, durationSeconds: 6, aspectRatio: '9:16', resolution: '720p' };
    const more = { ...asked, seed: 7, audio: false, options: { personGeneration: 'allow_adult' } };
    expect(await sent(VERTEX, more)).toMatchObject({
      body: body({
        ...{ ...parameters, negativePrompt: 'fog', seed: 7, generateAudio: false, personGeneration: 'allow_adult' },
      }),
      lost: [],
    });
    expect(await sent(GEMINI, more)).toMatchObject({
      body: body({ ...parameters, negativePrompt: 'fog', seed: 7 }),
      lost: ['audio dropped'],
    });
  });

  test('has a supported shape and length', async () => {
    const asked = { durationSeconds: 5, aspectRatio: '1:1', resolution: '4k' };
    const lost = ['aspect_ratio approximated', 'duration approximated'];
    expect(await sent(VERTEX, asked)).toMatchObject({
      body: body({ durationSeconds: 6, resolution: '4k', aspectRatio: expect.stringMatching(/^(?:16:9|9:16)$/) }),
      lost,
    });
    // Large videos have only one length there.
    expect(await sent(GEMINI, asked)).toMatchObject({ body: body({ durationSeconds: 8, resolution: '4k' }), lost });
    expect(asks(GEMINI, asked)).toMatchObject({ seconds: 8, resolution: '4k' });
    const between = { durationSeconds: 4, firstImage: INLINE_PIXEL, lastImage: INLINE_PIXEL };
    expect(asks(GEMINI, between).seconds).toBe(8);
    expect(asks(VERTEX, between).seconds).toBe(4);
    const lite = 'veo-3.1-lite-generate-001';
    expect(await sent(lite, asked)).toMatchObject({ body: body({ resolution: '1080p' }) });
    expect(await sent('veo-2.0-generate-001', asked)).toMatchObject({
      body: body({ durationSeconds: 5 }),
      lost: ['aspect_ratio approximated', 'resolution dropped'],
    });
    expect(await sent('theirs', asked)).toMatchObject({
      body: body({ durationSeconds: 5, aspectRatio: '1:1', resolution: '4k' }),
      lost: [],
    });
  });

  test('has its images inline', async () => {
    expect(await sent(VERTEX, { firstImage: INLINE_PIXEL, lastImage: INLINE_PIXEL })).toMatchObject({
      body: body({}, { image: IMAGE, lastFrame: IMAGE }),
    });
    const references = { referenceImages: [INLINE_PIXEL, INLINE_PIXEL], durationSeconds: 4 };
    expect(await sent(VERTEX, references)).toMatchObject({
      body: body(
        { durationSeconds: 8 },
        { referenceImages: [IMAGE, IMAGE].map((image) => ({ image, referenceType: 'asset' })) },
      ),
      lost: ['duration approximated'],
    });
    expect(await sent(VERTEX, { firstImage: INLINE_PIXEL, prompt: '' })).toMatchObject({
      body: { instances: [{ image: IMAGE }] },
    });
  });

  test('is refused for unsupported fields', async () => {
    expect(await sent(VERTEX, { count: 5 })).toBe('400 n');
    expect(await sent(VERTEX, { videoUrl: 'https://example.com/v.mp4' })).toBe('400 video_url');
    expect(await sent(VERTEX, { lastImage: INLINE_PIXEL })).toBe('400 end_image_url');
    expect(await sent(VERTEX, { referenceImages: new Array(4).fill(INLINE_PIXEL) })).toBe('400 reference_image_urls');
    expect(await sent('veo-2.0-generate-001', { audio: true })).toBe('400 audio');
    expect(await sent(VERTEX, { options: { storageUri: 'gs://mine' } })).toBe('400 provider_options.storageUri');
  });

  test.each(['sampleCount', 'durationSeconds', 'resolution', 'generateAudio'])(
    'refuses the option %s',
    async (name) => {
      for (const target of [GEMINI, VERTEX, 'theirs']) {
        expect(await sent(target, { options: { [name]: 4 } })).toBe(`400 provider_options.${name}`);
      }
    },
  );

  test.each([GEMINI, VERTEX, { upstreamModel: 'veo-2.0-generate-001' }, { upstreamModel: 'theirs' }])(
    'to %o carries, loses or refuses each pair of members',
    async (target) => {
      const names: Readonly<Record<string, readonly string[]>> = {
        sampleCount: ['n'],
        aspectRatio: ['aspect_ratio', 'size'],
        durationSeconds: ['duration'],
        negativePrompt: ['negative_prompt'],
        generateAudio: ['audio'],
        image: ['image_url'],
        lastFrame: ['end_image_url'],
        referenceImages: ['reference_image_urls'],
      };
      // Without the member a model has sound either always or never.
      const always = target === GEMINI || target.upstreamModel.includes('veo-2') ? ['audio'] : [];
      const found = await unaccountedVideo(veo, target, (video) => {
        const instances: unknown = video.body.instances;
        const [instance]: readonly unknown[] = Array.isArray(instances) ? instances : [];
        const members = { ...Object(instance), ...Object(video.body.parameters) };
        return [...Object.keys(members).flatMap((name) => names[name] ?? [name]), ...always];
      });
      expect(found).toEqual([]);
    },
  );
});

const GEMINI_NAME = 'models/veo-3.1-generate-preview/operations/abc123';
const VERTEX_NAME =
  'projects/p-1/locations/us-central1/publishers/google/models/veo-3.1-generate-001/operations/6b2a-9f';

describe('an operation', () => {
  test.each([
    GEMINI_NAME,
    VERTEX_NAME,
    VERTEX_NAME.replace('p-1', 'example.com:p-1'),
    'operations/a',
    'tunedModels/x/operations/y',
  ])('may be %s', (name) => {
    const report = { state: 'working', status: 'processing', progress: null };
    expect(submittedTask(veo, { name }, PLAIN_VIDEO)).toEqual({ ticket: { operation: name }, report } as never);
  });

  test('is polled by URL at the Gemini API, and by name at Vertex AI', () => {
    expect(veo.poll({ operation: GEMINI_NAME }, GEMINI)).toEqual({ url: `/${GEMINI_NAME}` });
    const asked = veo.poll({ operation: VERTEX_NAME }, VERTEX);
    expect(asked).toMatchObject({
      method: 'POST',
      url: '/v1/projects/p-1/locations/us-central1/publishers/google/models/veo-3.1-generate-001:fetchPredictOperation',
      headers: { 'content-type': 'application/json' },
    });
    expect(new TextDecoder().decode(asked.body)).toBe(JSON.stringify({ operationName: VERTEX_NAME }));
  });

  test('with a name that forms another path is refused', () => {
    const names = ['models/../files/operations/x', '/models/x/operations/y', 'models/x/operations/', 'models/x/y'];
    const more = [
      'models/x?a=b/operations/y',
      'models/x:y/operations/z',
      'https://evil.example/operations/y',
      'a/'.repeat(20),
      'x'.repeat(2_000),
    ];
    for (const name of [...WRONG_VALUES, ...names, ...more, 'models/%2e%2e/operations/y']) {
      expect(submittedTask(veo, { name }, PLAIN_VIDEO)).toMatchObject({ kind: 'garbage' });
    }
    for (const value of WRONG_VALUES) expect(submittedTask(veo, value, PLAIN_VIDEO)).toBeInstanceOf(Failure);
  });

  test('that fails at once was not submitted', () => {
    const error = { code: 3, message: 'Unsupported aspect ratio.' };
    expect(submittedTask(veo, { name: GEMINI_NAME, done: true, error }, PLAIN_VIDEO)).toMatchObject({
      kind: 'job_refused',
    });
  });

  const polled = (answer: unknown) => polledTask(veo, answer, { operation: GEMINI_NAME });
  const done = (response: unknown) => polled({ name: GEMINI_NAME, done: true, response });

  test('that is not done is in progress', () => {
    const working = { state: 'working', status: 'processing', progress: null };
    for (const value of [undefined, null, false, 'true', 1]) {
      expect(polled({ name: GEMINI_NAME, done: value, metadata: { '@type': 'x' } })).toEqual(working as never);
    }
    expect(polled({ done: false })).toEqual(working as never);
  });

  test("of the Gemini API has files behind the channel's key", () => {
    const uri = 'https://generativelanguage.googleapis.com/v1beta/files/a1-b2:download?alt=media';
    const generateVideoResponse = {
      generatedSamples: [{ video: { uri } }, { video: { uri, encoding: 'video/webm' } }],
    };
    expect(done({ '@type': 'x', generateVideoResponse })).toEqual({
      state: 'done',
      result: {
        items: [
          { source: { kind: 'channel', url: '/files/a1-b2:download?alt=media', told: uri }, mediaType: 'video/mp4' },
          { source: { kind: 'channel', url: '/files/a1-b2:download?alt=media', told: uri }, mediaType: 'video/webm' },
        ],
      },
    });
    const source = (address: string) =>
      done({ generateVideoResponse: { generatedSamples: [{ video: { uri: address } }] } });
    const odd = 'https://generativelanguage.googleapis.com/download/v1beta/other?alt=media';
    expect(source(odd)).toMatchObject({ result: { items: [{ source: { kind: 'channel', url: odd } }] } });
    // The key is not sent there.
    for (const address of [
      'https://cdn.example.com/a.mp4',
      'https://generativelanguage.googleapis.com.evil.example/a',
    ]) {
      expect(source(address)).toMatchObject({ result: { items: [{ source: { kind: 'url', url: address } }] } });
    }
    for (const address of ['gs://bucket/a.mp4', 'file:///a', 'x']) {
      expect(source(address)).toMatchObject({ state: 'failed', failure: { side: 'upstream' } });
    }
    expect(endOf(source('gs://bucket/a.mp4'))).not.toContain('gs://');
  });

  test('of Vertex AI has inline videos', () => {
    const videos = [{ bytesBase64Encoded: 'AAAA', mimeType: 'video/mp4' }, { bytesBase64Encoded: 'AA-_' }];
    expect(done({ '@type': 'x', raiMediaFilteredCount: 0, videos })).toEqual({
      state: 'done',
      result: {
        items: [
          { source: { kind: 'base64', base64: 'AAAA' }, mediaType: 'video/mp4' },
          { source: { kind: 'base64', base64: 'AA+/' }, mediaType: 'video/mp4' },
        ],
      },
    });
    expect(done({ videos: [{ bytesBase64Encoded: '?' }] })).toMatchObject({ state: 'failed' });
    expect(done({ videos: [{ gcsUri: 'gs://b/a.mp4', mimeType: 'video/mp4' }] })).toMatchObject({
      failure: { kind: 'file_in_bucket' },
    });
  });

  test('whose videos were filtered is a client error', () => {
    const rai = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['We blocked it: support code 58061214.'] };
    const expected = 'invalid_request client content_refused: We blocked it: support code 58061214.';
    expect(endOf(done({ generateVideoResponse: rai }))).toBe(expected);
    expect(endOf(done({ ...rai, videos: [] }))).toBe(expected);
    expect(endOf(done({ raiMediaFilteredCount: 2 }))).toMatch(
      /^invalid_request client content_refused: The provider’s/,
    );
    const videos = [{ bytesBase64Encoded: 'AAAA' }];
    expect(done({ ...rai, videos })).toMatchObject({ state: 'done', result: { items: [{}] } });
  });

  test('that failed has a reason', () => {
    const failed = (error: unknown) => endOf(polled({ name: GEMINI_NAME, done: true, error }));
    expect(failed({ code: 13, message: 'Video generation failed due to an internal server issue.' })).toBe(
      'upstream_error upstream job_failed: The job failed: Video generation failed due to an internal server issue.',
    );
    expect(failed({ code: 3, message: 'The prompt violates Google’s Responsible AI practices.' })).toMatch(
      /^invalid_request client content_refused: The prompt violates/,
    );
    expect(failed({ code: 3, message: 'Duration 5 is not supported.' })).toMatch(/^invalid_request client job_refused/);
    for (const error of WRONG_VALUES) expect(failed(error)).toMatch(/^upstream_error upstream (?:job_failed|garbage)/);
    expect(polled({ name: GEMINI_NAME, error: { code: 13, message: 'x' } })).toMatchObject({ state: 'failed' });
  });

  test('that is done without a video has failed, without throwing', () => {
    for (const value of WRONG_VALUES) {
      const answers = [{ generateVideoResponse: value }, { videos: value }, { videos: [value] }, value];
      const nested = { generateVideoResponse: { generatedSamples: value, raiMediaFilteredReasons: value } };
      const deep = { generateVideoResponse: { generatedSamples: [{ video: value }] } };
      const member = { videos: [{ gcsUri: value === 'x' ? null : value, mimeType: value }] };
      for (const response of [...answers, nested, deep, member]) {
        expect(done(response)).toMatchObject({ state: 'failed' });
      }
    }
  });

  test('that is unreadable is polled again', () => {
    for (const value of [
      ...WRONG_VALUES,
      '{',
      { error: { code: 503, message: 'busy' } },
      { name: 'x', response: {} },
    ]) {
      expect(polled(value)).toBeInstanceOf(Failure);
    }
  });
});
