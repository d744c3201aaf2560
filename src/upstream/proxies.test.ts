import { describe, expect, test } from 'bun:test';
import { Proxies, UnusableProxy } from './proxies.ts';

const PROXY = 'http://proxy.example:3128';

/** Returns the route of a request: the proxy's host and port, or `direct`. */
function wayOf(environment: Record<string, string>, url: string): string {
  const proxy = new Proxies(environment).of(new URL(url));
  return proxy === null ? 'direct' : `${proxy.hostname}:${proxy.port}`;
}

describe('the variables that name a proxy', () => {
  test.each<readonly [Record<string, string>, string, string]>([
    [{}, 'http://a.example/', 'direct'],
    [{ HTTP_PROXY: PROXY }, 'http://a.example/', 'proxy.example:3128'],
    [{ HTTP_PROXY: PROXY }, 'https://a.example/', 'direct'],
    [{ https_proxy: PROXY }, 'https://a.example/', 'proxy.example:3128'],
    [{ HTTPS_PROXY: PROXY }, 'http://a.example/', 'direct'],
    [{ ALL_PROXY: PROXY }, 'http://a.example/', 'proxy.example:3128'],
    [{ all_proxy: PROXY, HTTPS_PROXY: 'http://b:1' }, 'https://a.example/', 'b:1'],
    [{ HTTP_PROXY: PROXY, http_proxy: 'http://lower:1' }, 'http://a.example/', 'lower:1'],
    [{ HTTP_PROXY: PROXY, http_proxy: '' }, 'http://a.example/', 'proxy.example:3128'],
    [{ HTTP_PROXY: 'proxy.example:3128' }, 'http://a.example/', 'proxy.example:3128'],
    [{ HTTP_PROXY: 'http://proxy.example' }, 'http://a.example/', 'proxy.example:80'],
    [{ HTTP_PROXY: 'http://[::1]:9' }, 'http://a.example/', '::1:9'],
  ])('%p: %s', (environment, url, way) => {
    expect(wayOf(environment, url)).toBe(way);
  });

  test('other kinds of proxies are left to fetch', () => {
    const kinds = ['http://p:1', 'https://p:1', 'socks5://p:1'].map(
      (HTTP_PROXY) => new Proxies({ HTTP_PROXY }).areMixed,
    );
    expect(kinds).toEqual([false, true, true]);
  });

  test('an invalid URL is refused by the name of its variable, without its password', () => {
    expect(() => new Proxies({ HTTPS_PROXY: 'http://user:hush@not a host' })).toThrow(UnusableProxy);
    expect(() => new Proxies({ https_proxy: 'http://user:%zz@a' })).toThrow(/^https_proxy: is not the address/);
  });

  test('credentials are decoded and sent as Basic', () => {
    const { authorization } = new Proxies({ HTTP_PROXY: 'http://u%40x:p:w@a' }).of(new URL('http://b/')) ?? {};
    expect(authorization).toBe(`Basic ${btoa('u@x:p:w')}`);
    expect(new Proxies({ HTTP_PROXY: 'http://a' }).of(new URL('http://b/'))?.authorization).toBeNull();
  });
});

// Each of them was verified with Bun's own `fetch`.
describe('NO_PROXY', () => {
  test.each<readonly [string, string, boolean]>([
    ['*', 'http://a.example/', true],
    ['x *', 'http://a.example/', true],
    ['a.example', 'http://a.example/', true],
    ['a.example', 'http://a.example./', true],
    ['A.Example', 'http://a.EXAMPLE/', true],
    ['example', 'http://a.example/', true],
    ['.example', 'http://a.example/', true],
    ['*.example', 'http://a.example/', true],
    ['.a.example', 'http://a.example/', true],
    ['ample', 'http://a.example/', false],
    ['*ample', 'http://a.example/', false],
    ['b, a.example ,c', 'http://a.example/', true],
    ['b a.example', 'http://a.example/', true],
    ['a.example:80', 'http://a.example/', true],
    ['a.example:8080', 'http://a.example:8080/', true],
    ['a.example:8080', 'http://a.example/', false],
    ['127.0.0.1', 'http://127.0.0.1:9/', true],
    ['127.0.0.1:9', 'http://127.0.0.1:9/', true],
    ['127.0.0.1:8', 'http://127.0.0.1:9/', false],
    ['0.0.1', 'http://127.0.0.1/', false],
    ['.0.0.1', 'http://127.0.0.1/', false],
    ['127.0.0.0/8', 'http://127.9.9.9/', true],
    ['127.0.0.1/8', 'http://127.9.9.9/', true],
    ['128.0.0.0/8', 'http://127.0.0.1/', false],
    ['127.0.0.0/8', 'http://a.example/', false],
    ['::1', 'http://[::1]:9/', true],
    ['[::1]', 'http://[::1]:9/', true],
    ['[::1]:9', 'http://[::1]:9/', true],
    ['[::1]:8', 'http://[::1]:9/', false],
    ['0:0::1', 'http://[::1]/', true],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['', 'http://a.example/', false],
    [',. ,', 'http://a.example/', false],
  ])('%p and %s', (excluded, url, isDirect) => {
    expect(wayOf({ HTTP_PROXY: PROXY, NO_PROXY: excluded }, url)).toBe(isDirect ? 'direct' : 'proxy.example:3128');
  });

  test('the lower-case variable takes precedence', () => {
    const environment = { HTTP_PROXY: PROXY, NO_PROXY: '*', no_proxy: 'b' };
    expect(wayOf(environment, 'http://a.example/')).toBe('proxy.example:3128');
  });
});
