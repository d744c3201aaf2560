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
  objectOf,
  oneOf,
} from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Ark's `/api/v3/contents/generations/tasks` (volcengine.com/docs/82379, "Video generation"). */

const KEY = 'ark-simulated';
const PLACE = '/api/v3/contents/generations/tasks';
const URL_OBJECT = objectOf({ url: isAddress }, ['url']);
const CONTENT = objectOf(
  {
    type: oneOf('text', 'image_url', 'video_url'),
    text: isText,
    image_url: URL_OBJECT,
    video_url: URL_OBJECT,
    role: oneOf('first_frame', 'last_frame', 'reference_image', 'reference_video'),
  },
  ['type'],
);
const MEMBERS: Readonly<Record<string, Check>> = {
  model: isText,
  content: listOf(CONTENT, 16),
  resolution: oneOf('480p', '720p', '1080p', '4k'),
  ratio: oneOf('16:9', '4:3', '1:1', '3:4', '9:16', '21:9', 'adaptive'),
  duration: between(2, 30),
  seed: between(-1, 4_294_967_295),
  generate_audio: isFlag,
  safety_identifier: isText,
};
const CODES: Readonly<Record<string, string>> = {
  failed: 'InternalServiceError',
  sensitive: 'OutputVideoSensitiveContentDetected',
  invalid: 'InvalidParameter',
};

export const volcengine: TaskSimulator = {
  provider: 'volcengine',
  apiKey: KEY,
  basePath: '/api/v3',
  cases: [
    {
      name: 'a text',
      endpoint: 'videos',
      upstreamModel: 'doubao-seedance-2-0-260128',
      body: { prompt: 'a fox in the snow', duration: 6, resolution: '720p', aspect_ratio: '9:16', audio: false },
      items: [{ content_type: 'video/mp4', duration: 6 }],
    },
    {
      name: 'first and last image',
      endpoint: 'videos',
      upstreamModel: 'doubao-seedance-1-0-pro-250528',
      body: { prompt: 'it runs', image_url: PIXEL_URI, end_image_url: PIXEL_URI },
      items: [{ content_type: 'video/mp4', duration: 5 }],
    },
  ],
  states: {
    working: ['queued', 'running'],
    completed: ['succeeded'],
    failed: ['failed', 'sensitive', 'invalid', 'cancelled', 'expired'],
  },
  refused: ['sensitive', 'invalid'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url);
  if (request.headers.get('authorization') !== `Bearer ${KEY}`)
    return error(401, 'AuthenticationError', 'The key is wrong.');
  if (pathname === PLACE && request.method === 'POST') return await create(request, jobs);
  if (request.method !== 'GET') return null;
  if (pathname === PLACE) {
    const items = searchParams.getAll('filter.task_ids').flatMap((id) => task(id, jobs) ?? []);
    return Response.json({ items, total: items.length });
  }
  if (!pathname.startsWith(`${PLACE}/`)) return null;
  const found = task(pathname.slice(PLACE.length + 1), jobs);
  return found === null ? error(404, 'ResourceNotFound', 'The task was not found.') : Response.json(found);
}

async function create(request: Request, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const problem = bodyProblem(body, MEMBERS, ['model', 'content']);
  if (problem !== null) return error(400, 'InvalidParameter', problem);
  const id = `cgt-${crypto.randomUUID()}`;
  jobs.begin(id, body);
  return Response.json({ id });
}

function task(id: string, jobs: SimulatedJobs): object | null {
  const status = jobs.stateOf(id);
  if (status === null) return null;
  const { model, duration, resolution } = Object(jobs.requestOf(id));
  const common = { id, model, created_at: 1_790_000_000, updated_at: 1_790_000_001 };
  const code = Object.hasOwn(CODES, status) ? CODES[status] : undefined;
  if (code !== undefined) return { ...common, status: 'failed', error: { code, message: 'It could not be made.' } };
  if (status !== 'succeeded') return { ...common, status };
  const usage = { completion_tokens: 108_900, total_tokens: 108_900 };
  return { ...common, status, content: { video_url: jobs.fileUrl('clip.mp4') }, usage, duration, resolution };
}

function error(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message, param: '', type: 'Error' } }, { status });
}
