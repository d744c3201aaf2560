import { expect, test } from 'bun:test';
import { MetricsAccess } from './metrics-access.ts';

const asked = (headers: Record<string, string> = {}) =>
  new Request('http://gateway/metrics', { headers: { host: 'localhost:8787', ...headers } });

test.each([
  ['127.0.0.1', {}, true],
  ['::1', {}, true],
  ['::ffff:127.0.0.1', {}, true],
  ['10.0.0.1', {}, false],
  [null, {}, false],
  ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, false],
  ['127.0.0.1', { forwarded: 'for=1.2.3.4' }, false],
  ['10.0.0.1', { authorization: 'Bearer anything' }, false],
  ['127.0.0.1', { host: '127.0.0.1' }, true],
  ['::1', { host: '[::1]:8787' }, true],
  ['127.0.0.1', { host: 'LOCALHOST' }, true],
  ['127.0.0.1', { host: 'rebound.example:8787' }, false],
  ['127.0.0.1', { host: 'localhost.example' }, false],
  ['127.0.0.1', { host: '127.0.0.1.example' }, false],
  ['127.0.0.1', { host: '' }, false],
  ['127.0.0.1', { origin: 'http://localhost:8787' }, false],
  ['127.0.0.1', { 'sec-fetch-site': 'none' }, false],
  ['127.0.0.1', { 'sec-fetch-mode': 'navigate' }, false],
  ['127.0.0.1', { 'x-forwarded-host': 'ai.example.com' }, false],
])('without a token, from %p with %p: %p', (address, headers, expected) => {
  expect(new MetricsAccess(null).admits(asked(headers as Record<string, string>), address)).toBe(expected);
});

test.each([
  [{ authorization: 'Bearer the-token' }, true],
  [{ authorization: 'bearer the-token' }, true],
  [{ authorization: 'Bearer the-toke' }, false],
  [{ authorization: 'the-token' }, false],
  [{}, false],
])('with a token, %p: %p', (headers, expected) => {
  const access = new MetricsAccess('the-token');
  for (const address of ['127.0.0.1', '10.0.0.1'])
    expect(access.admits(asked(headers as Record<string, string>), address)).toBe(expected);
});
