import {
  between,
  bodyProblem,
  type Check,
  isAddress,
  isFlag,
  isText,
  isWhole,
  jsonOf,
  listOf,
  oneOf,
} from './shared/body-problem.ts';
import { hostedCases } from './shared/hosted-cases.ts';
import { REPORTS_A_FAILURE } from './simulated-provider.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* fal's queue (fal.ai/docs, "Asynchronous inference"), with the published inputs of some models. */

const KEY = 'fal-simulated';

interface Endpoint {
  readonly input: Readonly<Record<string, Check>>;
  readonly required: readonly string[];
  /** Returns the result of a finished job. */
  result(jobs: SimulatedJobs): object;
}

const VEO: Readonly<Record<string, Check>> = {
  prompt: isText,
  aspect_ratio: oneOf('16:9', '9:16'),
  duration: oneOf('4s', '6s', '8s'),
  resolution: oneOf('720p', '1080p'),
  generate_audio: isFlag,
  negative_prompt: isText,
  seed: isWhole,
  auto_fix: isFlag,
};

function video(jobs: SimulatedJobs): object {
  return { video: { url: jobs.fileUrl('clip.mp4'), content_type: 'video/mp4', file_name: 'clip.mp4', file_size: 9 } };
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'fal-ai/veo3': { input: VEO, required: ['prompt'], result: video },
  'fal-ai/veo3/image-to-video': {
    input: { ...VEO, image_url: isAddress },
    required: ['prompt', 'image_url'],
    result: video,
  },
  'fal-ai/minimax-music/v2.6': {
    input: { prompt: isText, lyrics: isText },
    required: ['prompt'],
    result: (jobs) => ({ audio: { url: jobs.fileUrl('song.mp3'), content_type: 'audio/mpeg' } }),
  },
  'fal-ai/flux/schnell': {
    input: {
      prompt: isText,
      image_size: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
      num_images: between(1, 4),
      seed: isWhole,
      output_format: oneOf('jpeg', 'png'),
    },
    required: ['prompt'],
    result: (jobs) => ({
      images: [{ url: jobs.fileUrl('cover.png'), width: 1_024, height: 576, content_type: 'image/png' }],
      seed: 7,
      has_nsfw_concepts: [false],
      prompt: 'a fox in the snow',
    }),
  },
  'fal-ai/hyper3d/rodin': {
    input: {
      prompt: isText,
      input_image_urls: listOf(isAddress, 5),
      geometry_file_format: oneOf('glb', 'usdz', 'fbx', 'obj', 'stl'),
      seed: isWhole,
    },
    required: [],
    result: (jobs) => ({
      model_mesh: { url: jobs.fileUrl('model.glb'), content_type: 'application/octet-stream' },
      textures: [{ url: jobs.fileUrl('cover.png') }],
      seed: 7,
    }),
  },
};

/** The error members in the status of a failed job, by kind of failure. */
const ERRORS: Readonly<Record<string, object>> = {
  disconnected: { error: 'Runner disconnected', error_type: 'runner_disconnected' },
  flagged: { error: 'The content was flagged by a content checker.', error_type: 'bad_request' },
  invalid: { error: 'The image is too small.', error_type: 'bad_request' },
};

export const fal: TaskSimulator = {
  provider: 'fal',
  apiKey: KEY,
  basePath: '',
  cases: hostedCases({
    text: 'fal-ai/veo3',
    image: 'fal-ai/veo3',
    song: 'fal-ai/minimax-music/v2.6',
    threeD: 'fal-ai/hyper3d/rodin',
    picture: 'fal-ai/flux/schnell',
  }),
  states: {
    working: ['IN_QUEUE', 'IN_PROGRESS'],
    completed: ['COMPLETED'],
    failed: ['disconnected', 'flagged', 'invalid'],
  },
  refused: ['flagged', 'invalid'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, app, id, isStatus] = /^\/([\w.-]+\/[\w.-]+)\/requests\/([\w-]+)(\/status)?$/.exec(pathname) ?? [];
  const endpoint = Object.hasOwn(ENDPOINTS, pathname.slice(1)) ? ENDPOINTS[pathname.slice(1)] : undefined;
  if (id === undefined && endpoint === undefined) return null;
  if (request.headers.get('authorization') !== `Key ${KEY}`) return error(401, 'No user found for Key ID and Secret');
  if (endpoint !== undefined) return request.method === 'POST' ? await create(request, endpoint, jobs) : null;
  if (request.method !== 'GET' || id === undefined || app !== appOf(id, jobs)) return error(404, 'Request not found');
  return isStatus === undefined ? result(id, jobs) : status(id, jobs);
}

/** A job only exists under its app's path. */
function appOf(id: string, jobs: SimulatedJobs): string | null {
  const name: unknown = Object(jobs.requestOf(id)).name;
  return typeof name === 'string' ? name.split('/').slice(0, 2).join('/') : null;
}

async function create(request: Request, endpoint: Endpoint, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const problem = bodyProblem(body, endpoint.input, endpoint.required);
  if (problem !== null)
    return Response.json({ detail: [{ loc: ['body'], msg: problem, type: 'value_error' }] }, { status: 422 });
  const id = crypto.randomUUID();
  jobs.begin(id, { name: new URL(request.url).pathname.slice(1), body });
  return Response.json({ status: 'IN_QUEUE', queue_position: 0, ...placesOf(id, jobs) });
}

function placesOf(id: string, jobs: SimulatedJobs): object {
  const at = `${jobs.origin}/${appOf(id, jobs)}/requests/${id}`;
  return { request_id: id, response_url: at, status_url: `${at}/status`, cancel_url: `${at}/cancel` };
}

function status(id: string, jobs: SimulatedJobs): Response {
  const state = jobs.stateOf(id);
  if (state === null) return error(404, 'Request not found');
  const isWorking = state.startsWith('IN_');
  const body = {
    status: isWorking ? state : 'COMPLETED',
    logs: null,
    metrics: {},
    ...placesOf(id, jobs),
    ...ERRORS[state],
  };
  return Response.json(body, { status: isWorking ? 202 : 200 });
}

/** Returns the result of a job; for a failed one, an error. */
function result(id: string, jobs: SimulatedJobs): Response {
  const state = jobs.look(id);
  const { name } = Object(jobs.requestOf(id));
  if (state === 'COMPLETED') return Response.json(ENDPOINTS[name]?.result(jobs));
  if (state === 'disconnected') return error(503, 'Runner disconnected');
  if (state === 'flagged' || state === 'invalid') {
    const type = state === 'flagged' ? 'content_policy_violation' : 'image_too_small';
    const headers = { [REPORTS_A_FAILURE]: 'yes' };
    return Response.json({ detail: [{ loc: ['body'], msg: 'It was refused.', type }] }, { status: 422, headers });
  }
  return error(400, 'Request is still in progress');
}

function error(code: number, detail: string): Response {
  return Response.json({ detail }, { status: code });
}
