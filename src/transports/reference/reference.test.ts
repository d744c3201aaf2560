import { describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { DEFAULT_BRANDING } from '../../engine/settings/settings.ts';
import { packed } from '../shared/packed.ts';
import { Reference } from './reference.ts';
import { ReferenceScript } from './script.ts';

const SCRIPT = 'console.log("the reference")';
const GUIDES = [
  {
    name: 'one',
    markdown:
      '# The first <guide>\n\nIt is *short*: see [two](two.md#part).\n\n<!-- expect: x -->\n```sh\necho "$A"\n```\n',
  },
  { name: 'two', markdown: '# The second\n\nNo code.\n\n## Part\n\n| a |\n|---|\n| b |\n' },
];
const branding = { ...DEFAULT_BRANDING, version: null };
let name = 'Switchyard';
const reference = new Reference(
  GUIDES,
  { get: async () => packed(SCRIPT) },
  { current: async () => ({ ...branding, name }) },
);

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  reference.answer(new Request(`http://gateway${path}`, { method, headers }));

describe('the pages', () => {
  test('the reference names its script by content hash, with URLs that work under any path prefix', async () => {
    const answer = await ask('/docs');
    const html = await answer.text();
    const [, script = ''] = /<script src="(docs\/scalar-[\da-f]{16}\.js)">/.exec(html) ?? [];
    expect(html).not.toMatch(/(?:src|href)="(?:\/|https?:)/);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[\w+/=]{44}'; /,
    );
    const answered = await ask(`/${script}`);
    expect([answered.status, await answered.text()]).toEqual([200, SCRIPT]);
    expect(answered.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await ask('/docs/scalar-0123456789abcdef.js')).status).toBe(404);
  });

  test('a guide is a page without scripts, whose comments are left out and whose links lead to guides', async () => {
    const answer = await ask('/docs/guides/one');
    const html = await answer.text();
    expect(html).toContain('<title>The first &lt;guide&gt; · Switchyard</title>');
    expect(html).toContain('<a href="two#part">two</a>');
    expect(html).toContain('<figure class="curl"><figcaption>curl</figcaption>');
    expect(html).not.toMatch(/<script|expect:|https?:\/\/|<guide>/);
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64');
    expect(answer.headers.get('content-security-policy')).toStartWith(
      `default-src 'none'; style-src 'sha256-${hash}';`,
    );
    const other = await (await ask('/docs/guides/two')).text();
    expect([other.includes('<fieldset>'), other.includes('<h2 id="part">')]).toEqual([false, true]);
    const list = await (await ask('/docs/guides')).text();
    expect(list).toContain('<h2><a href="guides/one">The first &lt;guide&gt;</a></h2>');
  });

  test('a new name of the service is in all pages at once', async () => {
    const titles = async () =>
      await Promise.all(
        ['/docs', '/docs/guides', '/docs/guides/one', '/docs/missing'].map(async (path) => (await ask(path)).text()),
      );
    for (const html of await titles()) expect(html).toContain(' · Switchyard</title>');
    name = '<Acme>';
    for (const html of await titles()) {
      expect(html).toContain(' · &lt;Acme&gt;</title>');
      expect(html).toContain('>&lt;Acme&gt;</a>');
      expect(html).not.toContain('Switchyard');
    }
    name = 'Switchyard';
  });

  test('an unknown address gets a page, or one sentence if it is too deep for a page', async () => {
    const shallow = await ask('/docs/a/b', { 'accept-encoding': 'br' });
    expect([shallow.status, shallow.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const deep = await ask(`/docs${'/a'.repeat(50)}`, { 'accept-encoding': 'br' });
    expect([deep.status, deep.headers.get('content-encoding'), await deep.text()]).toEqual([
      404,
      null,
      'Page not found.\n',
    ]);
  });

  test.each([
    ['/docs/', '../docs'],
    ['/docs/guides/', '../guides'],
    ['/docs/guides/one/', '../one'],
  ])('%s leads to %s', async (path, location) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, location]);
  });

  test.each(['/docs/nothing', '/docs/guides/three', '/docs/guides/one/more', '/docs/guides/..%2f', '/docs/%00/'])(
    'at %s there is a page that says so',
    async (path) => {
      const answer = await ask(path);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
      expect(await answer.text()).toContain('Page not found');
    },
  );
});

describe('the encodings', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['br;q=0.0, GZIP', 'gzip'],
    ['identity', null],
    ['', null],
  ])('for Accept-Encoding: %s it is %p', async (accepted, encoding) => {
    const answer = await ask('/docs/guides', { 'accept-encoding': accepted });
    expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([encoding, 'accept-encoding']);
    const bytes = await answer.bytes();
    expect(answer.headers.get('content-length')).toBe(String(bytes.byteLength));
    const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((same: Uint8Array) => same);
    expect(new TextDecoder().decode(unpack(bytes))).toStartWith('<!doctype html>');
  });

  test('a cached page is not sent again, for each encoding', async () => {
    const first = await ask('/docs', { 'accept-encoding': 'br' });
    const etag = first.headers.get('etag') ?? '';
    expect((await ask('/docs', { 'accept-encoding': 'br', 'if-none-match': `"x", W/${etag}` })).status).toBe(304);
    expect((await ask('/docs', { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200);
    expect((await ask('/docs/nothing', { 'if-none-match': '*' })).status).toBe(404);
    const head = await ask('/docs', { 'accept-encoding': 'br' }, 'HEAD');
    expect([head.headers.get('content-length'), await head.text()]).toEqual([first.headers.get('content-length'), '']);
  });
});

describe("Scalar's script", () => {
  test('is read from its package once for all requests', async () => {
    const script = new ReferenceScript();
    const [one, other] = await Promise.all([script.get(), script.get()]);
    expect(other).toBe(one);
    const text = brotliDecompressSync(one.brotli).toString();
    expect(text).toContain('createApiReference');
    expect(packed(text).hash).toBe(one.hash);
    expect(one.brotli.byteLength).toBeLessThan(1_500_000);
  });

  test('is retried if its thread failed', async () => {
    const missing = new ReferenceScript(new URL('./no-such.worker.ts', import.meta.url));
    expect(missing.get()).rejects.toThrow();
    expect(missing.get()).rejects.toThrow();
  });
});
