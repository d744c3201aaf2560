import { localFailure } from '../shared/local-answer.ts';
import { complete, completionBody, eventGroups, pacedStream } from './in-process/completion.ts';
import { embeddings } from './in-process/embedding.ts';
import { images } from './in-process/image.ts';
import { cancelJob, pollJob, submitJob } from './in-process/jobs.ts';
import { moderation } from './in-process/moderation.ts';
import { ranking } from './in-process/ranking.ts';
import { chatRequest } from './in-process/request.ts';
import { speech } from './in-process/speech.ts';
import { UnknownToolError } from './in-process/tool-calls.ts';
import { transcript } from './in-process/transcript.ts';
import { webSearch } from './in-process/web-search.ts';
import { models } from './models.ts';

/**
 * Answers OpenAI's chat completions, moderations, embeddings, images, speech, transcripts and model list, Jina's rerank, Tavily's search,
 * and the sandbox's own jobs, inside the process and with synthetic content.
 */
export async function sandboxUpstream(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname.endsWith('/chat/completions')) {
    return request.method === 'POST' ? chat(request) : methodNotAllowed(request.method, 'POST');
  }
  if (pathname.endsWith('/moderations')) {
    return request.method === 'POST' ? moderate(request) : methodNotAllowed(request.method, 'POST');
  }
  if (pathname.endsWith('/embeddings')) {
    return request.method === 'POST' ? embed(request) : methodNotAllowed(request.method, 'POST');
  }
  if (pathname.endsWith('/rerank')) {
    return request.method === 'POST' ? rank(request) : methodNotAllowed(request.method, 'POST');
  }
  if (pathname.endsWith('/search')) {
    return request.method === 'POST' ? search(request) : methodNotAllowed(request.method, 'POST');
  }
  if (pathname.endsWith('/audio/speech')) {
    return request.method === 'POST' ? speak(request) : methodNotAllowed(request.method, 'POST');
  }
  const images = /\/images\/(generations|edits)$/.exec(pathname);
  if (images !== null) {
    return request.method === 'POST' ? draw(request, images[1] === 'edits') : methodNotAllowed(request.method, 'POST');
  }
  const audio = /\/audio\/(transcriptions|translations)$/.exec(pathname);
  if (audio !== null) {
    const task = audio[1] === 'translations' ? 'translate' : 'transcribe';
    return request.method === 'POST' ? transcript(request, task) : methodNotAllowed(request.method, 'POST');
  }
  const job = /\/jobs(?:\/([^/]+)(\/cancel)?)?$/.exec(pathname);
  if (job !== null) return jobAnswer(request, job[1], job[2] !== undefined);
  const model = /\/models(?:\/([^/]+))?$/.exec(pathname);
  if (model !== null) {
    return request.method === 'GET' ? modelAnswer(model[1]) : methodNotAllowed(request.method, 'GET');
  }
  return localFailure(404, `Unknown request URL: ${request.method} ${pathname}.`, { code: 'unknown_url' });
}

async function chat(request: Request): Promise<Response> {
  const text = await request.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return localFailure(400, 'We could not parse the JSON body of your request.');
  }
  const parsed = chatRequest.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return localFailure(400, issue?.message ?? 'Invalid request.', { param: issue?.path.join('.') || null });
  }
  try {
    const completion = await complete(parsed.data, Bun.hash(text).toString(16));
    if (!parsed.data.stream) return Response.json(completionBody(completion));
    const groups = eventGroups(completion, parsed.data.stream_options?.include_usage === true);
    return new Response(pacedStream(groups, request.signal), {
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    });
  } catch (error) {
    if (error instanceof UnknownToolError) return localFailure(400, error.message, { param: 'tool_choice' });
    throw error;
  }
}

async function moderate(request: Request): Promise<Response> {
  const text = await request.text();
  const answer = moderation(text, Bun.hash(text).toString(16));
  return answer === null ? localFailure(400, 'Missing or wrong `input`.', { param: 'input' }) : Response.json(answer);
}

async function embed(request: Request): Promise<Response> {
  return answerOf(request, embeddings);
}

async function rank(request: Request): Promise<Response> {
  return answerOf(request, ranking);
}

async function search(request: Request): Promise<Response> {
  const read = await jsonOf(request);
  const answer = read === null ? null : webSearch(read.body);
  return answer === null ? localFailure(400, 'Missing or wrong `query`.', { param: 'query' }) : Response.json(answer);
}

async function draw(request: Request, isEdit: boolean): Promise<Response> {
  const read = await (isEdit ? formOf(request) : jsonOf(request));
  if (read === null) return localFailure(400, 'We could not parse the body of your request.');
  const made = images(read.body, read.files);
  if ('message' in made) return localFailure(400, made.message, { param: made.param });
  if (made.request.stream !== true) return Response.json(made.answer);
  return new Response(pacedStream(made.events.values(), request.signal), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  });
}

interface ReadFields {
  readonly body: unknown;
  readonly files: number;
}

async function jsonOf(request: Request): Promise<ReadFields | null> {
  try {
    return { body: await request.json(), files: 0 };
  } catch {
    return null;
  }
}

/** Returns the text parts as JSON would have them, and the number of images. */
async function formOf(request: Request): Promise<ReadFields | null> {
  try {
    const entries = [...(await request.formData()).entries()];
    const texts = entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, readValue(value)]] : []));
    return { body: Object.fromEntries(texts), files: entries.filter(([, value]) => typeof value !== 'string').length };
  } catch {
    return null;
  }
}

function readValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,3}$/.test(text) ? Number(text) : text;
}

async function speak(request: Request): Promise<Response> {
  const read = await jsonOf(request);
  if (read === null) return localFailure(400, 'We could not parse the body of your request.');
  const answered = speech(read.body);
  return answered instanceof Response ? answered : localFailure(400, answered.message, { param: answered.param });
}

async function jobAnswer(request: Request, id: string | undefined, isCancel: boolean): Promise<Response> {
  if (id !== undefined && isCancel) {
    return request.method === 'POST' ? cancelJob(id) : methodNotAllowed(request.method, 'POST');
  }
  if (id !== undefined) return request.method === 'GET' ? pollJob(id) : methodNotAllowed(request.method, 'GET');
  if (request.method !== 'POST') return methodNotAllowed(request.method, 'POST');
  const read = await jsonOf(request);
  if (read === null) return localFailure(400, 'We could not parse the JSON body of your request.');
  return submitJob(read.body, request.signal);
}

interface WrongRequest {
  readonly message: string;
  readonly param: string | null;
}

/** Answers a request; `answer` turns the request's body into JSON text. */
async function answerOf(
  request: Request,
  answer: (body: unknown) => Promise<string | WrongRequest>,
): Promise<Response> {
  let json: unknown;
  try {
    json = await request.json();
  } catch {
    return localFailure(400, 'We could not parse the JSON body of your request.');
  }
  const answered = await answer(json);
  if (typeof answered !== 'string') return localFailure(400, answered.message, { param: answered.param });
  return new Response(answered, { headers: { 'content-type': 'application/json' } });
}

function modelAnswer(encodedId: string | undefined): Response {
  const list = models().map(({ id }) => ({ id, object: 'model', created: 0, owned_by: 'switchyard-sandbox' }));
  if (encodedId === undefined) return Response.json({ object: 'list', data: list });
  const model = list.find(({ id }) => id === encodedId);
  if (model !== undefined) return Response.json(model);
  return localFailure(404, `The model '${encodedId}' does not exist.`, { param: 'model', code: 'model_not_found' });
}

function methodNotAllowed(method: string, allowed: string): Response {
  const answer = localFailure(405, `Not allowed to ${method} this URL.`, { code: 'method_not_allowed' });
  answer.headers.set('allow', allowed);
  return answer;
}
