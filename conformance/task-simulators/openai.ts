import { PIXEL_URI } from '../../src/formats/shared/testing/image-samples.ts';
import { bodyProblem, type Check, isAddress, isText, jsonOf, objectOf, oneOf } from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* OpenAI's `/videos` (its published document, "Videos"). */

const KEY = 'sk-simulated-openai';
const SIZES = ['720x1280', '1280x720', '1024x1792', '1792x1024'];

const MEMBERS: Readonly<Record<string, Check>> = {
  model: oneOf('sora-2', 'sora-2-pro'),
  prompt: isText,
  seconds: oneOf('4', '8', '12'),
  size: oneOf(...SIZES),
};
const JSON_MEMBERS = { ...MEMBERS, input_reference: objectOf({ image_url: isAddress }, ['image_url']) };
const FORM_MEMBERS = { ...MEMBERS, input_reference: (value: unknown) => value instanceof File && value.size > 0 };

const ERRORS: Readonly<Record<string, { readonly code: string; readonly message: string }>> = {
  failed: { code: 'video_generation_failed', message: 'The video could not be made.' },
  blocked: { code: 'moderation_blocked', message: 'Your request was blocked by our moderation system.' },
};

export const openai: TaskSimulator = {
  provider: 'openai',
  apiKey: KEY,
  basePath: '/v1',
  cases: [
    {
      name: 'a text',
      endpoint: 'videos',
      upstreamModel: 'sora-2',
      body: { prompt: 'a fox in the snow', seconds: '8', size: '1280x720' },
      items: [{ content_type: 'video/mp4', duration: 8 }],
    },
    {
      name: 'a first image',
      endpoint: 'videos',
      upstreamModel: 'sora-2-pro',
      body: { prompt: 'it runs', image_url: PIXEL_URI, aspect_ratio: '16:9', resolution: '1080p' },
      items: [{ content_type: 'video/mp4', duration: 4 }],
    },
  ],
  states: { working: ['queued', 'in_progress'], completed: ['completed'], failed: ['failed', 'blocked'] },
  refused: ['blocked'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url);
  const [, id, part] = /^\/v1\/videos(?:\/([\w-]+)(\/content|\/remix)?)?$/.exec(pathname) ?? [null];
  if (!pathname.startsWith('/v1/videos')) return null;
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return error(401, 'Incorrect API key provided.');
  if (id === null) return null;
  if (id === undefined) return request.method === 'POST' ? await create(request, jobs) : null;
  if (part === '/remix') return request.method === 'POST' ? await remix(request, id, jobs) : null;
  if (request.method !== 'GET') return null;
  if (part !== undefined) return file(id, searchParams.get('variant') ?? 'video', jobs);
  const state = jobs.stateOf(id);
  return state === null ? error(404, 'Video not found.') : Response.json(video(id, state, jobs));
}

async function create(request: Request, jobs: SimulatedJobs): Promise<Response> {
  const isForm = request.headers.get('content-type')?.startsWith('multipart/form-data;') === true;
  const body = isForm ? Object.fromEntries(await request.formData()) : await jsonOf(request);
  const problem = bodyProblem(body, isForm ? FORM_MEMBERS : JSON_MEMBERS, ['prompt']);
  if (problem !== null) return error(400, problem);
  const id = `video_${crypto.randomUUID().replaceAll('-', '')}`;
  jobs.begin(id, body);
  return Response.json(video(id, 'queued', jobs));
}

/** "Remix video": only a prompt, for a completed video of the same project. */
async function remix(request: Request, of: string, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const problem = bodyProblem(body, { prompt: isText }, ['prompt']);
  if (problem !== null) return error(400, problem);
  if (jobs.look(of) !== 'completed') return error(404, 'Video not found.');
  const id = `video_${crypto.randomUUID().replaceAll('-', '')}`;
  jobs.begin(id, { ...Object(jobs.requestOf(of)), ...Object(body), remixed_from_video_id: of });
  return Response.json(video(id, 'queued', jobs));
}

function video(id: string, state: string, jobs: SimulatedJobs): object {
  const asked = Object(jobs.requestOf(id));
  const isDone = state === 'completed';
  return {
    ...{ id, object: 'video', model: asked.model ?? 'sora-2', status: state in ERRORS ? 'failed' : state },
    ...{ progress: isDone ? 100 : state === 'in_progress' ? 33 : 0, created_at: 1_790_000_000 },
    ...{ completed_at: isDone ? 1_790_000_100 : null, expires_at: isDone ? 1_790_003_700 : null },
    ...{ prompt: asked.prompt, size: asked.size ?? '720x1280', seconds: asked.seconds ?? '4' },
    ...{ remixed_from_video_id: asked.remixed_from_video_id ?? null, error: ERRORS[state] ?? null },
  };
}

function file(id: string, variant: string, jobs: SimulatedJobs): Response {
  if (jobs.look(id) !== 'completed') return error(404, 'Video is not ready yet.');
  if (variant === 'video')
    return new Response(jobs.fileBytes('clip.mp4'), { headers: { 'content-type': 'video/mp4' } });
  return new Response(jobs.fileBytes('cover.png'), { headers: { 'content-type': 'image/png' } });
}

function error(status: number, message: string): Response {
  return Response.json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, { status });
}
