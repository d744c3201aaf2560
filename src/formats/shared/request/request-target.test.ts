import { expect, test } from 'bun:test';
import { requestTarget } from './request-target.ts';

test.each([
  ['http://host/v1/models?key=a%20b#x', '/v1/models', 'a b'],
  ['http://[::::/v1/models?key=k', '/v1/models', 'k'],
  ['/v1/models?key=k', '/v1/models', 'k'],
  ['http://host', '', null],
  ['http://host?key=k', '', 'k'],
  ['//v1/models', '//v1/models', null],
  ['http://host/a%00b/%zz?key', '/a%00b/%zz', ''],
])('%s', (url, path, key) => {
  const target = requestTarget(url);
  expect([target.path, target.query.get('key')]).toEqual([path, key]);
});
