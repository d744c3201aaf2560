import { between, bodyProblem, type Check, isText, isWhole, jsonOf, oneOf } from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/*
 * Black Forest Labs' `POST /{model}` and `GET /get_result?id=` (docs.bfl.ai). Images are returned within the
 * request or as tasks.
 */

const KEY = 'bfl-simulated';

const MEMBERS: Readonly<Record<string, Check>> = {
  prompt: isText,
  width: between(256, 1_440),
  height: between(256, 1_440),
  prompt_upsampling: (value) => typeof value === 'boolean',
  seed: isWhole,
  safety_tolerance: between(0, 6),
  output_format: oneOf('jpeg', 'png'),
};

/** States that include reasons. */
const MODERATED: ReadonlySet<string> = new Set(['Request Moderated', 'Content Moderated']);

export const blackForestLabs: TaskSimulator = {
  provider: 'black-forest-labs',
  apiKey: KEY,
  basePath: '/v1',
  cases: [
    {
      name: 'an image from a text',
      endpoint: 'images',
      upstreamModel: 'flux-pro-1.1',
      body: { prompt: 'a fox in the snow', size: '1024x768', seed: 7, output_format: 'png' },
      items: [{ content_type: 'image/png', revised_prompt: 'a fox in the snow' }],
    },
  ],
  states: {
    working: ['Pending', 'Queued', 'Processing', 'Reasoning', 'Generating'],
    completed: ['Ready'],
    failed: ['Error', 'Task not found', 'Request Moderated', 'Content Moderated'],
  },
  refused: ['Request Moderated', 'Content Moderated'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url);
  const isQuestion = pathname === '/v1/get_result';
  if (!isQuestion && pathname !== '/v1/flux-pro-1.1') return null;
  if (request.headers.get('x-key') !== KEY) return Response.json({ detail: 'Not authenticated' }, { status: 403 });
  if (!isQuestion) return request.method === 'POST' ? await create(request, jobs) : null;
  const id = searchParams.get('id') ?? '';
  const state = request.method === 'GET' ? jobs.stateOf(id) : null;
  return Response.json(resultOf(id, state ?? 'Task not found', jobs));
}

async function create(request: Request, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const problem = bodyProblem(body, MEMBERS, ['prompt']);
  if (problem !== null) {
    return Response.json({ detail: [{ loc: ['body'], msg: problem, type: 'value_error' }] }, { status: 422 });
  }
  const id = crypto.randomUUID();
  jobs.begin(id, body);
  return Response.json({ id, polling_url: `${jobs.origin}/v1/get_result?id=${id}`, cost: 4 });
}

function resultOf(id: string, status: string, jobs: SimulatedJobs): object {
  const { prompt, seed } = Object(jobs.requestOf(id));
  const sample = { sample: jobs.fileUrl('cover.png'), prompt, seed, start_time: 1, end_time: 2, duration: 1 };
  return {
    ...{ id, status, progress: null, preview: null },
    result: status === 'Ready' ? sample : null,
    details: MODERATED.has(status) ? { 'Moderation Reasons': ['Derivative Works Filter'] } : null,
  };
}
