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

/* MiniMax's `/v1/video_generation` and its files, and `/v2/video_generation` of H3 (platform.minimax.io, "Video generation"). */

const KEY = 'minimax-simulated';
const FIRST: Readonly<Record<string, Check>> = {
  model: oneOf('MiniMax-Hailuo-2.3', 'MiniMax-Hailuo-02'),
  prompt: isText,
  first_frame_image: isAddress,
  last_frame_image: isAddress,
  duration: oneOf(6, 10),
  resolution: oneOf('512P', '768P', '1080P'),
  prompt_optimizer: isFlag,
};
const URL_OBJECT = objectOf({ url: isAddress }, ['url']);
const CONTENT = objectOf(
  {
    type: oneOf('text', 'image_url'),
    text: isText,
    image_url: URL_OBJECT,
    role: oneOf('first_frame', 'last_frame', 'reference_image'),
  },
  ['type'],
);
const SECOND: Readonly<Record<string, Check>> = {
  model: oneOf('MiniMax-H3', 'MiniMax-H3-Max'),
  content: listOf(CONTENT, 12),
  duration: between(4, 15),
  resolution: oneOf('480P', '768P', '2K'),
  ratio: oneOf('adaptive', '21:9', '16:9', '4:3', '1:1', '3:4', '9:16'),
};
/** The names of the states in the second API. */
const SECOND_STATES: Readonly<Record<string, string>> = {
  Preparing: 'queued',
  Queueing: 'queued',
  Processing: 'running',
  Success: 'succeeded',
};

export const minimax: TaskSimulator = {
  provider: 'minimax',
  apiKey: KEY,
  basePath: '/v1',
  cases: [
    {
      name: 'a text for Hailuo',
      endpoint: 'videos',
      upstreamModel: 'MiniMax-Hailuo-2.3',
      body: { prompt: 'a fox in the snow', duration: 10 },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'first and last image for Hailuo',
      endpoint: 'videos',
      upstreamModel: 'MiniMax-Hailuo-02',
      body: { image_url: PIXEL_URI, end_image_url: PIXEL_URI, prompt: 'it runs', resolution: '1080p' },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'references for H3',
      endpoint: 'videos',
      upstreamModel: 'MiniMax-H3',
      body: { prompt: 'the fox of the image', reference_image_urls: [PIXEL_URI], duration: 5 },
      items: [{ content_type: 'video/mp4', duration: 5 }],
    },
  ],
  states: {
    working: ['Preparing', 'Queueing', 'Processing'],
    completed: ['Success'],
    failed: ['1000', '1026', '1027'],
  },
  refused: ['1026', '1027'],
  answer,
};

const OK = { status_code: 0, status_msg: 'success' };

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url);
  const isSecond = pathname.startsWith('/v2/');
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return refused(isSecond, 1004, 'login fail');
  if (request.method === 'POST' && /^\/v[12]\/video_generation$/.test(pathname))
    return await create(request, isSecond, jobs);
  if (request.method !== 'GET') return null;
  if (pathname === '/v1/query/video_generation') return state(searchParams.get('task_id') ?? '', jobs);
  if (pathname === '/v1/files/retrieve') {
    const id = (searchParams.get('file_id') ?? '').replace(/^file/, '');
    if (jobs.look(id) !== 'Success') return refused(false, 2013, 'invalid file_id');
    return Response.json({ file: { file_id: `file${id}`, download_url: jobs.fileUrl('clip.mp4') }, base_resp: OK });
  }
  if (pathname === '/v2/query/video_generation') {
    const tasks = searchParams.getAll('filter.task_ids').map((id) => task(id, jobs));
    return Response.json({ items: tasks.filter((one) => one !== null), total: tasks.length });
  }
  const [, id] = /^\/v2\/query\/video_generation\/(\d+)$/.exec(pathname) ?? [];
  if (id === undefined) return null;
  const found = task(id, jobs);
  return found === null ? refused(true, 2013, 'invalid task_id') : Response.json({ task: found });
}

let made = 106_916_112_212_032;

async function create(request: Request, isSecond: boolean, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const problem = isSecond
    ? bodyProblem(body, SECOND, ['model', 'content', 'resolution', 'duration'])
    : bodyProblem(body, FIRST, ['model']);
  if (problem !== null) return refused(isSecond, 2013, `invalid params, ${problem}`);
  const id = String(++made);
  jobs.begin(id, body);
  return Response.json(isSecond ? { task_id: id } : { task_id: id, base_resp: OK });
}

function state(id: string, jobs: SimulatedJobs): Response {
  const status = jobs.stateOf(id);
  if (status === null) return refused(false, 2013, 'invalid task_id');
  if (/^\d/.test(status)) {
    const said = { status_code: Number(status), status_msg: 'It failed.' };
    return Response.json({ task_id: id, status: 'Fail', base_resp: said });
  }
  const file = status === 'Success' ? `file${id}` : '';
  return Response.json({ task_id: id, status, file_id: file, base_resp: OK });
}

function task(id: string, jobs: SimulatedJobs): object | null {
  const status = jobs.stateOf(id);
  if (status === null) return null;
  const { model, duration, resolution } = Object(jobs.requestOf(id));
  const common = { id, model, duration, resolution, task_type: 'generation' };
  const known = SECOND_STATES[status];
  if (known === undefined) return { ...common, status: 'failed', error: { code: status, message: 'It failed.' } };
  return { ...common, status: known, ...(known === 'succeeded' && { content: { url: jobs.fileUrl('clip.mp4') } }) };
}

/** The first API reports errors with status 200. */
function refused(isSecond: boolean, code: number, words: string): Response {
  if (!isSecond) return Response.json({ base_resp: { status_code: code, status_msg: words } });
  const error = { type: 'error', error: { type: 'error', message: `${words} (${code})` } };
  return Response.json(error, { status: code === 1004 ? 401 : 400 });
}
