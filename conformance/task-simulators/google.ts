import { PIXEL_URI } from '../../src/formats/shared/testing/image-samples.ts';
import { jsonOf } from './shared/body-problem.ts';
import { googleError, VEO_REFUSED, VEO_STATES, veoOperation, veoProblem } from './shared/veo-request.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Veo at the Gemini API (ai.google.dev, "Generate videos with Veo"). */

const KEY = 'AIzaSimulatedGemini';
const MODEL = 'veo-3.1-generate-preview';
const ADDRESS =
  /^\/v1beta\/(?:models\/([\w.-]+)(?::predictLongRunning|\/operations\/([\w-]+))|files\/([\w-]+):download)$/;

export const google: TaskSimulator = {
  provider: 'google',
  apiKey: KEY,
  basePath: '/v1beta',
  cases: [
    {
      name: 'a text',
      endpoint: 'videos',
      upstreamModel: MODEL,
      body: { prompt: 'a fox in the snow', duration: 4, resolution: '1080p', aspect_ratio: '16:9' },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'a first and a last image, twice',
      endpoint: 'videos',
      upstreamModel: MODEL,
      body: { prompt: 'it runs', image_url: PIXEL_URI, end_image_url: PIXEL_URI, n: 2, seed: 3, audio: true },
      items: [{ content_type: 'video/mp4' }, { content_type: 'video/mp4' }],
    },
    {
      name: 'reference images',
      endpoint: 'videos',
      upstreamModel: MODEL,
      body: { prompt: 'it runs', reference_image_urls: [PIXEL_URI], negative_prompt: 'fog', size: '1280x720' },
      items: [{ content_type: 'video/mp4' }],
    },
  ],
  states: VEO_STATES,
  refused: VEO_REFUSED,
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname, searchParams } = new URL(request.url);
  const [matched, model, operation, file] = ADDRESS.exec(pathname) ?? [];
  if (matched === undefined) return null;
  if (request.headers.get('x-goog-api-key') !== KEY) return googleError(401, 'API key not valid.');
  if (file !== undefined) {
    if (searchParams.get('alt') !== 'media' || jobs.look(file) !== 'done') return googleError(404, 'No such file.');
    return new Response(jobs.fileBytes('clip.mp4'), { headers: { 'content-type': 'video/mp4' } });
  }
  if (operation !== undefined) return request.method === 'GET' ? report(operation, jobs) : null;
  if (request.method !== 'POST') return null;
  const body = await jsonOf(request);
  const problem = model === MODEL ? veoProblem(body, false) : 'The model is not known.';
  if (problem !== null) return googleError(400, problem);
  const id = crypto.randomUUID().slice(0, 12);
  jobs.begin(id, body);
  return Response.json({ name: nameOf(id) });
}

function nameOf(id: string): string {
  return `models/${MODEL}/operations/${id}`;
}

function report(id: string, jobs: SimulatedJobs): Response {
  const state = jobs.stateOf(id);
  if (state === null) return googleError(404, 'The operation was not found.');
  const { parameters } = Object(jobs.requestOf(id));
  const uri = `${jobs.origin}/v1beta/files/${id}:download?alt=media`;
  const generatedSamples = new Array(Number(parameters.sampleCount)).fill({ video: { uri } });
  const operation = veoOperation(nameOf(id), state, { generatedSamples }, (response) => ({
    '@type': 'type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse',
    generateVideoResponse: response,
  }));
  return Response.json(operation);
}
