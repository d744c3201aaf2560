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
  objectOf,
  oneOf,
} from './shared/body-problem.ts';
import { hostedCases } from './shared/hosted-cases.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Replicate's predictions (replicate.com/docs/reference/http), with the published inputs of some models. */

const KEY = 'r8_simulated';

interface Model {
  readonly input: Readonly<Record<string, Check>>;
  readonly required: readonly string[];
  /** Returns the output of a successful prediction. */
  output(jobs: SimulatedJobs): unknown;
}

const MODELS: Readonly<Record<string, Model>> = {
  'google/veo-3.1': {
    input: {
      prompt: isText,
      aspect_ratio: oneOf('16:9', '9:16'),
      duration: oneOf(4, 6, 8),
      image: isAddress,
      last_frame: isAddress,
      reference_images: listOf(isAddress, 3),
      negative_prompt: isText,
      resolution: oneOf('720p', '1080p'),
      generate_audio: isFlag,
      seed: isWhole,
    },
    required: ['prompt'],
    output: (jobs) => jobs.fileUrl('clip.mp4'),
  },
  'minimax/hailuo-02': {
    input: {
      prompt: isText,
      first_frame_image: isAddress,
      last_frame_image: isAddress,
      duration: oneOf(6, 10),
      resolution: oneOf('512p', '768p', '1080p'),
      prompt_optimizer: isFlag,
    },
    required: ['prompt'],
    output: (jobs) => [jobs.fileUrl('clip.mp4')],
  },
  'minimax/music-1.5': {
    input: {
      prompt: isText,
      lyrics: isText,
      sample_rate: isWhole,
      bitrate: isWhole,
      audio_format: oneOf('mp3', 'wav'),
    },
    required: ['prompt'],
    output: (jobs) => ({ audio: jobs.fileUrl('song.mp3') }),
  },
  'black-forest-labs/flux-schnell': {
    input: {
      prompt: isText,
      aspect_ratio: oneOf('1:1', '16:9', '21:9', '3:2', '2:3', '4:5', '5:4', '3:4', '4:3', '9:16', '9:21'),
      num_outputs: between(1, 4),
      seed: isWhole,
      output_format: oneOf('webp', 'jpg', 'png'),
      output_quality: between(0, 100),
    },
    required: ['prompt'],
    output: (jobs) => [jobs.fileUrl('cover.png')],
  },
  'tencent/hunyuan-3d-3.1': {
    input: {
      prompt: isText,
      image: isAddress,
      enable_pbr: isFlag,
      face_count: between(40_000, 1_500_000),
      generate_type: oneOf('Normal', 'Geometry'),
    },
    required: [],
    output: (jobs) => ({ mesh: jobs.fileUrl('model.glb') }),
  },
};

const LOGS = 'Using seed: 7\n  0%|          | 0/50\n 42%|████▏     | 21/50\n';
const ERRORS: Readonly<Record<string, string>> = {
  failed: 'CUDA out of memory',
  flagged: 'The input or output was flagged as sensitive. Please try again with different inputs. (E005)',
  invalid: 'Invalid input: the image is too small (E006)',
};

export const replicate: TaskSimulator = {
  provider: 'replicate',
  apiKey: KEY,
  basePath: '/v1',
  cases: hostedCases({
    text: 'google/veo-3.1',
    image: 'minimax/hailuo-02',
    song: 'minimax/music-1.5',
    threeD: 'tencent/hunyuan-3d-3.1',
    picture: 'black-forest-labs/flux-schnell',
    threeDBody: { target_polycount: 50_000 },
  }),
  states: {
    working: ['starting', 'processing'],
    completed: ['succeeded'],
    failed: ['failed', 'flagged', 'invalid', 'canceled', 'aborted'],
  },
  refused: ['flagged', 'invalid'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, model] = /^\/v1\/models\/([\w.-]+\/[\w.-]+)\/predictions$/.exec(pathname) ?? [];
  const [, id] = /^\/v1\/predictions\/([a-z0-9]+)$/.exec(pathname) ?? [];
  if (model === undefined && id === undefined) return null;
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) {
    return error(401, 'Unauthenticated', 'You did not pass a valid authentication token');
  }
  if (model !== undefined) return request.method === 'POST' ? await create(request, model, jobs) : null;
  const state = request.method === 'GET' && id !== undefined ? jobs.stateOf(id) : null;
  if (id === undefined || state === null) return error(404, 'Not found', 'The requested resource could not be found.');
  return Response.json(prediction(id, state, jobs));
}

async function create(request: Request, model: string, jobs: SimulatedJobs): Promise<Response> {
  const known = Object.hasOwn(MODELS, model) ? MODELS[model] : undefined;
  if (known === undefined) return error(404, 'Not found', 'The requested resource could not be found.');
  const body = await jsonOf(request);
  const problem = bodyProblem(body, { input: objectOf(known.input, known.required) }, ['input']);
  if (problem !== null) return error(422, 'Input validation failed', problem);
  const id = crypto.randomUUID().replaceAll('-', '').slice(0, 26);
  jobs.begin(id, { model, body });
  return Response.json(prediction(id, 'starting', jobs), { status: 201 });
}

function prediction(id: string, state: string, jobs: SimulatedJobs): Readonly<Record<string, unknown>> {
  const { model } = Object(jobs.requestOf(id));
  const status = Object.hasOwn(ERRORS, state) ? 'failed' : state;
  const get = `${jobs.origin}/v1/predictions/${id}`;
  return {
    ...{ id, model, version: 'hidden', input: {}, status, data_removed: false, source: 'api' },
    error: ERRORS[state] ?? null,
    logs: state === 'starting' ? '' : LOGS,
    output: state === 'succeeded' ? MODELS[model]?.output(jobs) : null,
    created_at: '2026-11-20T11:15:15.329Z',
    urls: { get, cancel: `${get}/cancel`, web: `https://replicate.com/p/${id}` },
  };
}

function error(status: number, title: string, detail: string): Response {
  return Response.json({ title, detail, status }, { status });
}
