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

/* DashScope's `/api/v1/services/aigc/…/video-synthesis` and `/api/v1/tasks/{id}` (alibabacloud.com/help/en/model-studio, "Wan"). */

const KEY = 'sk-dashscope-simulated';
const MEDIA = objectOf(
  { type: oneOf('first_frame', 'last_frame', 'reference_image', 'reference_video', 'first_clip'), url: isAddress },
  ['type', 'url'],
);
const INPUT = objectOf({
  ...{ prompt: isText, negative_prompt: isText, img_url: isAddress, audio_url: isAddress },
  ...{ first_frame_url: isAddress, last_frame_url: isAddress, media: listOf(MEDIA, 12) },
});
const PARAMETERS = objectOf({
  size: (value) => typeof value === 'string' && /^\d{3,4}\*\d{3,4}$/.test(value),
  resolution: oneOf('480P', '720P', '1080P'),
  ratio: oneOf('16:9', '9:16', '1:1', '4:3', '3:4'),
  duration: between(2, 30),
  seed: between(0, 2_147_483_647),
  ...{ prompt_extend: isFlag, watermark: isFlag, audio: isFlag },
});
const MEMBERS: Readonly<Record<string, Check>> = { model: isText, input: INPUT, parameters: PARAMETERS };
const CODES: Readonly<Record<string, string>> = {
  FAILED: 'InternalError',
  sensitive: 'DataInspectionFailed',
  invalid: 'InvalidParameter',
};

export const alibaba: TaskSimulator = {
  provider: 'alibaba',
  apiKey: KEY,
  // Channels have the address of the compatible API.
  basePath: '/compatible-mode/v1',
  cases: [
    {
      name: 'a text for an older model',
      endpoint: 'videos',
      upstreamModel: 'wan2.5-t2v-preview',
      body: { prompt: 'a fox in the snow', duration: 10, resolution: '720p', aspect_ratio: '9:16' },
      items: [{ content_type: 'video/mp4', duration: 10 }],
    },
    {
      name: 'first and last image by URL',
      endpoint: 'videos',
      upstreamModel: 'wan2.2-kf2v-flash',
      body: { prompt: 'it runs', image_url: PIXEL_URI, end_image_url: PIXEL_URI },
      items: [{ content_type: 'video/mp4', duration: 5 }],
    },
    {
      name: 'references',
      endpoint: 'videos',
      upstreamModel: 'wan2.7-r2v',
      body: { prompt: 'the fox of image 1', reference_image_urls: [PIXEL_URI], seed: 7 },
      items: [{ content_type: 'video/mp4', duration: 5 }],
    },
  ],
  states: {
    working: ['PENDING', 'RUNNING'],
    completed: ['SUCCEEDED'],
    failed: ['FAILED', 'sensitive', 'invalid', 'CANCELED', 'UNKNOWN'],
  },
  refused: ['sensitive', 'invalid'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return error(401, 'InvalidApiKey', 'The key is wrong.');
  const [, service] = /^\/api\/v1\/services\/aigc\/([\w-]+)\/video-synthesis$/.exec(pathname) ?? [];
  if (service !== undefined && request.method === 'POST') return await create(request, service, jobs);
  const [, id] = /^\/api\/v1\/tasks\/([\w-]+)$/.exec(pathname) ?? [];
  return id === undefined || request.method !== 'GET' ? null : report(id, jobs);
}

async function create(request: Request, service: string, jobs: SimulatedJobs): Promise<Response | null> {
  if (request.headers.get('x-dashscope-async') !== 'enable') {
    return error(403, 'AccessDenied', 'The API does not support synchronous calls.');
  }
  const body = await jsonOf(request);
  const problem = bodyProblem(body, MEMBERS, ['model', 'input']);
  if (problem !== null) return error(400, 'InvalidParameter', problem);
  const isFrames = /-kf2v-/.test(Object(body).model);
  if (service !== (isFrames ? 'image2video' : 'video-generation')) return error(400, 'InvalidParameter', 'url error');
  const id = crypto.randomUUID();
  jobs.begin(id, body);
  return Response.json({ request_id: 'r', output: { task_id: id, task_status: 'PENDING' } });
}

function report(id: string, jobs: SimulatedJobs): Response {
  const state = jobs.stateOf(id) ?? 'UNKNOWN';
  const code = Object.hasOwn(CODES, state) ? CODES[state] : undefined;
  const output = { task_id: id, task_status: code === undefined ? state : 'FAILED' };
  if (code !== undefined) return Response.json({ request_id: 'r', output: { ...output, code, message: 'It failed.' } });
  if (state !== 'SUCCEEDED') return Response.json({ request_id: 'r', output });
  const { parameters } = Object(jobs.requestOf(id));
  const usage = { duration: parameters.duration, output_video_duration: parameters.duration, video_count: 1, SR: 720 };
  return Response.json({ request_id: 'r', output: { ...output, video_url: jobs.fileUrl('clip.mp4') }, usage });
}

function error(status: number, code: string, message: string): Response {
  return Response.json({ code, message, request_id: 'r' }, { status });
}
