import { expect, test } from 'bun:test';
import { nextUrl } from './next-url.ts';

test.each([
  ['https://api.replicate.com/v1', '/predictions/a?x=1', 'https://api.replicate.com/v1/predictions/a?x=1'],
  ['https://api.bfl.ai/v1', 'https://api.eu1.bfl.ai/v1/get_result?id=a', 'https://api.eu1.bfl.ai/v1/get_result?id=a'],
  ['https://queue.fal.run', 'https://queue.fal.run/fal-ai/x/requests/a', 'https://queue.fal.run/fal-ai/x/requests/a'],
  ['http://127.0.0.1:9/v1', 'https://api.bfl.ai/v1/get_result?id=a', 'http://127.0.0.1:9/v1/get_result?id=a'],
])('at %s the next address for %s is %s', (base, said, url) => {
  expect(nextUrl(base, said)).toBe(url);
});

test.each([
  'https://evil.example/v1/get?id=a',
  'https://api.bfl.ai.evil.example/v1/get?id=a',
  'https://evilbfl.ai/v1/get?id=a',
  'http://api.eu1.bfl.ai/v1/get?id=a',
  'https://api.eu1.bfl.ai:444/v1/get?id=a',
  'https://user:password@evil.example/v1/get?id=a',
  '//evil.example/v1/get?id=a',
  'https:\\\\evil.example/v1/get?id=a',
])('%s is polled at the address of the channel', (said) => {
  expect(nextUrl('https://api.bfl.ai/v1', said)).toBe('https://api.bfl.ai/v1/get?id=a');
});

test('an invalid or non-http URL is replaced by the address of the channel', () => {
  for (const said of ['', 'file:///etc/passwd', 'javascript:alert(1)', 'https://[', '\u0000']) {
    expect(new URL(nextUrl('https://api.bfl.ai/v1', said)).origin).toBe('https://api.bfl.ai');
  }
});

test('IP addresses never share a domain', () => {
  expect(nextUrl('https://10.0.0.1/v1', 'https://10.9.0.1/a')).toBe('https://10.0.0.1/a');
});
