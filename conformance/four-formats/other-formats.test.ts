import { afterAll, beforeAll, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { ANSWER_TEXT, accountWith, clientKey, keyNamed, streamedAnswer, wholeAnswer } from '../first-light/upstream.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* A channel of a provider with several formats, at a URL that supports only one of them. */

const paths: string[] = [];
const chatOnly = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    const text = await request.text();
    const { model, stream } = asObject(parseJson(text));
    const received = {
      path: pathname,
      headers: request.headers,
      text,
      bytes: new TextEncoder().encode(text),
      model: String(model),
      stream: stream === true,
      signal: request.signal,
    };
    if (pathname.startsWith('/strict/') && !pathname.endsWith('/chat/completions')) {
      return Response.json({ error: { message: `Unknown path ${pathname}` } }, { status: 404 });
    }
    // The other one answers every path with a chat completion.
    return stream === true ? streamedAnswer(received) : wholeAnswer(received);
  },
});

let space: Workspace;
let serving: Serving;
let anthropic: Anthropic;
let openai: OpenAI;

beforeAll(async () => {
  space = await Workspace.create();
  const channel = (id: string, path: string) => ({
    id,
    provider: 'openai',
    base_url: `http://127.0.0.1:${chatOnly.port}/${path}/v1`,
    api_key: 'upstream-key',
    models: [id],
  });
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channel('strict', 'strict'), channel('careless', 'careless')],
    accounts: [accountWith('acme', [keyNamed('main')])],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  const origin = serving.baseUrl.replace(/\/v1$/, '');
  anthropic = new Anthropic({ baseURL: origin, apiKey: clientKey('main'), maxRetries: 0 });
  openai = new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('main'), maxRetries: 0 });
});

afterAll(async () => {
  await space.remove();
  await chatOnly.stop(true);
});

for (const model of ['strict', 'careless']) {
  test(`${model} server: the channel's other format answers, and is used directly from then on`, async () => {
    const body = { model, max_tokens: 50, messages: [{ role: 'user' as const, content: 'Hello' }] };
    paths.length = 0;
    const first = await anthropic.messages.create(body);
    expect(first.content).toMatchObject([{ type: 'text', text: ANSWER_TEXT }]);
    expect(paths.map((path) => path.replace(/^.*\/v1/, ''))).toEqual(['/responses', '/chat/completions']);
    paths.length = 0;
    const streamed = await anthropic.messages.stream(body).finalMessage();
    expect(JSON.stringify(streamed.content)).toContain(ANSWER_TEXT);
    expect(paths.map((path) => path.replace(/^.*\/v1/, ''))).toEqual(['/chat/completions']);
  });

  test(`${model} server: a streaming Responses client also works before the format is known`, async () => {
    const stream = openai.responses.stream({ model, input: 'Hello' });
    expect((await stream.finalResponse()).output_text).toContain(ANSWER_TEXT);
    expect((await openai.responses.create({ model, input: 'Hello' })).output_text).toBe(ANSWER_TEXT);
  });
}
