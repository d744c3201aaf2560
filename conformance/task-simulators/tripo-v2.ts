import { bodyProblem, type Check, jsonOf, objectOf, oneOf } from './shared/body-problem.ts';
import {
  isPublicUrl,
  TRIPO_KEY,
  TRIPO_MODEL,
  TRIPO_OPTIONS,
  TRIPO_REFUSED,
  TRIPO_STATES,
  TRIPO_TEXT,
  tripoData,
  tripoError,
  tripoState,
} from './shared/tripo-report.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Tripo's API v2 (platform.tripo3d.ai/docs/generation, /docs/task), which resellers use. */

const COMMON = { ...TRIPO_OPTIONS, type: () => true, model_version: TRIPO_MODEL };
const FILE = objectOf({ type: oneOf('png', 'jpg', 'webp'), url: isPublicUrl }, ['type', 'url']);
/** Always four: front, left, back and right. All but the first may be empty. */
const isViews: Check = (value) =>
  Array.isArray(value) && value.length === 4 && FILE(value[0]) && value.every((one) => objectOf({})(one) || FILE(one));

const BODIES: Readonly<Record<string, readonly [Readonly<Record<string, Check>>, readonly string[]]>> = {
  text_to_model: [{ ...COMMON, ...TRIPO_TEXT }, ['prompt']],
  image_to_model: [{ ...COMMON, file: FILE }, ['file']],
  multiview_to_model: [{ ...COMMON, files: isViews }, ['files']],
};

export const tripoV2: TaskSimulator = {
  provider: 'tripo-v2',
  apiKey: TRIPO_KEY,
  basePath: '/v2/openapi',
  cases: [
    {
      name: 'a text',
      endpoint: '3d',
      upstreamModel: 'v2.5-20250123',
      body: { prompt: 'a small wooden boat', texture: true, seed: 7 },
      items: [{ format: 'glb', content_type: 'model/gltf-binary' }],
    },
    {
      name: 'an image',
      endpoint: '3d',
      upstreamModel: 'v3.0-20250812',
      body: { image_url: 'https://example.com/boat.png', texture: false },
      items: [{ format: 'glb' }],
    },
    {
      name: 'several views',
      endpoint: '3d',
      upstreamModel: 'v3.0-20250812',
      body: { image_urls: ['https://example.com/front.png', 'https://example.com/left'] },
      items: [{ format: 'glb' }],
    },
  ],
  states: TRIPO_STATES,
  refused: TRIPO_REFUSED,
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [found, id] = /^\/v2\/openapi\/task(?:\/([\w-]+))?$/.exec(pathname) ?? [];
  if (found === undefined) return null;
  if (request.headers.get('authorization') !== `Bearer ${TRIPO_KEY}`)
    return tripoError(401, 1_002, 'Authentication failed');
  if (id === undefined) return request.method === 'POST' ? await create(request, jobs) : null;
  const state = request.method === 'GET' ? jobs.stateOf(id) : null;
  if (state === null) return tripoError(404, 2_001, 'Task not found');
  const { texture } = Object(jobs.requestOf(id));
  const file = jobs.fileUrl('model.glb');
  const model = texture === false ? { base_model: file } : { pbr_model: file };
  const output = { ...model, rendered_image: jobs.fileUrl('cover.png') };
  return tripoData({ input: {}, output: {}, ...tripoState(id, state), ...(state === 'success' && { output }) });
}

async function create(request: Request, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const { type } = Object(body);
  const rules = typeof type === 'string' && Object.hasOwn(BODIES, type) ? BODIES[type] : undefined;
  const problem = rules === undefined ? 'Unknown type.' : bodyProblem(body, ...rules);
  if (problem !== null) return tripoError(400, 2_002, problem);
  const id = crypto.randomUUID();
  jobs.begin(id, body);
  return tripoData({ task_id: id });
}
