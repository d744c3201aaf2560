import { afterAll, beforeAll, expect } from 'bun:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { testNeeding } from '../tools/test/needs.ts';
import { type Gateway, startGatewayWith } from './shared/gateway.ts';

/* The API reference and the guides in a real browser, below a path of a reverse proxy, in both themes. */

const CHROMIUM = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome');
const browserTest = testNeeding('chromium', CHROMIUM !== null);
const PREFIX = '/ai/gateway';

/** With what a document of the gateway has: credentials, all methods, schemas, a server. */
const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Switchyard', version: '1', description: 'One key for **many** models.' },
  servers: [{ url: '.' }],
  security: [{ bearer: [] }, { key: [] }],
  tags: [{ name: 'Chat' }, { name: 'Keys' }],
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      key: { type: 'apiKey', in: 'header', name: 'x-api-key' },
    },
    schemas: {
      Message: {
        type: 'object',
        required: ['role'],
        properties: {
          role: { type: 'string', enum: ['user'] },
          content: { type: 'string', description: 'What is said.' },
        },
      },
    },
  },
  paths: {
    '/v1/chat/completions': {
      post: {
        operationId: 'createChatCompletion',
        tags: ['Chat'],
        summary: 'Complete a chat',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { messages: { type: 'array', items: { $ref: '#/components/schemas/Message' } } },
              },
              example: { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] },
            },
          },
        },
        responses: { 200: { description: 'The answer.' }, 401: { description: 'Not a key.' } },
      },
    },
    '/v1/management/keys/{id}': Object.fromEntries(
      ['get', 'put', 'patch', 'delete'].map((method) => [
        method,
        {
          operationId: `${method}Key`,
          tags: ['Keys'],
          summary: `${method} a key`,
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: { 200: { description: 'The key.' } },
        },
      ]),
    ),
  },
};

let gateway: Gateway;
let proxy: ReturnType<typeof Bun.serve>;
let browser: Browser;

beforeAll(async () => {
  if (CHROMIUM === null) return;
  [gateway, browser] = await Promise.all([
    startGatewayWith([], { sandbox: true }),
    chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] }),
  ]);
  proxy = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: belowPrefix });
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await proxy?.stop(true);
  await gateway?.stop();
});

async function belowPrefix(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${PREFIX}/`)) return new Response('not the gateway', { status: 404 });
  const path = pathname.slice(PREFIX.length);
  if (path === '/openapi.json') return Response.json(DOCUMENT);
  return fetch(`${gateway.origin}${path}`, { headers: request.headers, redirect: 'manual', decompress: false });
}

interface Look {
  readonly page: Page;
  /** What the page has complained about, and what it asked of others than the gateway. */
  readonly problems: string[];
  close(): Promise<void>;
}

async function lookAt(path: string, colorScheme: 'light' | 'dark'): Promise<Look> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('response', (answer) => {
    if (answer.status() >= 400) problems.push(`${answer.status()} ${answer.url()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    const isOwn = url.startsWith(`${proxy.url.origin}${PREFIX}/`) || url.startsWith('data:');
    if (!isOwn) problems.push(`asked ${url}`);
  });
  await page.goto(`${proxy.url.origin}${PREFIX}${path}`);
  return { page, problems, close: () => context.close() };
}

const AXE = await Bun.file(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)).text();

/** What keeps people out, as axe finds it. */
async function barriers(page: Page): Promise<unknown> {
  await page.evaluate(AXE);
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html.slice(0, 200) + failureSummary)]))`);
}

for (const scheme of ['light', 'dark'] as const) {
  browserTest(
    `the reference shows the operations, asks no other host and takes no keys (${scheme})`,
    async () => {
      const { page, problems, close } = await lookAt('/docs', scheme);
      const operation = (name: string) => page.getByRole('heading', { name }).first().waitFor({ timeout: 20_000 });
      await operation('Complete a chat');
      await page.getByRole('link', { name: 'Keys' }).first().click();
      await operation('delete a key');
      expect(await page.locator('body').getAttribute('class')).toContain(`${scheme}-mode`);
      const inputs = page.locator('input:not([type=checkbox]):not([type=radio]), textarea, [contenteditable=true]');
      expect(await inputs.count()).toBe(0);
      expect(await page.getByText(/test request|open api client|ask ai/i).count()).toBe(0);
      expect(await barriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'Auth Required' }).first().click();
      await page.getByText('x-api-key').first().waitFor();
      expect(await inputs.count()).toBe(0);
      await page.keyboard.press('Escape');
      expect(problems).toEqual([]);
      await page.getByRole('link', { name: 'Guides' }).click();
      await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`${PREFIX}/docs/guides`);
      expect(problems).toEqual([]);
      await close();
    },
    60_000,
  );

  browserTest(
    `a guide shows the examples of the chosen language (${scheme})`,
    async () => {
      const { page, problems, close } = await lookAt('/docs/guides/first-request', scheme);
      const shown = () => page.locator('figcaption:visible').allTextContents();
      expect(new Set(await shown())).toEqual(new Set(['curl']));
      await page.getByRole('radio', { name: 'Python' }).check();
      expect(new Set(await shown())).toEqual(new Set(['Python']));
      expect(await barriers(page)).toEqual([]);
      await page.getByRole('link', { name: 'API reference' }).click();
      await page.getByRole('heading', { name: 'Complete a chat' }).first().waitFor({ timeout: 20_000 });
      expect(problems).toEqual([]);
      await close();
    },
    60_000,
  );
}
