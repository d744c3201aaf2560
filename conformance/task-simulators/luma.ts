import { bodyProblem, type Check, isFlag, isText, jsonOf, listOf, objectOf, oneOf } from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Luma's `/generations/video` and `/generations/{id}` (its OpenAPI document). */

const KEY = 'luma-simulated';

const isUrl: Check = (value) => typeof value === 'string' && /^https:\/\/\S+$/.test(value);
const FRAME = objectOf({ type: oneOf('image'), url: isUrl }, ['type', 'url']);
const MEMBERS: Readonly<Record<string, Check>> = {
  generation_type: oneOf('video'),
  model: oneOf('ray-2', 'ray-flash-2'),
  prompt: isText,
  aspect_ratio: oneOf('1:1', '16:9', '9:16', '4:3', '3:4', '21:9', '9:21'),
  loop: isFlag,
  keyframes: objectOf({ frame0: FRAME, frame1: FRAME }),
  resolution: oneOf('540p', '720p', '1080p', '4k'),
  duration: oneOf('5s', '9s'),
  concepts: listOf(objectOf({ key: isText }, ['key']), 10),
};

/** The failure states, by reason. */
const REASONS: Readonly<Record<string, string>> = {
  failed: 'The job could not be finished',
  moderated: '400: Content moderated',
};

export const luma: TaskSimulator = {
  provider: 'luma',
  apiKey: KEY,
  basePath: '/dream-machine/v1',
  cases: [
    {
      name: 'a text',
      endpoint: 'videos',
      upstreamModel: 'ray-2',
      body: { prompt: 'a fox in the snow', duration: 9, aspect_ratio: '21:9', resolution: '1080p' },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'a first and a last image',
      endpoint: 'videos',
      upstreamModel: 'ray-flash-2',
      body: {
        prompt: 'it runs',
        image_url: 'https://images.example/first.png',
        end_image_url: 'https://images.example/last.png',
        provider_options: { concepts: [{ key: 'dolly_zoom' }] },
      },
      items: [{ content_type: 'video/mp4' }],
    },
  ],
  states: { working: ['queued', 'dreaming'], completed: ['completed'], failed: ['failed', 'moderated'] },
  refused: ['moderated'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, place] = /^\/dream-machine\/v1\/generations\/([\w-]+)$/.exec(pathname) ?? [];
  if (place === undefined) return null;
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return error(401, 'Invalid API key is provided');
  if (request.method === 'POST') return place === 'video' ? await create(request, jobs) : null;
  const state = request.method === 'GET' ? jobs.stateOf(place) : null;
  return state === null ? error(404, 'Generation not found') : Response.json(generation(place, state, jobs));
}

async function create(request: Request, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const problem = bodyProblem(body, MEMBERS, ['model']);
  if (problem !== null) return error(400, problem);
  const id = crypto.randomUUID();
  jobs.begin(id, body);
  return Response.json(generation(id, 'queued', jobs), { status: 201 });
}

function generation(id: string, state: string, jobs: SimulatedJobs): Readonly<Record<string, unknown>> {
  const request = jobs.requestOf(id);
  const { model } = Object(request);
  const common = { id, generation_type: 'video', created_at: '2026-01-01T00:00:00Z', model, request };
  const reason = REASONS[state];
  if (reason !== undefined) return { ...common, state: 'failed', failure_reason: reason, assets: null };
  const assets = state === 'completed' ? { video: jobs.fileUrl('clip.mp4') } : null;
  return { ...common, state, failure_reason: null, assets };
}

function error(status: number, detail: string): Response {
  return Response.json({ detail }, { status });
}
