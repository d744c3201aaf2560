import { bodyProblem, type Check, isFlag, isText, jsonOf, listOf, oneOf } from './shared/body-problem.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

/*
 * A proxy of Suno, with the protocol of the open-source project Suno-API and of new-api
 * (docs.newapi.pro/api/suno-music).
 */

const KEY = 'sk-suno-simulated';
const isSeconds: Check = (value) => typeof value === 'number' && value >= 0;
const isAnyText: Check = (value) => typeof value === 'string';
const SONG: Readonly<Record<string, Check>> = {
  prompt: isAnyText,
  gpt_description_prompt: isText,
  mv: (value) => typeof value === 'string' && /^chirp-/.test(value),
  title: isText,
  tags: isText,
  negative_tags: isText,
  make_instrumental: isFlag,
  task_id: isText,
  continue_clip_id: isText,
  continue_at: isSeconds,
};
const LYRICS = '[Verse]\nThe sea is calm tonight\n\n[Chorus]\nCome to the window';

export const suno: TaskSimulator = {
  provider: 'suno',
  apiKey: KEY,
  basePath: '',
  cases: [
    {
      name: 'a song from a description',
      endpoint: 'music',
      upstreamModel: 'suno_music',
      body: { prompt: 'a calm song about the sea', mv: 'chirp-v4' },
      items: [1, 2].map(() => ({ content_type: 'audio/mpeg', duration: 173.04, title: 'Calm Sea', lyrics: LYRICS })),
    },
    {
      name: 'a song from its lyrics',
      endpoint: 'music',
      upstreamModel: 'suno_music',
      body: { prompt: LYRICS, title: 'Window', tags: 'folk' },
      items: [1, 2].map(() => ({ content_type: 'audio/mpeg', title: 'Window', lyrics: LYRICS })),
    },
    {
      name: 'a continued clip',
      endpoint: 'music',
      upstreamModel: 'suno_music',
      body: { prompt: LYRICS, title: 'Window', continue_clip_id: 'job-1~clip-1', continue_at: 80 },
      items: [1, 2].map(() => ({ content_type: 'audio/mpeg', title: 'Window' })),
    },
    {
      name: 'lyrics only',
      endpoint: 'music',
      upstreamModel: 'suno_lyrics',
      body: { prompt: 'a calm song about the sea', action: 'LYRICS' },
      items: [{ title: 'Calm Sea', lyrics: LYRICS }],
    },
  ],
  states: {
    working: ['', 'NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'processing'],
    completed: ['SUCCESS', 'success'],
    failed: ['FAILURE', 'failed', 'no clip', 'flagged'],
  },
  refused: ['flagged'],
  answer,
};

async function answer(request: Request, jobs: SimulatedJobs): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [, kind] = /^\/suno\/submit\/(music|lyrics)$/.exec(pathname) ?? [];
  const [, id] = /^\/suno\/fetch(?:\/([\w-]+))?$/.exec(pathname) ?? [];
  if (kind === undefined && !/^\/suno\/fetch(?:\/|$)/.test(pathname)) return null;
  if (request.headers.get('authorization') !== `Bearer ${KEY}`) return error(401, 'invalid_token', 'Invalid token');
  if (kind !== undefined) return request.method === 'POST' ? await create(request, kind, jobs) : null;
  if (id === undefined) return request.method === 'POST' ? await batch(request, jobs) : null;
  const task = request.method === 'GET' ? taskOf(id, jobs) : null;
  return task === null ? error(400, 'task_not_exist', 'task_not_exist') : success(task);
}

async function create(request: Request, kind: string, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const problem = kind === 'music' ? songProblem(body) : bodyProblem(body, { prompt: isText }, ['prompt']);
  if (problem !== null) return error(400, 'invalid_request', problem);
  const id = crypto.randomUUID();
  jobs.begin(id, { ...Object(body), kind });
  return success(id);
}

/**
 * A song needs a description or its lyrics; a continuation needs the time at which the clip continues and the
 * job of the clip.
 */
function songProblem(body: unknown): string | null {
  const problem = bodyProblem(body, SONG, ['mv']);
  if (problem !== null) return problem;
  const {
    prompt,
    gpt_description_prompt: description,
    continue_clip_id: clip,
    continue_at: at,
    task_id: job,
  } = Object(body);
  if ((prompt === undefined) === (description === undefined)) return 'Either prompt or gpt_description_prompt.';
  if (clip !== undefined && job === undefined) return 'task id is empty';
  return at !== undefined && clip === undefined ? 'continue_clip_id is empty' : null;
}

async function batch(request: Request, jobs: SimulatedJobs): Promise<Response> {
  const body = await jsonOf(request);
  const known = { ids: listOf(isText, 100), action: oneOf('MUSIC', 'LYRICS') };
  const problem = bodyProblem(body, known, ['ids']);
  if (problem !== null) return error(400, 'invalid_request', problem);
  const ids: readonly string[] = Object(body).ids;
  return success(ids.map((id) => taskOf(id, jobs)).filter((task) => task !== null));
}

function taskOf(id: string, jobs: SimulatedJobs): object | null {
  const state = jobs.stateOf(id);
  if (state === null) return null;
  const isDone = suno.states.completed.includes(state);
  const isClipless = state === 'no clip';
  const task = { task_id: id, notify_hook: '', action: 'MUSIC', submit_time: 1_716_191_749, finish_time: 0 };
  if (isDone) return { ...task, status: state, fail_reason: '', progress: '100%', data: madeOf(id, jobs) };
  if (isClipless) return { ...task, status: 'SUCCESS', fail_reason: '', progress: '100%', data: [brokenClip(id)] };
  if (suno.states.working.includes(state))
    return { ...task, status: state, fail_reason: '', progress: '35%', data: null };
  const flagged = 'Song Description flagged for moderation';
  const fail_reason = state === 'flagged' ? flagged : 'The song could not be made';
  return { ...task, status: state === 'flagged' ? 'FAILURE' : state, fail_reason, progress: '100%', data: null };
}

function madeOf(id: string, jobs: SimulatedJobs): object {
  const { kind, title = 'Calm Sea', tags = 'soft' } = Object(jobs.requestOf(id));
  if (kind === 'lyrics') return { id, text: LYRICS, title, status: 'complete' };
  return [1, 2].map((number) => ({
    ...{ id: `${id}-${number}`, status: 'complete', title, model_name: 'chirp-v4', major_model_version: 'v4' },
    audio_url: jobs.fileUrl('song.mp3'),
    video_url: jobs.fileUrl('clip.mp4'),
    image_url: jobs.fileUrl('cover.png'),
    image_large_url: jobs.fileUrl('cover.png'),
    metadata: { tags, prompt: LYRICS, duration: 173.04, error_type: null, error_message: null },
  }));
}

function brokenClip(id: string): object {
  return { id, status: 'error', title: '', audio_url: '', metadata: { error_message: 'The song could not be made' } };
}

function success(data: unknown): Response {
  return Response.json({ code: 'success', message: '', data });
}

function error(status: number, code: string, message: string): Response {
  return Response.json({ code, message, data: null }, { status });
}
