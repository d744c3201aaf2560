import { expect, test } from 'bun:test';
import type { Failure } from '../failure/failure.ts';
import { RequestSplitter } from './request-splitter.ts';

function split(text: string, step: number, mostBytes = 1_000): { items: string[]; failure: Failure | null } {
  const splitter = new RequestSplitter(mostBytes);
  const bytes = Buffer.from(text);
  const items: string[] = [];
  for (let at = 0; at < bytes.length; at += step) {
    // The buffer is overwritten, as by a reader that uses it again.
    const piece = Uint8Array.from(bytes.subarray(at, at + step));
    for (const item of splitter.push(piece)) items.push(Buffer.from(item).toString());
    piece.fill(0);
  }
  return { items, failure: splitter.finish() };
}

const ITEMS = [
  '{"custom_id":"a","params":{"x":[1,{"y":"]}"}]}}',
  '{ "custom_id" : "ä🚦\\"\\\\" }',
  '{}',
  '{"a":"{[\\\\"}',
];

test('the requests are the same wherever the body is cut', () => {
  const body = ` {\n"requests" :\t[ ${ITEMS.join(' ,\r\n')} ] } \n`;
  for (const step of [1, 2, 3, 7, 64, 10_000]) expect(split(body, step)).toEqual({ items: ITEMS, failure: null });
});

test('an empty list has no requests', () => {
  expect(split('{"requests":[]}', 4)).toEqual({ items: [], failure: null });
});

test('a wrong body is refused by name', () => {
  const cases: readonly [string, string, string | undefined][] = [
    ['', 'empty_body', undefined],
    ['[]', 'invalid_json', undefined],
    ['{}', 'missing_required_parameter', 'requests'],
    ['{"requests":{}}', 'invalid_type', 'requests'],
    ['{"model":"x"}', 'unsupported_parameter', 'model'],
    [`{"${'x'.repeat(500)}":1}`, 'unsupported_parameter', 'x'.repeat(100)],
    ['{"requests":[1]}', 'invalid_type', 'requests[0]'],
    ['{"requests":[{},]}', 'invalid_type', 'requests[1]'],
    ['{"requests":[{}{}]}', 'invalid_json', undefined],
    ['{"requests":[{}],"x":1}', 'invalid_json', undefined],
    ['{"requests":[{}]', 'invalid_json', undefined],
    ['{"requests":[{"a":"', 'invalid_json', undefined],
    ['{"requests":[]} x', 'invalid_json', undefined],
    [`{"requests":[{},{"a":"${'x'.repeat(1_000)}`, 'payload_too_large', 'requests[1]'],
  ];
  for (const [body, code, param] of cases) {
    const { failure } = split(body, 16);
    expect({ body, code: failure?.code, param: failure?.details.param }).toEqual({ body, code, param } as never);
  }
});
