import { expect, test } from 'bun:test';
import { upstreamRequestIdOf } from './upstream-request-id.ts';

test.each<[Record<string, string>, string | null]>([
  [{ 'x-request-id': 'req_1', 'cf-ray': 'r' }, 'req_1'],
  [{ 'request-id': 'req_2', 'cf-ray': 'r' }, 'req_2'],
  [{ 'x-amzn-requestid': 'a-b' }, 'a-b'],
  [{ 'apim-request-id': 'azure' }, 'azure'],
  [{ 'cf-ray': '8f-FRA' }, '8f-FRA'],
  [{ 'x-request-id': '', 'cf-ray': 'r' }, 'r'],
  [{ 'x-request-id': 'a b\tc' }, 'abc'],
  [{ 'x-request-id': 'x'.repeat(5_000) }, 'x'.repeat(128)],
  [{}, null],
])('%j', (headers, id) => {
  expect(upstreamRequestIdOf(new Headers(headers))).toBe(id);
});
