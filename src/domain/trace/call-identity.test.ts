import { expect, test } from 'bun:test';
import { identityOf, isClientRequestId } from './call-identity.ts';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

function identityIn(headers: Record<string, string>) {
  return identityOf('req_1', { header: (name) => new Headers(headers).get(name) });
}

test('a client that sends nothing has neither an id nor a trace', () => {
  expect(identityIn({})).toEqual({ requestId: 'req_1', clientRequestId: null, clientTrace: null });
});

test("OpenAI's name for the client's id wins over the general one, if it is valid", () => {
  expect(identityIn({ 'x-request-id': 'general' }).clientRequestId).toBe('general');
  expect(identityIn({ 'x-request-id': 'general', 'X-Client-Request-Id': 'own' }).clientRequestId).toBe('own');
  expect(identityIn({ 'x-request-id': 'general', 'x-client-request-id': 'not one' }).clientRequestId).toBe('general');
});

test('an id is 1 to 128 printable characters of ASCII without spaces and quotes', () => {
  for (const id of ['a', 'x'.repeat(128), 'order%_*?{}[]<>|\\/`~', '019acf6e-0b1c-7d2e-9f3a-4b5c6d7e8f90']) {
    expect(isClientRequestId(id)).toBe(true);
  }
  for (const id of [
    '',
    ' ',
    'a b',
    `a"b`,
    `a'b`,
    'é',
    '\u{1f600}',
    'a\nb',
    'a\r\nx: y',
    '\0',
    '\x7f',
    'x'.repeat(129),
  ]) {
    expect(isClientRequestId(id)).toBe(false);
  }
  expect(isClientRequestId('x'.repeat(10_000))).toBe(false);
  expect(identityIn({ 'x-request-id': 'x'.repeat(10_000) }).clientRequestId).toBeNull();
});

test('a tracestate counts only with a valid traceparent', () => {
  expect(identityIn({ traceparent: TRACEPARENT, tracestate: 'a=1' }).clientTrace).toEqual({
    ...{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' },
    ...{ flags: 1, state: 'a=1' },
  });
  expect(identityIn({ traceparent: 'x', tracestate: 'a=1' }).clientTrace).toBeNull();
});
