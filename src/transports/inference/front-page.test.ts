import { describe, expect, test } from 'bun:test';
import { parseAddressRange } from '../../domain/access/network-address.ts';
import { ClientAddresses } from './client-address.ts';
import { acceptsHtml, frontPage } from './front-page.ts';
import { publicBasePath } from './public-origin.ts';

const proxies = parseAddressRange('10.0.0.0/8');
const addresses = new ClientAddresses(proxies.ok ? [proxies.range] : []);
const page = frontPage({ newRequestId: () => 'req_1', publicUrl: null, addresses });

function ask(headers: Record<string, string>, peer = '203.0.113.7', method = 'GET') {
  const connections = { timeout: () => undefined, upgrade: () => false, requestIP: () => ({ address: peer }) };
  return page(new Request('http://ignored/', { method, headers }), connections) as Response;
}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test('a browser accepts HTML', () => {
  const accepts = (accept: string) => acceptsHtml({ headers: new Headers({ accept }) });
  expect([BROWSER, 'text/html', 'application/json', 'text/html;q=0, */*', 'text/html;q=0.0'].map(accepts)).toEqual([
    ...[true, true, false, false, false],
  ]);
});

test('it is JSON with the base URLs of the requested address', async () => {
  const answer = ask({ host: '[::1]:8787' });
  expect(await answer.json()).toMatchObject({ name: 'Switchyard', base_urls: { openai: 'http://[::1]:8787/v1' } });
});

test.each([
  ['10.1.2.3', 'https://ai.example.com/llm'],
  ['203.0.113.7', 'http://gateway'],
])('what a proxy says is believed of %s: %s', async (peer, origin) => {
  const forwarded = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'ai.example.com, inner',
    'x-forwarded-prefix': '/llm/',
  };
  expect(await ask({ host: 'gateway', ...forwarded }, peer).json()).toMatchObject({ base_urls: { anthropic: origin } });
});

test('an invalid host is not repeated', async () => {
  for (const host of ['"><script>alert(1)</script>', 'a b', '']) {
    const answer = ask({ host: 'gateway', 'x-forwarded-host': host }, '10.0.0.1');
    expect(await answer.json()).toMatchObject({ base_urls: { anthropic: 'http://gateway' } });
  }
});

test('HEAD has no body, and nothing else is allowed', async () => {
  const head = ask({ host: 'a' }, '203.0.113.7', 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(ask({ host: 'a' }, '203.0.113.7', 'POST').status).toBe(405);
});

describe('the path prefix of the gateway', () => {
  const basePath = (prefix: string, peer = '10.0.0.1', publicUrl: string | null = null) => {
    const request = new Request('http://ignored/', { headers: { 'x-forwarded-prefix': prefix } });
    const connections = { timeout: () => undefined, upgrade: () => false, requestIP: () => ({ address: peer }) };
    return publicBasePath(request, connections, { publicUrl, addresses });
  };

  test('is that of the configured address, else that of a trusted proxy', () => {
    expect(basePath('/other', '10.0.0.1', 'https://ai.example.com/a/b')).toBe('/a/b');
    expect(basePath('/other', '10.0.0.1', 'https://ai.example.com')).toBe('');
    expect([basePath('/ai'), basePath('/a.b/c/'), basePath('/ai, /inner')]).toEqual(['/ai', '/a.b/c', '/ai']);
    expect(basePath('/ai', '203.0.113.7')).toBe('');
  });

  test.each([
    '',
    '/',
    '//evil.example',
    '/a//b',
    '/..',
    '/a/../b',
    '/a/.',
    'https://evil.example',
    '/"><script>',
    '/%2f',
  ])('what is no path is none: %s', (prefix) => expect(basePath(prefix)).toBe(''));
});
