/*
 * A provider that stores objects, in the formats of OpenAI, Anthropic and Google. A key only sees its own
 * objects.
 */

export interface Seen {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly key: string;
}

export interface Stored {
  readonly id: string;
  readonly bytes: number;
  readonly head: Uint8Array;
  readonly type: string;
}

export interface ObjectUpstream {
  readonly origin: string;
  readonly seen: Seen[];
  /** Keyed by API key, then by object id. */
  readonly objects: Map<string, Map<string, Stored>>;
  /** Answers every request while it is set. */
  answer: ((request: Request, url: URL) => Response | Promise<Response> | null) | null;
  readonly stop: () => Promise<void>;
}

const JSON_LINES = `${JSON.stringify({ custom_id: 'one', result: { type: 'succeeded', message: { content: [] } } })}\n`;
/** The approximate number of bytes that are stored of a file, from its start. */
const KEPT = 64 * 1024;

/** One request, and the objects that its key may see. */
interface Asked {
  readonly request: Request;
  readonly url: URL;
  readonly own: Map<string, Stored>;
  readonly newId: (prefix: string) => string;
  /** The path after the version. */
  readonly path: string;
  readonly uploads: Map<string, string>;
}

type Handler = (asked: Asked) => Response | Promise<Response>;

export function startObjectUpstream(): ObjectUpstream {
  const seen: Seen[] = [];
  const objects = new Map<string, Map<string, Stored>>();
  const uploads = new Map<string, string>();
  let count = 0;
  const newId = (prefix: string) => `${prefix}${++count}`;
  const upstream: Omit<ObjectUpstream, 'origin' | 'stop'> = { seen, objects, answer: null };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      const url = new URL(request.url);
      const key = keyOf(request.headers);
      seen.push({ method: request.method, url, headers: request.headers, key });
      const special = await upstream.answer?.(request, url);
      if (special) return special;
      const own = objects.get(key) ?? new Map<string, Stored>();
      objects.set(key, own);
      const path = url.pathname.replace(/^(?:\/upload)?\/(v1beta|v1)/, '');
      return handlerFor(request.headers)({ request, url, own, newId, path, uploads });
    },
  });
  return Object.assign(upstream, { origin: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) });
}

function handlerFor(headers: Headers): Handler {
  if (headers.has('x-goog-api-key')) return asGoogle;
  return headers.has('anthropic-version') ? asAnthropic : asOpenAi;
}

const bodyOf = (request: Request) => request.json() as Promise<Record<string, unknown>>;

async function asOpenAi(asked: Asked): Promise<Response> {
  const { request, own, newId, path } = asked;
  const [, collection = '', id = ''] = path.split('/');
  if (collection === 'files') return files(asked, false);
  if (path === '/batches' && request.method === 'POST') {
    const { input_file_id: input } = await bodyOf(request);
    if (!own.has(String(input))) return notFound(`No such File object: ${input}`);
    return Response.json({ id: newId('batch_'), object: 'batch', input_file_id: input, status: 'validating' });
  }
  if (collection === 'batches') {
    return Response.json({ id, object: 'batch', status: 'completed', output_file_id: 'file-out' });
  }
  if (path === '/realtime/client_secrets') {
    const { session } = await bodyOf(request);
    return Response.json({ value: 'ek_1', expires_at: 1, session });
  }
  return notFound(`nothing at ${path}`);
}

async function asAnthropic(asked: Asked): Promise<Response> {
  const { request, url, newId, path } = asked;
  if (path.startsWith('/files')) return files(asked, true);
  if (path === '/messages/batches') return Response.json(messageBatch(url, newId('msgbatch_')));
  const [, , , batch = '', part] = path.split('/');
  if (part === 'results') return new Response(JSON_LINES, { headers: { 'content-type': 'application/x-jsonl' } });
  return batch === '' ? notFound(`nothing at ${request.url}`) : Response.json(messageBatch(url, batch));
}

async function asGoogle(asked: Asked): Promise<Response> {
  const { request, url, own, newId, path, uploads } = asked;
  if (url.pathname.startsWith('/upload/')) return googleUpload(request, url, own, newId, uploads);
  const [, collection = '', id = ''] = path.split('/');
  if (path === '/files') return Response.json({ files: [...own.values()].map((stored) => googleFile(url, stored.id)) });
  if (collection === 'files') {
    if (!own.has(id)) return notFound(`File ${id}`);
    if (request.method === 'DELETE') own.delete(id);
    return Response.json(request.method === 'DELETE' ? {} : googleFile(url, id));
  }
  if (collection === 'batches') {
    return Response.json({ name: `batches/${id}`, metadata: { state: 'BATCH_STATE_RUNNING' } });
  }
  const { model, stream } = await bodyOf(request);
  if (path === '/cachedContents') return Response.json({ name: newId('cachedContents/'), model });
  if (stream === true) return interactionStream(model);
  return Response.json({ id: newId('int_'), model, status: 'completed' });
}

async function files({ request, own, newId, path }: Asked, isAnthropic: boolean): Promise<Response> {
  const [, , id, action] = path.split('/');
  if (id === undefined && request.method === 'POST') {
    const stored = await keep(request, newId(isAnthropic ? 'file_' : 'file-'));
    own.set(stored.id, stored);
    return Response.json(fileObject(stored, isAnthropic));
  }
  if (id === undefined) {
    const data = [...own.values()].map((stored) => fileObject(stored, isAnthropic));
    return Response.json({ object: 'list', data, has_more: false, first_id: null, last_id: null });
  }
  const file = own.get(id);
  if (file === undefined) return notFound(`No such File object: ${id}`);
  if (action === 'content') {
    return new Response(file.head, { headers: { 'content-type': file.type, 'set-cookie': 'a=b' } });
  }
  if (request.method === 'DELETE') {
    own.delete(id);
    return Response.json({ id, object: 'file', type: 'file_deleted', deleted: true });
  }
  return Response.json(fileObject(file, isAnthropic), { headers: { 'openai-organization': 'org-secret' } });
}

function keyOf(headers: Headers): string {
  return headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? headers.get('authorization')?.slice(7) ?? '';
}

async function keep(request: Request, id: string): Promise<Stored> {
  let bytes = 0;
  const head: Uint8Array[] = [];
  for await (const piece of request.body ?? []) {
    if (bytes < KEPT) head.push(piece);
    bytes += piece.length;
  }
  return { id, bytes, head: Buffer.concat(head), type: request.headers.get('content-type') ?? '' };
}

function fileObject({ id, bytes }: Stored, isAnthropic: boolean): object {
  return isAnthropic
    ? {
        id,
        type: 'file',
        filename: 'f',
        mime_type: 'text/plain',
        size_bytes: bytes,
        created_at: '2026-01-01T00:00:00Z',
      }
    : { id, object: 'file', bytes, created_at: 1, filename: 'f', purpose: 'batch' };
}

function googleFile(url: URL, id: string): object {
  return { name: `files/${id}`, uri: `${url.origin}/v1beta/files/${id}`, mimeType: 'text/plain', state: 'ACTIVE' };
}

function messageBatch(url: URL, id: string): object {
  return {
    id,
    type: 'message_batch',
    processing_status: 'ended',
    results_url: `${url.origin}/v1/messages/batches/${id}/results`,
  };
}

async function googleUpload(
  request: Request,
  url: URL,
  own: Map<string, Stored>,
  newId: (prefix: string) => string,
  uploads: Map<string, string>,
): Promise<Response> {
  const uploadId = url.searchParams.get('upload_id');
  if (uploadId === null) {
    const id = newId('up');
    uploads.set(id, newId('g'));
    const there = `${url.origin}${url.pathname}?upload_id=${id}&upload_protocol=resumable&key=the-channels-own`;
    return new Response('{}', { headers: { 'x-goog-upload-url': there, 'x-goog-upload-status': 'active' } });
  }
  const id = uploads.get(uploadId);
  if (id === undefined) return notFound(`upload ${uploadId}`);
  own.set(id, await keep(request, id));
  return Response.json({ file: googleFile(url, id) }, { headers: { 'x-goog-upload-status': 'final' } });
}

function interactionStream(model: unknown): Response {
  const events = [
    { event_type: 'interaction.created', interaction: { id: 'int_streamed', model, status: 'in_progress' } },
    { event_type: 'content.delta', delta: { type: 'text', text: 'a "model": "x"' } },
    { event_type: 'interaction.completed', interaction: { id: 'int_streamed', model, status: 'completed' } },
  ];
  const text = events.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
}

function notFound(message: string): Response {
  return Response.json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, { status: 404 });
}
