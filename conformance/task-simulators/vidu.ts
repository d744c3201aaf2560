import { PIXEL_URI } from '../../src/formats/shared/testing/image-samples.ts';
import {
  between,
  bodyProblem,
  type Check,
  isAddress,
  isFlag,
  isText,
  isWhole,
  jsonOf,
  oneOf,
} from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Vidu's endpoints for videos and `/tasks/{id}/creations` (platform.vidu.com). */

const KEY = 'vidu-simulated';

const COMMON: Readonly<Record<string, Check>> = {
  model: isText,
  prompt: isText,
  duration: between(1, 16),
  seed: isWhole,
  resolution: oneOf('360p', '540p', '720p', '1080p'),
  movement_amplitude: oneOf('auto', 'small', 'medium', 'large'),
  watermark: isFlag,
};
const RATIO = { aspect_ratio: oneOf('16:9', '9:16', '4:3', '3:4', '1:1') };
const AUDIO = { audio: isFlag };
const images = (least: number, most: number) => ({
  images: (value: unknown) =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every(isAddress),
});
const PLACES: Readonly<
  Record<string, { readonly members: Readonly<Record<string, Check>>; readonly required: string }>
> = {
  text2video: { members: { ...COMMON, ...RATIO, ...AUDIO }, required: 'prompt' },
  img2video: { members: { ...COMMON, ...AUDIO, ...images(1, 1) }, required: 'images' },
  'start-end2video': { members: { ...COMMON, ...AUDIO, ...images(2, 2) }, required: 'images' },
  reference2video: { members: { ...COMMON, ...RATIO, ...AUDIO, ...images(1, 7) }, required: 'images' },
};

/** The failure states, by error code. */
const CODES: Readonly<Record<string, string>> = {
  failed: 'InternalServiceFailure',
  canceled: 'UserCancelled',
  illegal: 'AuditSubmitIllegal',
  violation: 'CreationPolicyViolation',
  'no-image': 'ImageDownloadFailure',
};

export const vidu: TaskSimulator = {
  provider: 'vidu',
  apiKey: KEY,
  basePath: '/ent/v2',
  cases: [
    {
      name: 'a text',
      endpoint: 'videos',
      upstreamModel: 'viduq3-pro',
      body: {
        prompt: 'a fox in the snow',
        duration: 8,
        aspect_ratio: '3:4',
        resolution: '1080p',
        audio: false,
        seed: 5,
      },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'a first image',
      endpoint: 'videos',
      upstreamModel: 'viduq2-pro',
      body: { prompt: 'it runs', image_url: PIXEL_URI, audio: true },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'a first and a last image',
      endpoint: 'videos',
      upstreamModel: 'viduq2-turbo',
      body: { image_url: PIXEL_URI, end_image_url: PIXEL_URI, duration: 3 },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'reference images',
      endpoint: 'videos',
      upstreamModel: 'viduq2',
      body: { prompt: 'they meet', reference_image_urls: [PIXEL_URI, PIXEL_URI, PIXEL_URI] },
      items: [{ content_type: 'video/mp4' }],
    },
  ],
  states: {
    working: ['created', 'queueing', 'processing'],
    completed: ['success'],
    failed: ['failed', 'canceled', 'illegal', 'violation', 'no-image'],
  },
  refused: ['illegal', 'violation', 'no-image'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const path = pathname.replace('/ent/v2/', '');
  const id = /^tasks\/([\w-]+)\/creations$/.exec(path)?.[1];
  if (id === undefined && !Object.hasOwn(PLACES, path)) return null;
  if (request.headers.get('authorization') !== `Token ${KEY}`) return error(401, 'Unauthorized', 'unauthorized');
  if (id === undefined) return request.method === 'POST' ? await create(request, path, jobs) : null;
  const state = request.method === 'GET' ? jobs.stateOf(id) : null;
  return state === null ? error(404, 'TaskNotFound', 'task not found') : report(id, state, jobs);
}

async function create(request: Request, path: string, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const { members, required } = PLACES[path] ?? { members: {}, required: '' };
  const problem = bodyProblem(body, members, ['model', required]);
  if (problem !== null) return error(400, 'FieldInvalid', `invalid field: ${problem}`);
  const id = `9${crypto.randomUUID().replaceAll(/\D/g, '')}`;
  jobs.begin(id, body);
  return Response.json({
    task_id: id,
    state: 'created',
    credits: 4,
    created_at: '2026-01-01T00:00:00Z',
    ...Object(body),
  });
}

function report(id: string, state: string, jobs: SimulatedJobs): Response {
  const code = CODES[state];
  if (code !== undefined) return Response.json({ id, state: 'failed', err_code: code, credits: 0, creations: [] });
  const creation = {
    id: 'c1',
    url: jobs.fileUrl('clip.mp4'),
    cover_url: jobs.fileUrl('cover.png'),
    watermarked_url: '',
  };
  return Response.json({ id, state, err_code: '', credits: 4, creations: state === 'success' ? [creation] : [] });
}

function error(status: number, reason: string, message: string): Response {
  return Response.json({ code: status, reason, message, metadata: {} }, { status });
}
