import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import { type Gateway, startGatewayWith } from '../../conformance/shared/gateway.ts';
import { sharedChromium } from '../shared/chromium.ts';

/* A page of another origin calls the gateway in a real browser, which enforces CORS. */

let gateway: Gateway;
let pages: ReturnType<typeof Bun.serve>;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  gateway = await startGatewayWith([], { sandbox: true });
  pages = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
  });
  context = await (await sharedChromium()).newContext();
  page = await context.newPage();
  await page.goto(pages.url.href);
});

afterAll(async () => {
  await context?.close();
  await pages?.stop(true);
  await gateway?.stop();
});

/** Runs in the page. Resolves to what it could read of each response. */
async function asked({ origin, key }: { readonly origin: string; readonly key: string }) {
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
  return {
    whole: await ask('/v1/chat/completions', bearer),
    stream: await ask('/v1/chat/completions', bearer, true),
    anthropic: await ask('/v1/messages', anthropic, true),
    tolerated: await ask('/messages', anthropic),
    refused: await ask('/v1/messages', { ...anthropic, 'x-api-key': 'sk-wrong' }),
    nowhere: await ask('/v1/nowhere', bearer),
    forbidden: await ask('/v1/messages', { ...anthropic, 'x-forwarded-for': '127.0.0.1' }),
  };
}

test("a page of another origin reads responses, streams, errors and headers with each SDK's headers", async () => {
  expect(await page.evaluate(asked, { origin: gateway.origin, key: gateway.apiKey })).toEqual({
    whole: '200 true true',
    stream: '200 true true',
    anthropic: '200 true true',
    tolerated: '200 true true',
    refused: '401 true true',
    nowhere: '404 true true',
    forbidden: 'TypeError: Failed to fetch',
  });
});
