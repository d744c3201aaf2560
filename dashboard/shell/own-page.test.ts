import { expect, test } from 'bun:test';
import { ownPage } from './own-page.ts';

test("an address of this application's pages is split into path and query", () => {
  expect(ownPage('/app/a/default/keys?state=revoked&q=a%26b')).toEqual({
    path: '/app/a/default/keys',
    search: '?state=revoked&q=a%26b',
  });
  expect(ownPage('/app/me#evil')).toEqual({ path: '/app/me', search: '' });
});

test.each([
  '',
  '/',
  '//evil.example/app/',
  '/\\evil.example/app/',
  '\\\\evil.example/app/',
  '/\t/evil.example/app/',
  ' //evil.example/app/',
  'https:evil.example/app/',
  'https://evil.example/app/',
  'http://evil.example/app/',
  'http:\\\\evil.example/app/',
  'http://gateway.invalid@evil.example/app/',
  'javascript:alert(1)//app/',
  'data:text/html,/app/',
  '/app/..//evil.example/app/',
  '/app/%2e%2e//evil.example/app/',
  '/app\\..\\..\\evil',
  '/application/',
  '/v1/management/me',
  '/app/sign-in?next=/app/me',
  'http://[',
])('%j leads to the start page instead', (address) => {
  expect(ownPage(address)).toBeNull();
});
