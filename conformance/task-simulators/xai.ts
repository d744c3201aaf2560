import { PIXEL_URI } from '../../src/formats/shared/testing/image-samples.ts';
import {
  between,
  bodyProblem,
  type Check,
  isAddress,
  isText,
  jsonOf,
  listOf,
  objectOf,
  oneOf,
} from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* xAI's `/videos/generations` and `/videos/edits` (docs.x.ai, "Video Generation", "Video Editing"). */

const KEY = 'xai-simulated';
const IMAGE = objectOf({ url: isAddress }, ['url']);
const COMMON: Readonly<Record<string, Check>> = {
  model: oneOf('grok-imagine-video', 'grok-imagine-video-1.5'),
  prompt: isText,
  user: isText,
};
const GENERATION: Readonly<Record<string, Check>> = {
  ...COMMON,
  duration: between(1, 15),
  aspect_ratio: oneOf('16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'),
  resolution: oneOf('480p', '720p', '1080p'),
  image: IMAGE,
  reference_images: listOf(IMAGE, 7),
};
const EDIT: Readonly<Record<string, Check>> = { ...COMMON, video: IMAGE };

const ERRORS: Readonly<Record<string, object>> = {
  failed: { code: 'internal_error', message: 'Video generation failed.' },
  invalid: { code: 'invalid_argument', message: 'The image is too small.' },
};

export const xai: TaskSimulator = {
  provider: 'xai',
  apiKey: KEY,
  basePath: '/v1',
  cases: [
    {
      name: 'a text',
      endpoint: 'videos',
      upstreamModel: 'grok-imagine-video',
      body: { prompt: 'a fox in the snow', duration: 6, resolution: '720p', aspect_ratio: '9:16' },
      items: [{ content_type: 'video/mp4', duration: 6 }],
    },
    {
      name: 'a first image',
      endpoint: 'videos',
      upstreamModel: 'grok-imagine-video-1.5',
      body: { image_url: PIXEL_URI, prompt: 'it runs' },
      items: [{ content_type: 'video/mp4', duration: 8 }],
    },
    {
      name: 'a video to edit',
      endpoint: 'videos',
      upstreamModel: 'grok-imagine-video',
      body: { prompt: 'at night', video_url: 'https://example.com/v.mp4' },
      items: [{ content_type: 'video/mp4' }],
    },
  ],
  states: { working: ['pending', 'bare'], completed: ['done'], failed: ['failed', 'expired', 'invalid', 'moderated'] },
  refused: ['invalid', 'moderated'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, place] = /^\/v1\/videos\/([\w-]+)$/.exec(pathname) ?? [];
  if (place === undefined) return null;
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return error(401, 'Incorrect API key provided.');
  if (request.method === 'POST') return await create(request, place, jobs);
  const state = request.method === 'GET' ? jobs.stateOf(place) : null;
  return state === null ? error(404, 'The request was not found.') : report(place, state, jobs);
}

async function create(request: Request, place: string, jobs: SimulatedJobs): Promise<Response | null> {
  if (place !== 'generations' && place !== 'edits') return null;
  const body = await jsonOf(request);
  const isEdit = place === 'edits';
  const problem = bodyProblem(body, isEdit ? EDIT : GENERATION, isEdit ? ['prompt', 'video'] : ['model']);
  if (problem !== null) return error(400, problem);
  const id = crypto.randomUUID();
  jobs.begin(id, body);
  return Response.json({ request_id: id });
}

/** A pending job is reported with status 202. */
function report(id: string, state: string, jobs: SimulatedJobs): Response {
  const { model, duration = 8 } = Object(jobs.requestOf(id));
  const url = jobs.fileUrl('clip.mp4');
  switch (state) {
    case 'pending':
      return Response.json({ status: 'pending', progress: 20, model }, { status: 202 });
    case 'bare':
      return Response.json({ request_id: id }, { status: 202 });
    case 'done':
      return Response.json({ status: state, video: { url, duration, respect_moderation: true }, model, progress: 100 });
    case 'moderated':
      return Response.json({ status: 'done', video: { url: '', duration: 0, respect_moderation: false }, model });
    case 'expired':
      return Response.json({ status: 'expired' });
    default:
      return Response.json({ status: 'failed', video: { duration: 0 }, model: '', error: ERRORS[state] });
  }
}

function error(status: number, message: string): Response {
  return Response.json({ code: 'Some requested entity could not be used', error: message }, { status });
}
