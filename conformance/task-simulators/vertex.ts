import { PIXEL_URI } from '../../src/formats/shared/testing/image-samples.ts';
import { bodyProblem, isText, jsonOf } from './shared/body-problem.ts';
import { googleError, VEO_REFUSED, VEO_STATES, veoOperation, veoProblem } from './shared/veo-request.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/* Veo at Vertex AI (Google Cloud, "Veo on Vertex AI video generation API"). */

const KEY = 'AIzaSimulatedVertex';
const MODEL = 'veo-3.1-generate-001';
const RESOURCE = `projects/p-1/locations/us-central1/publishers/google/models/${MODEL}`;

export const vertex: TaskSimulator = {
  provider: 'vertex',
  apiKey: KEY,
  settings: { project: 'p-1', location: 'us-central1' },
  basePath: '',
  cases: [
    {
      name: 'a text, without sound',
      endpoint: 'videos',
      upstreamModel: MODEL,
      body: { prompt: 'a fox in the snow', duration: '4s', resolution: '4K', audio: false },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'a first image, two videos',
      endpoint: 'videos',
      upstreamModel: MODEL,
      body: { prompt: 'it runs', image_url: PIXEL_URI, n: 2 },
      items: [{ content_type: 'video/mp4' }, { content_type: 'video/mp4' }],
    },
  ],
  states: VEO_STATES,
  refused: VEO_REFUSED,
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, method] = new RegExp(`^/v1/${RESOURCE}:(predictLongRunning|fetchPredictOperation)$`).exec(pathname) ?? [];
  if (method === undefined || request.method !== 'POST') return null;
  if (request.headers.get('x-goog-api-key') !== KEY) return googleError(401, 'API key not valid.');
  const body = await jsonOf(request);
  if (method === 'fetchPredictOperation') return report(body, jobs);
  const problem = veoProblem(body, true);
  if (problem !== null) return googleError(400, problem);
  const id = crypto.randomUUID();
  jobs.begin(id, body);
  return Response.json({ name: `${RESOURCE}/operations/${id}` });
}

function report(body: unknown, jobs: SimulatedJobs): Response {
  const problem = bodyProblem(body, { operationName: isText }, ['operationName']);
  if (problem !== null) return googleError(400, problem);
  const name = String(Object(body).operationName);
  const id = name.startsWith(`${RESOURCE}/operations/`) ? name.slice(`${RESOURCE}/operations/`.length) : '';
  const state = jobs.stateOf(id);
  if (state === null) return googleError(404, 'The operation was not found.');
  const { parameters } = Object(jobs.requestOf(id));
  const bytesBase64Encoded = jobs.fileBytes('clip.mp4').toBase64();
  const videos = new Array(Number(parameters.sampleCount)).fill({ bytesBase64Encoded, mimeType: 'video/mp4' });
  const made = { raiMediaFilteredCount: 0, videos };
  const type = 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse';
  return Response.json(veoOperation(name, state, made, (response) => ({ '@type': type, ...response })));
}
