import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { type Gateway, startGatewayWith } from '../../conformance/shared/gateway.ts';
import { sharedChromium } from '../shared/chromium.ts';
import { barriers } from './axe.ts';
import { PATIENCE_MS } from './rest.ts';

/* The API reference and the guides in a real browser, behind a reverse proxy's path, in both themes. */

const PREFIX = '/ai/gateway';

let gateway: Gateway;
let proxy: ReturnType<typeof Bun.serve>;
let browser: Browser;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([startGatewayWith([], { sandbox: true }), sharedChromium()]);
  proxy = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: belowPrefix });
});

afterAll(async () => {
  await proxy?.stop(true);
  await gateway?.stop();
});

async function belowPrefix(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${PREFIX}/`)) return new Response('not the gateway', { status: 404 });
  const path = pathname.slice(PREFIX.length);
  return fetch(`${gateway.origin}${path}`, { headers: request.headers, redirect: 'manual', decompress: false });
}

interface Look {
  readonly page: Page;
  /** Errors in the page, and requests to hosts other than the gateway. */
  readonly problems: string[];
  close(): Promise<void>;
}

async function lookAt(path: string): Promise<Look> {
  const context = await browser.newContext({ colorScheme: 'dark', viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
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

async function expectNoBarriers(page: Page, theme: 'light' | 'dark'): Promise<void> {
  expect({ theme, found: await barriers(page, theme) }).toEqual({ theme, found: [] });
}

test('the reference shows the operations in both themes, contacts no other host and takes no keys', async () => {
  const { page, problems, close } = await lookAt('/docs');
  const operation = (name: string) => page.getByRole('heading', { name }).first().waitFor();
  await operation('Create a chat completion');
  const address = `${proxy.url.origin}${PREFIX}/v1/chat/completions`;
  await page.getByText(`curl ${address}`).first().waitFor();
  await page.getByRole('link', { name: 'Management: Keys' }).first().click();
  await operation('Create an API key');
  const inputs = page.locator('input:not([type=checkbox]):not([type=radio]), textarea, [contenteditable=true]');
  expect(await inputs.count()).toBe(0);
  expect(await page.getByText(/test request|open api client|ask ai/i).count()).toBe(0);
  // Loading the page takes most of the time, so it is loaded in the dark theme and then follows the system.
  await page.locator('body.dark-mode').waitFor();
  await expectNoBarriers(page, 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('body.light-mode').waitFor();
  await expectNoBarriers(page, 'light');
  await page.getByRole('button', { name: 'Auth Required' }).first().click();
  expect(await inputs.count()).toBe(0);
  await page.keyboard.press('Escape');
  expect(problems).toEqual([]);
  await page.getByRole('link', { name: 'Guides' }).click();
  await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`${PREFIX}/docs/guides`);
  expect(problems).toEqual([]);
  await close();
});

test('a guide shows the examples of the chosen language, in both themes', async () => {
  const { page, problems, close } = await lookAt('/docs/guides/first-request');
  const shown = () => page.locator('figcaption:visible').allTextContents();
  expect(new Set(await shown())).toEqual(new Set(['curl']));
  await page.getByRole('radio', { name: 'Python' }).check();
  expect(new Set(await shown())).toEqual(new Set(['Python']));
  await expectNoBarriers(page, 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await expectNoBarriers(page, 'light');
  expect(problems).toEqual([]);
  await close();
});
