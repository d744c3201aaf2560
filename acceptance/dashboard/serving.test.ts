import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { rawRequest } from '../../conformance/shared/answer.ts';
import { type Gateway, startGatewayWith } from '../../conformance/shared/gateway.ts';
import { sharedChromium } from '../shared/chromium.ts';
import { TEST_BUNDLES } from '../shared/dashboard-bundle.ts';
import { Rest } from './rest.ts';

/* The dashboard at the gateway's own address, and below a prefix that a reverse proxy strips. */

const PREFIX = '/ai/gateway';

let gateway: Gateway;
let proxy: ReturnType<typeof Bun.serve>;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGatewayWith([], { sandbox: true }, { SWITCHYARD_DASHBOARD_BUNDLES: TEST_BUNDLES });
  proxy = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: belowPrefix });
  browser = await sharedChromium();
});

afterAll(async () => {
  await proxy?.stop(true);
  await gateway?.stop();
});

/** Proxies without forwarding the prefix, which is not configured either. */
async function belowPrefix(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (!pathname.startsWith(`${PREFIX}/`)) return new Response('not the gateway', { status: 404 });
  const { method, headers, body } = request;
  const address = `${gateway.origin}${pathname.slice(PREFIX.length)}${search}`;
  return fetch(address, { method, headers, body, redirect: 'manual', decompress: false });
}

const page = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.origin}${path}`, { headers: { accept: 'text/html', ...headers } });

for (const [where, root] of [
  ['at its own address', () => `${gateway.origin}/`],
  ['below a prefix', () => `${proxy.url.origin}${PREFIX}/`],
] as const) {
  test(`${where} each page loads without an error, a policy violation, or a request to another host`, async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const rest = new Rest(tab);
    const problems: string[] = [];
    tab.on('pageerror', (error) => problems.push(String(error)));
    tab.on('console', (message) => {
      // Chromium logs the 401 that a visitor without a session gets.
      const isRefusal = message.text().includes('401');
      if (message.type() === 'error' && !isRefusal) problems.push(message.text());
    });
    tab.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(root()) && !/^(?:data|blob):/.test(url)) problems.push(`asked ${url}`);
    });
    tab.on('response', (answer) => {
      if (answer.status() === 404 || answer.status() >= 500) problems.push(`${answer.status()} ${answer.url()}`);
    });
    for (const [path, colorScheme] of [
      ['', 'light'],
      ['app/sign-in', 'dark'],
      ['app/a/somebody/keys', 'light'],
    ] as const) {
      await tab.emulateMedia({ colorScheme });
      await tab.goto(root() + path);
      await tab.locator('#root > *').first().waitFor();
      await rest.reached();
      expect(await tab.locator('html').getAttribute('data-theme')).toBe(colorScheme);
      expect(await tab.evaluate('document.baseURI')).toBe(root());
      expect({ path, problems }).toEqual({ path, problems: [] });
    }
    await context.close();
  });
}

describe('a page', () => {
  test('names its assets by content hash, and browsers cache them for good', async () => {
    const answer = await page('/');
    const names = [...(await answer.text()).matchAll(/(?:src|href)="(app\/assets\/[^"]+)"/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThanOrEqual(4);
    for (const name of names) {
      const file = await page(`/${name}`, { 'accept-encoding': 'br' });
      expect([file.status, file.headers.get('content-encoding')]).toEqual([200, 'br']);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      await file.arrayBuffer();
    }
  });

  test('is JSON at / for clients that are not browsers', async () => {
    const answer = await fetch(gateway.origin);
    expect(await answer.json()).toMatchObject({ name: 'Switchyard' });
    expect(answer.headers.get('vary')).toContain('accept');
  });

  test('allows reading only', async () => {
    for (const path of ['/', '/app', '/app/a/x/keys', '/app/assets/x.js']) {
      const posted = await fetch(gateway.origin + path, { method: 'POST', headers: { accept: 'text/html' } });
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      const head = await fetch(gateway.origin + path, { method: 'HEAD', headers: { accept: 'text/html' } });
      expect([head.status, (await head.text()).length]).toEqual([path.endsWith('.js') ? 404 : 200, 0]);
    }
  });

  test.each([
    '/app/assets/../../package.json',
    '/app/assets/..%2f..%2fpackage.json',
    '/app/assets/%2e%2e/%2e%2e/package.json',
    '/app/..%2f..%2fpackage.json',
    '/app/../dashboard/build/main.ts',
    '/app/assets/..\\..\\package.json',
    '/app/assets/__proto__',
    '/app/assets/main.tsx',
    '/app/assets/%00',
    '/app/assets/',
  ])('gives no other file away: %s', async (path) => {
    const { port } = new URL(gateway.origin);
    const raw = `GET ${path} HTTP/1.1\r\nhost: gateway\r\naccept: text/html\r\n\r\n`;
    const { status, body } = await rawRequest(Number(port), raw);
    expect([200, 308, 400, 404]).toContain(status);
    expect(body).not.toMatch(/"dependencies"|brotliLevel|KitProvider/);
  });
});
