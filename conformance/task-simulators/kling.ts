import { createHmac } from 'node:crypto';
import { PIXEL_URI } from '../../src/formats/shared/testing/image-samples.ts';
import { bodyProblem, type Check, isBase64, isText, jsonOf, listOf, objectOf, oneOf } from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Kling's `/v1/videos/{text2video,image2video,multi-image2video}` (klingai.com, "API Reference"), with its signed tokens. */

const ACCESS_KEY = 'kling-simulated';
const SECRET_KEY = 'kling-secret';

const isUrl: Check = (value) => typeof value === 'string' && /^https?:\/\/\S+$/.test(value);
/** A URL, or base64 without the prefix of a `data:` URI. */
const isImage: Check = (value) => isUrl(value) || isBase64(value);
const isShare: Check = (value) => typeof value === 'number' && value >= 0 && value <= 1;
const COMMON: Readonly<Record<string, Check>> = {
  model_name: isText,
  prompt: isText,
  negative_prompt: isText,
  mode: oneOf('std', 'pro', '4k'),
  duration: oneOf('3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', '15'),
  external_task_id: isText,
};
const RATIO = { aspect_ratio: oneOf('16:9', '9:16', '1:1') };
const SOUND = { sound: oneOf('on', 'off'), cfg_scale: isShare };
const PLACES: Readonly<
  Record<string, { readonly members: Readonly<Record<string, Check>>; readonly required: string }>
> = {
  text2video: { members: { ...COMMON, ...RATIO, ...SOUND }, required: 'prompt' },
  image2video: { members: { ...COMMON, ...SOUND, image: isImage, image_tail: isImage }, required: 'image' },
  'multi-image2video': {
    members: { ...COMMON, ...RATIO, image_list: listOf(objectOf({ image: isImage }, ['image']), 4) },
    required: 'image_list',
  },
};

const MESSAGES: Readonly<Record<string, string>> = {
  failed: 'The service is busy, please try again later',
  flagged: 'Failure to pass the risk control system',
};

export const kling: TaskSimulator = {
  provider: 'kling',
  apiKey: `${ACCESS_KEY}:${SECRET_KEY}`,
  basePath: '/v1',
  cases: [
    {
      name: 'a text, with sound',
      endpoint: 'videos',
      upstreamModel: 'kling-v2-6',
      body: { prompt: 'a fox in the snow', duration: 10, audio: true, aspect_ratio: '9:16' },
      items: [{ content_type: 'video/mp4', duration: 10 }],
    },
    {
      name: 'a first and a last image',
      endpoint: 'videos',
      upstreamModel: 'kling-v2-1',
      body: { prompt: 'it runs', image_url: PIXEL_URI, end_image_url: PIXEL_URI, resolution: '1080p' },
      items: [{ content_type: 'video/mp4', duration: 5 }],
    },
    {
      name: 'reference images',
      endpoint: 'videos',
      upstreamModel: 'kling-v1-6',
      body: { prompt: 'they meet', reference_image_urls: [PIXEL_URI, PIXEL_URI], aspect_ratio: '1:1' },
      items: [{ content_type: 'video/mp4', duration: 5 }],
    },
  ],
  states: { working: ['submitted', 'processing'], completed: ['succeed'], failed: ['failed', 'flagged'] },
  refused: ['flagged'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, place = '', id] = /^\/v1\/videos\/([\w-]+)(?:\/([\w-]+))?$/.exec(pathname) ?? [];
  if (!Object.hasOwn(PLACES, place)) return null;
  if (!isSigned(request.headers.get('authorization') ?? '')) return error(401, 1002, 'Authorization is invalid');
  if (request.method === 'POST' && id === undefined) return await create(request, place, jobs);
  if (request.method !== 'GET' || id === undefined) return error(404, 1202, 'method not found');
  // A job only exists at the endpoint that created it.
  const { place: made } = Object(jobs.requestOf(id));
  const state = made === place ? jobs.stateOf(id) : null;
  return state === null ? error(404, 1203, 'task not found') : report(id, state, jobs);
}

function isSigned(authorization: string): boolean {
  const [header = '', claims = '', signature] = authorization.replace(/^Bearer /, '').split('.');
  if (createHmac('sha256', SECRET_KEY).update(`${header}.${claims}`).digest('base64url') !== signature) return false;
  const { iss, exp, nbf } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const now = Date.now() / 1_000;
  return iss === ACCESS_KEY && nbf <= now && now < exp && exp <= now + 1_805;
}

async function create(request: Request, place: string, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const { members, required } = PLACES[place] ?? { members: {}, required: '' };
  const problem = bodyProblem(body, members, ['model_name', required]);
  if (problem !== null) return error(400, 1201, problem);
  const id = `8${crypto.randomUUID().replaceAll(/\D/g, '')}`;
  jobs.begin(id, { place, ...Object(body) });
  return envelope({ task_id: id, task_status: 'submitted', created_at: Date.now(), updated_at: Date.now() });
}

function report(id: string, state: string, jobs: SimulatedJobs): Response {
  const { duration, external_task_id: name } = Object(jobs.requestOf(id));
  const task = { task_id: id, task_info: { external_task_id: name }, created_at: 1, updated_at: 2 };
  const message = MESSAGES[state];
  if (message !== undefined) return envelope({ ...task, task_status: 'failed', task_status_msg: message });
  const videos = [{ id: 'v1', url: jobs.fileUrl('clip.mp4'), duration }];
  return envelope({ ...task, task_status: state, ...(state === 'succeed' && { task_result: { videos } }) });
}

function envelope(data: object): Response {
  return Response.json({ code: 0, message: 'SUCCEED', request_id: crypto.randomUUID(), data });
}

function error(status: number, code: number, message: string): Response {
  return Response.json({ code, message, request_id: crypto.randomUUID() }, { status });
}
