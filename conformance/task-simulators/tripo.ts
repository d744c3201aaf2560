import { bodyProblem, type Check, jsonOf, objectOf } from './shared/body-problem.ts';
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

/* Tripo's API v3 (developers.tripo3d.ai/en/docs: generation-text-to-model, generation-image-to-model, task-query, task-lifecycle). */

const COMMON = { ...TRIPO_OPTIONS, model: TRIPO_MODEL };
const VIEW = objectOf({ front: isPublicUrl, left: isPublicUrl, back: isPublicUrl, right: isPublicUrl });

/** Two to four views, one of them from the front. */
const isViews: Check = (value) => {
  if (!Array.isArray(value) || value.length < 2 || value.length > 4) return false;
  const names = value.flatMap((view) => Object.keys(Object(view)));
  return (
    value.every(VIEW) &&
    names.length === value.length &&
    new Set(names).size === names.length &&
    names.includes('front')
  );
};

const BODIES: Readonly<Record<string, readonly [Readonly<Record<string, Check>>, readonly string[]]>> = {
  'text-to-model': [{ ...COMMON, ...TRIPO_TEXT }, ['prompt', 'model']],
  'image-to-model': [{ ...COMMON, input: isPublicUrl }, ['input', 'model']],
  'multiview-to-model': [{ ...COMMON, inputs: isViews }, ['inputs', 'model']],
};

export const tripo: TaskSimulator = {
  provider: 'tripo',
  apiKey: TRIPO_KEY,
  basePath: '/v3',
  cases: [
    {
      name: 'a text',
      endpoint: '3d',
      upstreamModel: 'v3.1-20260211',
      body: {
        prompt: 'a small wooden boat',
        format: 'glb',
        target_polycount: 9_000,
        seed: 7,
        negative_prompt: 'sails',
      },
      items: [{ format: 'glb', content_type: 'model/gltf-binary' }],
    },
    {
      name: 'a text for an untextured shape',
      endpoint: '3d',
      upstreamModel: 'tripo-P1-20260311',
      body: { prompt: 'a small wooden boat', texture: false },
      items: [{ format: 'glb' }],
    },
    {
      name: 'an image',
      endpoint: '3d',
      upstreamModel: 'v3.1-20260211',
      body: { image_url: 'https://example.com/boat.png', provider_options: { texture_quality: 'detailed' } },
      items: [{ format: 'glb' }],
    },
    {
      name: 'several views',
      endpoint: '3d',
      upstreamModel: 'v3.0-20250812',
      body: { image_urls: ['front', 'left', 'back'].map((name) => `https://example.com/${name}.png`) },
      items: [{ format: 'glb' }],
    },
  ],
  states: TRIPO_STATES,
  refused: TRIPO_REFUSED,
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, kind] = /^\/v3\/generation\/([a-z-]+)$/.exec(pathname) ?? [];
  const [, id] = /^\/v3\/tasks\/([\w-]+)$/.exec(pathname) ?? [];
  if (kind === undefined && id === undefined) return null;
  if (request.headers.get('authorization') !== `Bearer ${TRIPO_KEY}`) return tripoError(401, 2, 'Invalid API key');
  if (kind !== undefined) return request.method === 'POST' ? await create(request, kind, jobs) : null;
  const state = id === undefined || request.method !== 'GET' ? null : jobs.stateOf(id);
  if (id === undefined || state === null) return tripoError(404, 2_001, 'Task not found');
  const output = { model_url: jobs.fileUrl('model.glb'), rendered_image_url: jobs.fileUrl('cover.png') };
  return tripoData({ ...tripoState(id, state), ...(state === 'success' && { output, credits_consumed: 20 }) });
}

async function create(request: Request, kind: string, jobs: SimulatedJobs): Promise<Response | null> {
  const rules = Object.hasOwn(BODIES, kind) ? BODIES[kind] : undefined;
  if (rules === undefined) return null;
  const body = await jsonOf(request);
  const problem = bodyProblem(body, ...rules);
  if (problem !== null) return tripoError(400, 1_004, problem);
  const id = `task_${crypto.randomUUID()}`;
  jobs.begin(id, body);
  return tripoData({ task_id: id });
}
