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

/* Runway's `/v1/text_to_video`, `/v1/image_to_video`, `/v1/video_to_video` and `/v1/tasks/{id}` (docs.dev.runwayml.com). */

const KEY = 'key_simulated';
const POSITIONED = objectOf({ uri: isAddress, position: oneOf('first', 'last') }, ['uri', 'position']);
const isImage: Check = (value) => isAddress(value) || listOf(POSITIONED, 2)(value);
const COMMON: Readonly<Record<string, Check>> = {
  model: oneOf('gen4.5', 'veo3.1', 'aleph2'),
  promptText: isText,
  ratio: oneOf('1280:720', '720:1280', '1920:1080', '1080:1920'),
  duration: between(2, 10),
  seed: between(0, 4_294_967_295),
  audio: isFlag,
};
const ENDPOINTS: Readonly<
  Record<string, readonly [members: Readonly<Record<string, Check>>, required: readonly string[]]>
> = {
  text_to_video: [COMMON, ['model', 'promptText', 'ratio']],
  image_to_video: [{ ...COMMON, promptImage: isImage }, ['model', 'promptImage', 'ratio']],
  video_to_video: [{ ...COMMON, videoUri: isAddress }, ['model', 'videoUri']],
};

export const runway: TaskSimulator = {
  provider: 'runway',
  apiKey: KEY,
  basePath: '/v1',
  cases: [
    {
      name: 'a text',
      endpoint: 'videos',
      upstreamModel: 'gen4.5',
      body: { prompt: 'a fox in the snow', duration: 6, aspect_ratio: '9:16', seed: 7 },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'first and last image',
      endpoint: 'videos',
      upstreamModel: 'veo3.1',
      body: { prompt: 'it runs', image_url: PIXEL_URI, end_image_url: PIXEL_URI, resolution: '1080p', audio: false },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'a video to edit',
      endpoint: 'videos',
      upstreamModel: 'aleph2',
      body: { prompt: 'at night', video_url: 'https://example.com/v.mp4' },
      items: [{ content_type: 'video/mp4' }],
    },
  ],
  states: {
    working: ['PENDING', 'THROTTLED', 'RUNNING'],
    completed: ['SUCCEEDED'],
    failed: ['FAILED', 'CANCELLED', 'SAFETY.INPUT.TEXT', 'SAFETY.OUTPUT.VIDEO', 'ASSET.INVALID'],
  },
  refused: ['SAFETY.INPUT.TEXT', 'SAFETY.OUTPUT.VIDEO', 'ASSET.INVALID'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const [, place = '', id] = /^\/v1\/(\w+)(?:\/([\w-]+))?$/.exec(new URL(request.url).pathname) ?? [];
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return error(401, 'The API key is not valid.');
  if (request.headers.get('x-runway-version') !== '2024-11-06') return error(400, 'The version is missing.');
  if (place === 'tasks' && id !== undefined && request.method === 'GET') return report(id, jobs);
  const endpoint = Object.hasOwn(ENDPOINTS, place) ? ENDPOINTS[place] : undefined;
  if (endpoint === undefined || id !== undefined || request.method !== 'POST') return null;
  const body = await jsonOf(request);
  const problem = bodyProblem(body, ...endpoint);
  if (problem !== null) return error(400, problem);
  const made = crypto.randomUUID();
  jobs.begin(made, body);
  return Response.json({ id: made, estimatedCost: { credits: 60 } });
}

function report(id: string, jobs: SimulatedJobs): Response {
  const state = jobs.stateOf(id);
  if (state === null) return error(404, 'The task was not found.');
  const common = { id, createdAt: '2026-11-23T05:00:00Z' };
  if (state === 'RUNNING') return Response.json({ ...common, status: state, progress: 0.5 });
  if (state === 'SUCCEEDED') return Response.json({ ...common, status: state, output: [jobs.fileUrl('clip.mp4')] });
  if (/\./.test(state)) return Response.json({ ...common, status: 'FAILED', failure: 'Refused.', failureCode: state });
  if (state !== 'FAILED') return Response.json({ ...common, status: state });
  return Response.json({ ...common, status: state, failure: 'It failed.', failureCode: 'INTERNAL.BAD_OUTPUT.CODE01' });
}

function error(status: number, message: string): Response {
  return Response.json({ error: message }, { status });
}
