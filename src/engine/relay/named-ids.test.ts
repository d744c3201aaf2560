import { expect, test } from 'bun:test';
import { idsInAddress, idsInJson } from './named-ids.ts';

test.each([
  [
    '{"id":"batch_1","input_file_id":"file-1","file_ids":["file-2","file-3"]}',
    ['batch_1', 'file-1', 'file-2', 'file-3'],
  ],
  ['{"input_files":["m-1"],"output_file":"m-2","error_file":null}', ['m-1', 'm-2']],
  ['{"name":"batches/b","response":{"responsesFile":"files/out"}}', ['batches/b', 'files/out']],
  [
    '{"file":{"name":"files/a","uri":"https://g.example/v1beta/files/a"}}',
    ['files/a', 'https://g.example/v1beta/files/a'],
  ],
  ['{"cachedContent":"cachedContents/c"}', ['cachedContents/c']],
  ['{"name":"My documents","metadata":{"user_id":"42","id":"7"},"attributes":{"doc_id":"8"}}', []],
  ['{"requests":[{"custom_id":"mine"}],"request_id":"req_1"}', []],
  ['{"id":7}', []],
  ['no json', []],
])('%s names %p', (text, ids) => expect(idsInJson(text)).toEqual(ids));

test('the ids from one body are limited in number, depth and length', () => {
  const many = JSON.stringify({ file_ids: Array.from({ length: 50_000 }, (_, index) => `file-${index}`) });
  expect(idsInJson(many)).toHaveLength(2_000);
  expect(idsInJson(`${'['.repeat(50)}{"id":"a"}${']'.repeat(50)}`)).toEqual([]);
  expect(idsInJson(JSON.stringify({ id: 'a'.repeat(513) }))).toEqual([]);
});

test('a URL names the ids in its path and query', () => {
  const query = new URLSearchParams('after=x&upload_id=up1&limit=2');
  expect(idsInAddress('files', '/file-1/content', query)).toEqual(['files/file-1', 'file-1', 'content', 'up1']);
  expect(idsInAddress('batches', '/b1:cancel', new URLSearchParams())).toEqual(['batches/b1', 'b1']);
});
