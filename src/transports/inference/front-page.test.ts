import { expect, test } from 'bun:test';
import { parseAddressRange } from '../../domain/access/network-address.ts';
import { ClientAddresses } from './client-address.ts';
import { frontPage } from './front-page.ts';

const proxies = parseAddressRange('10.0.0.0/8');
const addresses = new ClientAddresses(proxies.ok ? [proxies.range] : []);
const page = frontPage({ newRequestId: () => 'req_1', publicUrl: null, addresses });

function ask(headers: Record<string, string>, peer = '203.0.113.7', method = 'GET') {
  const connections = { timeout: () => undefined, upgrade: () => false, requestIP: () => ({ address: peer }) };
  return page(new Request('http://ignored/', { method, headers }), connections) as Response;
}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test('a browser gets a page with the base URLs of its own address, that runs and fetches nothing', async () => {
  const answer = ask({ host: 'gateway.local:8787', accept: BROWSER });
  const text = await answer.text();
  expect(answer.headers.get('content-type')).toStartWith('text/html');
  expect(text).toContain('<code>http://gateway.local:8787/v1</code>');
  expect(text).not.toMatch(/<script|<link|<img|src=|url\(/);
  expect(text.match(/href="[^"]*"/g)).toEqual(['href="docs"', 'href="docs/guides"']);
  const policy = answer.headers.get('content-security-policy') ?? '';
  const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
  expect(policy).toStartWith("default-src 'none';");
  expect(policy).toContain(new Bun.CryptoHasher('sha256').update(style).digest('base64'));
});

test.each([undefined, '*/*', 'application/json', 'text/html;q=0, */*'])('for Accept: %p it is JSON', async (accept) => {
  const answer = ask({ host: '[::1]:8787', ...(accept === undefined ? {} : { accept }) });
  expect(await answer.json()).toMatchObject({ name: 'Switchyard', base_urls: { openai: 'http://[::1]:8787/v1' } });
});

test.each([
  ['10.1.2.3', 'https://ai.example.com'],
  ['203.0.113.7', 'http://gateway'],
])('what a proxy says is believed of %s: %s', async (peer, origin) => {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'ai.example.com, inner' };
  expect(await ask({ host: 'gateway', ...forwarded }, peer).json()).toMatchObject({ base_urls: { anthropic: origin } });
});

test('a host that is none is not repeated', async () => {
  for (const host of ['"><script>alert(1)</script>', 'a b', '']) {
    const text = await ask({ host: 'gateway', 'x-forwarded-host': host, accept: BROWSER }, '10.0.0.1').text();
    expect(text).toContain('<code>http://gateway</code>');
    expect(text).not.toContain('<script');
  }
});

test('HEAD has no body, and nothing else is allowed', async () => {
  const head = ask({ host: 'a', accept: BROWSER }, '203.0.113.7', 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(ask({ host: 'a' }, '203.0.113.7', 'POST').status).toBe(405);
});
