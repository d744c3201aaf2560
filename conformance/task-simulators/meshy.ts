import { PIXEL_URI } from '../../src/formats/shared/testing/image-samples.ts';
import {
  between,
  bodyProblem,
  type Check,
  isAddress,
  isFlag,
  isText,
  jsonOf,
  listOf,
  oneOf,
} from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Meshy's endpoints for models from texts and images (docs.meshy.ai/en/api: text-to-3d, image-to-3d, multi-image-to-3d, errors). */

const KEY = 'msy_simulated';
const FORMATS = ['glb', 'obj', 'fbx', 'stl', 'usdz', '3mf'];
const COMMON: Readonly<Record<string, Check>> = {
  ai_model: oneOf('meshy-6-lite', 'meshy-6', 'meshy-7', 'meshy-7.1', 'latest', 'meshy-t2'),
  model_type: oneOf('standard', 'smart-topology'),
  should_remesh: isFlag,
  topology: oneOf('quad', 'triangle'),
  target_polycount: between(100, 300_000),
  target_formats: listOf(oneOf(...FORMATS), FORMATS.length),
  pose_mode: oneOf('', 'a-pose', 't-pose'),
  moderation: isFlag,
};
const OF_IMAGES: Readonly<Record<string, Check>> = {
  ...COMMON,
  should_texture: isFlag,
  enable_pbr: isFlag,
  texture_prompt: isText,
  texture_resolution: oneOf('2k', '4k', '8k'),
};
const BODIES: Readonly<Record<string, readonly [Readonly<Record<string, Check>>, readonly string[]]>> = {
  '/openapi/v2/text-to-3d': [{ ...COMMON, mode: oneOf('preview'), prompt: isText }, ['mode', 'prompt']],
  '/openapi/v1/image-to-3d': [{ ...OF_IMAGES, image_url: isAddress }, ['image_url']],
  '/openapi/v1/multi-image-to-3d': [{ ...OF_IMAGES, image_urls: listOf(isAddress, 4) }, ['image_urls']],
};

/** The states of a failed job, with their errors. */
const ERRORS: Readonly<Record<string, object>> = {
  FAILED: { type: 'server_error', message: 'The model could not be made.' },
  invalid: { type: 'invalid_input', code: 'image_too_complex', message: 'There are several objects in the image.' },
  moderated: { type: 'invalid_input', code: 'moderation_blocked', message: 'The content filter refused the text.' },
};

export const meshy: TaskSimulator = {
  provider: 'meshy',
  apiKey: KEY,
  basePath: '',
  cases: [
    {
      name: 'a text',
      endpoint: '3d',
      upstreamModel: 'meshy-7.1',
      body: { prompt: 'a small wooden boat', target_polycount: 9_000 },
      items: ['glb', 'fbx', 'obj', 'usdz', 'stl'].map((format) => ({ format })),
    },
    {
      name: 'an image, for one format',
      endpoint: '3d',
      upstreamModel: 'meshy-t2',
      body: { image_url: PIXEL_URI, format: '3mf', texture: true },
      items: [{ format: '3mf', content_type: 'model/3mf' }],
    },
    {
      name: 'several images',
      endpoint: '3d',
      upstreamModel: 'meshy-6',
      body: { image_urls: [PIXEL_URI, PIXEL_URI], prompt: 'of red wood', format: 'glb' },
      items: [{ format: 'glb', content_type: 'model/gltf-binary' }],
    },
  ],
  states: {
    working: ['PENDING', 'IN_PROGRESS'],
    completed: ['SUCCEEDED'],
    failed: ['FAILED', 'CANCELED', 'invalid', 'moderated'],
  },
  refused: ['invalid', 'moderated'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, endpoint = '', id] = /^(\/openapi\/v\d\/[a-z0-9-]+)(?:\/([\w-]+))?$/.exec(pathname) ?? [];
  const rules = Object.hasOwn(BODIES, endpoint) ? BODIES[endpoint] : undefined;
  if (rules === undefined) return null;
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return error(401, 'Invalid API key');
  if (id !== undefined) return request.method === 'GET' ? report(id, endpoint, jobs) : null;
  if (request.method !== 'POST') return null;
  const body = await jsonOf(request);
  const problem = bodyProblem(body, ...rules);
  if (problem !== null) return error(400, problem);
  const job = crypto.randomUUID();
  jobs.begin(job, { ...Object(body), endpoint });
  return Response.json({ result: job }, { status: 202 });
}

/** A job only exists at the endpoint that created it. */
function report(id: string, endpoint: string, jobs: SimulatedJobs): Response {
  const { endpoint: own, target_formats: formats = FORMATS.filter((one) => one !== '3mf') } = Object(
    jobs.requestOf(id),
  );
  const state = own === endpoint ? jobs.stateOf(id) : null;
  if (state === null) return error(404, 'Task not found');
  const failed = Object.hasOwn(ERRORS, state);
  const task = { id, status: failed ? 'FAILED' : state, progress: state === 'PENDING' ? 0 : 50, preceding_tasks: 0 };
  if (failed) return Response.json({ ...task, model_urls: {}, task_error: ERRORS[state], consumed_credits: 0 });
  if (state !== 'SUCCEEDED') return Response.json({ ...task, model_urls: {}, task_error: null });
  const files = formats.map((format: string) => [format, jobs.fileUrl('model.glb')]);
  const model_urls = Object.fromEntries(files);
  return Response.json({ ...task, progress: 100, model_urls, thumbnail_url: jobs.fileUrl('cover.png') });
}

function error(status: number, message: string): Response {
  return Response.json({ message }, { status });
}
