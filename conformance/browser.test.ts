import { afterAll, beforeAll, expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { browserTest, CHROMIUM } from './shared/chromium.ts';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';

/* A page of another origin calls the gateway in a real browser, which holds it to the rules of CORS. */

let gateway: Gateway;
let pages: ReturnType<typeof Bun.serve>;
let profile: string;

beforeAll(async () => {
  profile = await mkdtemp(path.join(tmpdir(), 'switchyard-browser-'));
  gateway = await startGatewayWith([], { sandbox: true });
  pages = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(page(), { headers: { 'content-type': 'text/html' } }),
  });
}, 30_000);

afterAll(async () => {
  await pages?.stop(true);
  await gateway?.stop();
  await rm(profile, { recursive: true, force: true });
});

/** What runs in the page: it writes what it could read of each answer. */
function page(): string {
  const script = async (origin: string, key: string) => {
    const body = (stream: boolean) =>
      JSON.stringify({ model: 'sandbox-chat', stream, max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] });
    const ask = async (address: string, headers: Record<string, string>, stream = false) => {
      try {
        const sent = { 'content-type': 'application/json', ...headers };
        const answer = await fetch(origin + address, { method: 'POST', headers: sent, body: body(stream) });
        const text = await answer.text();
        return `${answer.status} ${answer.headers.get('x-request-id') !== null} ${text.length > 50}`;
      } catch (error) {
        return String(error);
      }
    };
    const bearer = { authorization: `Bearer ${key}`, 'x-stainless-lang': 'js' };
    const anthropic = {
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
      'anthropic-dangerous-direct-browser-access': 'true',
    };
    const results = {
      whole: await ask('/v1/chat/completions', bearer),
      stream: await ask('/v1/chat/completions', bearer, true),
      anthropic: await ask('/v1/messages', anthropic, true),
      tolerated: await ask('/messages', anthropic),
      refused: await ask('/v1/messages', { ...anthropic, 'x-api-key': 'sk-wrong' }),
      nowhere: await ask('/v1/nowhere', bearer),
      forbidden: await ask('/v1/messages', { ...anthropic, 'x-forwarded-for': '127.0.0.1' }),
    };
    // Types of the DOM are not part of this project.
    Object(globalThis).document.body.textContent = JSON.stringify(results);
  };
  return `<!doctype html><body><script>(${script})(${JSON.stringify(gateway.origin)}, ${JSON.stringify(gateway.apiKey)})</script>`;
}

browserTest(
  "a page of another origin reads answers, streams, errors and headers in all SDKs' ways",
  async () => {
    const child = Bun.spawn(
      [
        CHROMIUM ?? '',
        ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
        ...[`--user-data-dir=${profile}`, '--virtual-time-budget=30000', '--dump-dom', pages.url.href],
      ],
      { stdout: 'pipe', stderr: 'ignore' },
    );
    const dom = await child.stdout.text();
    const results: unknown = JSON.parse(/\{"whole".*\}/.exec(dom)?.[0] ?? '{}');
    expect(results).toEqual({
      whole: '200 true true',
      stream: '200 true true',
      anthropic: '200 true true',
      tolerated: '200 true true',
      refused: '401 true true',
      nowhere: '404 true true',
      forbidden: 'TypeError: Failed to fetch',
    });
  },
  60_000,
);
