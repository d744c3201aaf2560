import { expect, test } from 'bun:test';
import type { Capture } from '../ports/capture-store.ts';
import { MOST_CAPTURED_BYTES } from './body-recorder.ts';
import { Captures } from './captures.ts';

const utf8 = new TextEncoder();
const silent = () => {};

function bed(mostHeldBytes?: number) {
  const batches: (readonly Capture[])[] = [];
  const warnings: unknown[] = [];
  const failing = { next: false };
  const add = async (captures: readonly Capture[]) => {
    if (failing.next) throw new Error('the disk is full');
    batches.push(captures);
  };
  const warn = (fields: object, message: string) => void warnings.push({ ...fields, message });
  const captures = new Captures({
    store: { add },
    logger: { debug: silent, info: silent, warn, error: silent },
    ...(mostHeldBytes !== undefined && { mostHeldBytes }),
  });
  const call = (requestId: string, asked: string, said: readonly string[], contentType = 'application/json') => {
    const capture = captures.open({ requestId, accountId: 'acme', atMs: 1 });
    capture.asked(utf8.encode(asked));
    capture.answers(contentType);
    for (const piece of said) capture.said(utf8.encode(piece));
    capture.end();
    capture.end();
  };
  return { captures, call, batches, warnings, failing, written: () => batches.flat() };
}

const textOf = ({ bytes }: { readonly bytes: Uint8Array }) => Buffer.from(bytes).toString();

test('a call is captured once, with its stream as one text', async () => {
  const { captures, call, written } = bed();
  call('r', '{"a":1}', ['data: 1\n\n', 'data: 2\n\n'], 'text/event-stream; charset=utf-8');
  await captures.record();
  expect(written().map(({ requestId }) => requestId)).toEqual(['r']);
  expect(written().map(({ request, answer }) => [textOf(request), textOf(answer), answer.size])).toEqual([
    ['{"a":1}', 'data: 1\n\ndata: 2\n\n', 18],
  ]);
});

test.each([1, 1_000, MOST_CAPTURED_BYTES])(
  'a longer body is truncated and its size recorded, in pieces of %d',
  async (size) => {
    const { captures, call, written } = bed();
    const pieces = Array.from({ length: Math.ceil((MOST_CAPTURED_BYTES + 1) / size) }, () => 'x'.repeat(size));
    call('r', 'y'.repeat(MOST_CAPTURED_BYTES + 5), pieces);
    await captures.record();
    const [capture] = written();
    expect(capture?.request.bytes.length).toBe(MOST_CAPTURED_BYTES);
    expect(capture?.request.size).toBe(MOST_CAPTURED_BYTES + 5);
    expect(capture?.answer.bytes.length).toBe(MOST_CAPTURED_BYTES);
    expect(capture?.answer.size).toBe(pieces.length * size);
  },
);

test.each(['audio/mpeg', 'application/octet-stream', 'application/vnd.amazon.eventstream', 'image/png'])(
  'for %s only the size is captured',
  async (contentType) => {
    const { captures, call, written } = bed();
    call('r', '{}', ['abc'], contentType);
    await captures.record();
    expect(written()[0]?.answer).toEqual({ bytes: new Uint8Array(0), size: 3, contentType, omitted: 'binary' });
  },
);

test('captures that exceed the memory are dropped, reported and free their memory', async () => {
  const { captures, call, warnings, written } = bed(20_000);
  call('large', 'x'.repeat(30_000), []);
  call('small', 'x', ['y']);
  call('third', 'x', ['y']);
  call('fourth', 'x', ['y']);
  await captures.record();
  expect(written().map(({ requestId }) => requestId)).toEqual(['small', 'third']);
  expect(warnings).toEqual([{ dropped: 2, message: expect.stringContaining('dropped') }]);
  call('later', 'x', ['y']);
  await captures.record();
  expect(written().map(({ requestId }) => requestId)).toEqual(['small', 'third', 'later']);
});

test('captures that cannot be written are retried', async () => {
  const { captures, call, warnings, failing, written } = bed();
  failing.next = true;
  call('r', 'x', ['y']);
  await captures.record();
  expect(warnings).toHaveLength(1);
  failing.next = false;
  await captures.record();
  expect(written()).toHaveLength(1);
});

test('many captures are written in transactions of about a megabyte', async () => {
  const { captures, call, batches } = bed();
  for (let at = 0; at < 10; at++) call(`r${at}`, 'x'.repeat(MOST_CAPTURED_BYTES), ['y']);
  await captures.record();
  expect(batches.map((batch) => batch.length)).toEqual([3, 3, 3, 1]);
});
