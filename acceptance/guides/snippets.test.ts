import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { snippetsFor } from '../../dashboard/pages/first-steps/snippets.ts';
import { type Asked, FORMATS } from '../../dashboard/pages/playground/chat/conversation.ts';
import { CHAT_FORMATS } from '../../dashboard/pages/playground/chat/formats/index.ts';
import { curl } from '../../dashboard/pages/playground/code/curl.ts';
import { python } from '../../dashboard/pages/playground/code/python.ts';
import { typescript } from '../../dashboard/pages/playground/code/typescript.ts';
import type { Call } from '../../dashboard/pages/playground/wire/call.ts';

/* A program copied from the dashboard sends the same request as the page. */

interface Seen {
  readonly path: string;
  readonly key: string;
  readonly body: unknown;
  readonly cache: string | null;
}

const PYTHON = process.env.SWITCHYARD_TEST_PYTHON ?? 'python3';

let seen: Seen[] = [];
let folder = '';
const server = Bun.serve({ port: 0, fetch: async (request) => record(request) });
const origin = `http://127.0.0.1:${server.port}`;
const URLS = { openai: `${origin}/v1`, anthropic: origin, gemini: origin };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'switchyard-snippets-'));
  await symlink(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'it’s, $(a) file;.wav'), 'RIFF');
});

afterAll(async () => {
  await server.stop(true);
  await rm(folder, { recursive: true, force: true });
});

async function record(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const { headers } = request;
  const key = headers.get('authorization') ?? headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? '';
  const isForm = headers.get('content-type')?.startsWith('multipart/') === true;
  const body = isForm ? await formOf(request) : await request.json();
  seen.push({
    path: pathname + search,
    key: key.replace('Bearer ', ''),
    body,
    cache: headers.get('x-switchyard-cache'),
  });
  return Response.json({ error: { message: 'Seen.', code: 'seen' } }, { status: 400 });
}

async function formOf(request: Request): Promise<unknown> {
  const form = await request.formData();
  return [...form].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]).sort();
}

async function run(command: readonly string[]): Promise<void> {
  const env = { ...process.env, SWITCHYARD_API_KEY: 'sk-from-the-environment' };
  await Bun.spawn([...command], { cwd: folder, env, stdout: 'ignore', stderr: 'ignore' }).exited;
}

const NASTY = 'It\'s "quoted" $HOME `x` \\ \n\u2028 雪 🦊 %s {z}';
const ASKED: Asked = {
  ...{ model: 'm-1', turns: [{ role: 'user', text: NASTY, files: [] }], system: NASTY, temperature: 0.5 },
  ...{ maxTokens: 2000, effort: 'low', cache: 'no_cache', schema: { type: 'object', properties: { 'a-b': {} } } },
  tools: [{ name: 'find', description: NASTY, parameters: { type: 'object', properties: { q: { type: 'string' } } } }],
};
const FILE = new File(['RIFF'], 'it’s, $(a) file;.wav');
const CALLS: readonly Call[] = [
  ...FORMATS.map((format) => CHAT_FORMATS[format].request(ASKED)),
  CHAT_FORMATS.gemini.request({ ...ASKED, model: 'house/odd?a=1#b%41:chat' }),
  { path: '/v1/images/generations', body: { json: { model: 'i', prompt: NASTY, size: '1024x1024', seed: 7 } } },
  { path: '/v1/embeddings', body: { json: { model: 'e', input: ['a', NASTY], encoding_format: 'float' } } },
  { path: '/v1/rerank', body: { json: { model: 'r', query: NASTY, documents: ['a'], return_documents: true } } },
  { path: '/v1/videos/generations', body: { json: { model: 'v', prompt: NASTY, audio: false, duration: 5 } } },
  { path: '/v1/audio/speech', body: { json: { model: 's', input: NASTY, voice: 'alloy', language: 'en' } } },
  {
    path: '/v1/audio/transcriptions',
    body: {
      form: [
        ['file', FILE],
        ['model', 't'],
        ['prompt', NASTY],
      ],
    },
  },
];

function expected({ path: asked, body, headers }: Call): Seen {
  const form =
    'form' in body ? body.form.map(([name, value]) => [name, typeof value === 'string' ? value : value.name]) : [];
  return {
    ...{ path: asked, key: 'sk-from-the-environment', cache: headers?.['x-switchyard-cache'] ?? null },
    body: 'json' in body ? body.json : form.sort(),
  };
}

test.each(CALLS.map((call) => [call.path, call] as const))('%s', async (_, call) => {
  const programs: [string, string, readonly string[]][] = [
    ['a.sh', curl(call, URLS), ['bash', 'a.sh']],
    ['a.ts', typescript(call, URLS), [process.execPath, 'a.ts']],
  ];
  for (const [name, code, command] of programs) {
    seen = [];
    await writeFile(path.join(folder, name), code);
    await run(command);
    expect({ name, seen: seen[0] }).toEqual({ name, seen: expected(call) });
  }
  await writeFile(path.join(folder, 'a.py'), python(call, URLS));
  const compiled = Bun.spawnSync([PYTHON, '-m', 'py_compile', 'a.py'], { cwd: folder });
  expect(compiled.stderr.toString()).toBe('');
});

test('the model name in the first steps is quoted as one shell word', async () => {
  const setting = { openai: `${origin}/v1`, anthropic: origin, gemini: origin, key: 'sk-0123' };
  const model = "a b'; echo pwned; '";
  const [snippet] = snippetsFor('curl', { ...setting, model });
  const shown = Bun.spawnSync(['bash', '-c', `curl() { printf '%s\\n' "$@"; }\n${snippet?.code}`]).stdout.toString();
  expect(JSON.parse(shown.trim().split('\n').at(-1) ?? '').model).toBe(model);
});
