import { describe, expect, test } from 'bun:test';
import { readLogo } from '../../domain/branding/logo.ts';
import type { Branding } from '../../engine/admin/settings/live-branding.ts';
import { DEFAULT_BRANDING } from '../../engine/settings/settings.ts';
import type { Bundle } from '../shared/bundle.ts';
import { packed } from '../shared/packed.ts';
import type { BundleProblem } from './bundle-source.ts';
import { Dashboard } from './dashboard.ts';

const asset = (content: string) => ({ contentType: 'text/javascript; charset=utf-8', content: packed(content) });

function bundleOf(version: string): Bundle {
  const names = { theme: `theme-${version}.js`, style: `style-${version}.css`, script: `main-${version}.js` };
  const imports = [`react-${version}.js`];
  return {
    first: { ...names, imports, icon: 'icon-1.svg' },
    assets: new Map([...Object.values(names), ...imports].map((name) => [name, asset(`${name} ${version}`)])),
  };
}

const PLAIN: Branding = { ...DEFAULT_BRANDING, version: null };

function dashboardOver(
  current: () => Bundle | BundleProblem,
  mediaOrigin: string | null = null,
  shows = false,
  branding: () => Branding = () => PLAIN,
) {
  return new Dashboard({
    ...{ source: { current: async () => current() }, mediaOrigin, showsProblems: shows },
    branding: { current: async () => branding() },
  });
}

const bundle = bundleOf('1');
const dashboard = dashboardOver(() => bundle);
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', of = dashboard, base = '') =>
  of.answer(new Request(`http://gateway${path}`, { method, headers }), base);

describe('the page', () => {
  test('loads only scripts, styles and files of the gateway, and has no inline code', async () => {
    const answer = await ask('/');
    const html = await answer.text();
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toStartWith("default-src 'none'; script-src 'self'; style-src 'self'; ");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]* src=)/);
    expect(html).not.toMatch(/(?:src|href)="(?:\/|https?:)/);
    expect(html).toContain('<link rel="modulepreload" href="app/assets/react-1.js">');
    expect(html.indexOf('theme-1.js')).toBeLessThan(html.indexOf('style-1.css'));
  });

  test('may show files of an object storage that links lead to', async () => {
    const answer = await ask(
      '/',
      {},
      'GET',
      dashboardOver(() => bundle, 'https://s3.example.com'),
    );
    const policy = answer.headers.get('content-security-policy') ?? '';
    for (const kind of ['img-src', 'media-src', 'connect-src'])
      expect(policy).toMatch(new RegExp(`${kind} [^;]* https://s3\\.example\\.com(?:;|$)`));
    expect(policy).toContain("script-src 'self';");
  });

  test.each([
    ['/', './'],
    ['/app', './'],
    ['/app/', '../'],
    ['/app/a/x/keys?next=/a/b', '../../../'],
  ])('%s is as many folders below the gateway as its address has: %s', async (path, base) => {
    expect(await (await ask(path)).text()).toContain(`<base href="${base}">`);
  });

  test('is below the prefix of a proxy, if known', async () => {
    const html = await (await ask('/app/a/x/keys', {}, 'GET', dashboard, '/ai/"gate"')).text();
    expect(html).toContain('<base href="/ai/&quot;gate&quot;/">');
  });

  test('is revalidated each time, and not sent again if unchanged', async () => {
    const answer = await ask('/');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    const again = await ask('/', { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await ask('/app/keys', { 'if-none-match': answer.headers.get('etag') ?? '' })).status).toBe(200);
    const head = await ask('/', {}, 'HEAD');
    expect([head.headers.get('content-length'), await head.text()]).toEqual([answer.headers.get('content-length'), '']);
  });
});

describe('its files', () => {
  test('are cached for good, and other names are not found', async () => {
    const answer = await ask('/app/assets/main-1.js', { 'accept-encoding': 'gzip' });
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    for (const name of ['main-2.js', '', 'x/main-1.js', '..%2fmain-1.js', 'constructor']) {
      const missing = await ask(`/app/assets/${name}`);
      expect([missing.status, missing.headers.get('cache-control')]).toEqual([404, 'no-store']);
    }
  });

  test('are still there for a page that was loaded before the last change', async () => {
    let current = bundleOf('1');
    const changing = dashboardOver(() => current);
    await ask('/', {}, 'GET', changing);
    current = bundleOf('2');
    expect(await (await ask('/', {}, 'GET', changing)).text()).toContain('main-2.js');
    const statuses = ['1', '2', '3'].map(
      async (version) => (await ask(`/app/assets/main-${version}.js`, {}, 'GET', changing)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 404]);
  });
});

test('a failed build is reported, with the reason only during development', async () => {
  const problem = () => ({ problem: 'dashboard/main.tsx:1:1 <b>wrong</b>' });
  const answer = await ask('/', {}, 'GET', dashboardOver(problem));
  const html = await answer.text();
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual([
    ...[503, '5', 'no-store'],
  ]);
  expect(html).toContain('The dashboard could not be built');
  expect(html).not.toContain('main.tsx');
  const shown = await (await ask('/', {}, 'GET', dashboardOver(problem, null, true))).text();
  expect(shown).toContain('main.tsx:1:1 &lt;b&gt;wrong');
  expect((await ask('/app/assets/main-1.js', {}, 'GET', dashboardOver(problem))).status).toBe(404);
});

describe('the branding', () => {
  const png = Bun.file(new URL('../../domain/media/testing/images/red.png', import.meta.url));
  const branded = async (version: string, accentColor: string | null = '#c2335f'): Promise<Branding> => {
    const read = readLogo(`data:image/png;base64,${Buffer.from(await png.bytes()).toString('base64')}`);
    if (!read.ok) throw new Error(read.problem);
    return { name: 'Acme "AI" & Söhne', logo: read.logo, accentColor, supportUrl: 'mailto:help@acme.example', version };
  };

  test('is in the page, escaped, and its files are kept by browsers under the address with its version', async () => {
    const branding = await branded('v1');
    const of = dashboardOver(
      () => bundle,
      null,
      false,
      () => branding,
    );
    const html = await (await ask('/', {}, 'GET', of)).text();
    expect(html).toContain('<title>Acme &quot;AI&quot; &amp; Söhne</title>');
    expect(html).toContain('<link rel="icon" type="image/png" href="app/branding/v1/logo">');
    expect(html).toContain('<link rel="stylesheet" href="app/branding/v1/accent.css" data-branding>');
    expect(html.indexOf('style-1.css')).toBeLessThan(html.lastIndexOf('accent.css'));
    expect(html).not.toMatch(/(?:src|href)="(?:\/|https?:)/);
    const logo = await ask('/app/branding/v1/logo', {}, 'GET', of);
    expect(await logo.bytes()).toEqual(await png.bytes());
    expect(Object.fromEntries(logo.headers)).toMatchObject({
      ...{ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' },
      ...{ 'cache-control': 'public, max-age=31536000, immutable', 'cross-origin-resource-policy': 'same-origin' },
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    });
    const style = await (await ask('/app/branding/v1/accent.css', {}, 'GET', of)).text();
    expect(style).toStartWith('@media screen{:root{--accent:#');
    expect(style).toContain(':root[data-theme="dark"]{--accent:#');
  });

  test('changes with the next request, and an older address gets the current file, which is not kept', async () => {
    let branding = await branded('v1');
    const of = dashboardOver(
      () => bundle,
      null,
      false,
      () => branding,
    );
    await ask('/', {}, 'GET', of);
    await ask('/app/branding/v1/accent.css', {}, 'GET', of);
    branding = await branded('v2', '#0f8a73');
    expect(await (await ask('/', {}, 'GET', of)).text()).toContain('app/branding/v2/');
    const old = await ask('/app/branding/v1/accent.css', {}, 'GET', of);
    expect([await old.text(), old.headers.get('cache-control')]).toEqual([
      await (await ask('/app/branding/v2/accent.css', {}, 'GET', of)).text(),
      'no-store',
    ]);
  });

  test('has no files if nothing was set, and no others', async () => {
    for (const path of ['null/logo', 'null/accent.css', 'v1/logo.svg', '', 'v1/../logo'])
      expect((await ask(`/app/branding/${path}`)).status).toBe(404);
    expect(await (await ask('/')).text()).not.toContain('data-branding');
  });
});
