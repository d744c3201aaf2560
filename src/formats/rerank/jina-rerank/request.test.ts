import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { OwnMembers } from '../../wire.ts';
import { encodeRequest, parseRequest } from './request.ts';

const utf8 = new TextEncoder();
const parse = (body: object) =>
  parseRequest(utf8.encode(JSON.stringify({ model: 'm', query: 'q', documents: ['a', 'b'], ...body })));
const requestOf = (body: object) => {
  const parsed = parse(body);
  if (parsed instanceof Failure) throw new Error(parsed.message);
  return parsed.request;
};
const sent = (body: object, members?: OwnMembers) => {
  const { body: bytes, losses } = encodeRequest(requestOf(body), { upstreamModel: 'up', ...(members && { members }) });
  return [JSON.parse(new TextDecoder().decode(bytes)), losses.map(({ field }) => field)];
};

test('missing and null fields have their defaults', () => {
  const expected = { topN: 2, returnsDocuments: false, others: {} };
  expect(requestOf({})).toMatchObject(expected);
  expect(requestOf({ top_n: null, return_documents: null })).toMatchObject(expected);
});

test('the upstream is asked for all documents, without their texts', () => {
  const asked = { model: 'up', query: 'q', documents: ['a', 'b'], return_documents: false };
  expect(sent({ top_n: 1, return_documents: true })).toEqual([asked, []]);
});

test('unknown members are passed on, except to a provider without them', () => {
  expect(sent({ truncation: true })[0]).toMatchObject({ truncation: true });
  const [body, losses] = sent({ truncation: true }, { return_documents: null, truncation: null });
  expect([body, losses]).toEqual([{ model: 'up', query: 'q', documents: ['a', 'b'] }, ['truncation']]);
});

test('characters are counted as code points', () => {
  expect(parse({ query: '😀'.repeat(32_000) })).not.toBeInstanceOf(Failure);
  expect(parse({ query: '😀'.repeat(32_001) })).toMatchObject({
    code: 'payload_too_large',
    message: '`query` has 32001 characters; the limit is 32000.',
  });
  const long = '😀'.repeat(100_000);
  expect(parse({ documents: Array.from({ length: 20 }, () => long) })).not.toBeInstanceOf(Failure);
  expect(parse({ documents: [...Array.from({ length: 20 }, () => long), 'a'] })).toMatchObject({
    code: 'payload_too_large',
    details: { param: 'documents' },
  });
});
