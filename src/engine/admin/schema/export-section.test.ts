import { expect, test } from 'bun:test';
import { exportsSchema } from './export-section.ts';

const KEYS = { access_key_id: 'id', secret_access_key: 'key' };
const URL_RULE =
  'must be the address of the HTTP interface such as "https://clickhouse.example.com:8443", without user and query';

test.each([
  [
    { id: 'a', s3: { endpoint: 'https://user:password@s3.example.com', bucket: 'logs', ...KEYS } },
    'targets.0.s3.endpoint',
    'must be an address without user and password: use access_key_id and secret_access_key',
  ],
  [{ id: 'a', clickhouse: { url: 'https://user:password@example.com' } }, 'targets.0.clickhouse.url', URL_RULE],
  [{ id: 'a', clickhouse: { url: 'https://example.com/?password=x' } }, 'targets.0.clickhouse.url', URL_RULE],
  [{ id: 'a' }, 'targets.0.id', 'needs either s3 or clickhouse: the place of the export'],
])('%j is refused with the field and the reason', (target, field, message) => {
  const { error } = exportsSchema.safeParse({ targets: [target] });
  expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([[field, message]]);
});

test('a bucket at an endpoint of its own is accepted', () => {
  const s3 = { endpoint: 'https://s3.example.com', bucket: 'logs', ...KEYS };
  expect(exportsSchema.safeParse({ targets: [{ id: 'a', s3 }] }).success).toBe(true);
});
