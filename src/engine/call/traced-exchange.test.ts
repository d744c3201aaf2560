import { expect, test } from 'bun:test';
import { RecordedExchange } from './traced-exchange.ts';

const bytes = (length: number) => new Uint8Array(length).fill(120);

function roomOf(most: number) {
  const room = {
    held: 0,
    take: (size: number) => {
      if (room.held + size > most) return false;
      room.held += size;
      return true;
    },
    release: (size: number) => {
      room.held -= size;
    },
  };
  return room;
}

test('without content only the ends of the answer are kept', () => {
  const exchange = new RecordedExchange(false);
  exchange.asked(bytes(10));
  for (let count = 0; count < 100; count++) exchange.said(bytes(1_000));
  expect([exchange.request, exchange.answer, exchange.size]).toEqual([null, null, 0]);
  expect(exchange.ends.map(({ length }) => length)).toEqual([1_000, 4_096]);
});

test('content is kept whole, and freed once', () => {
  const room = roomOf(1_000_000);
  const exchange = new RecordedExchange(true, room);
  exchange.asked(bytes(10));
  exchange.said(bytes(5));
  exchange.said(bytes(6));
  expect([exchange.request?.length, exchange.answer?.length, exchange.size, room.held]).toEqual([10, 11, 21, 21]);
  exchange.release();
  exchange.release();
  exchange.said(bytes(5));
  expect([exchange.request, exchange.size, room.held]).toEqual([null, 0, 0]);
});

test.each([
  ['a large prompt', 300_000, 1, 1e9],
  ['a large answer', 1, 300_000, 1e9],
  ['no memory', 600, 600, 1_000],
])('with %s nothing is kept, and all memory is freed', (_what, asked, said, most) => {
  const room = roomOf(most);
  const exchange = new RecordedExchange(true, room);
  exchange.asked(bytes(asked));
  for (let sent = 0; sent < said; sent += 100) exchange.said(bytes(100));
  expect([exchange.isTooLarge, exchange.request, exchange.answer, room.held]).toEqual([true, null, null, 0]);
});

test.each([1, 7, 200, 5_000])('the end of an answer in pieces of %d bytes is that of the whole answer', (size) => {
  const exchange = new RecordedExchange(false);
  const answer = Uint8Array.from({ length: 20_000 }, (_, index) => index % 251);
  for (let from = 0; from < answer.length; from += size) exchange.said(answer.subarray(from, from + size));
  expect(exchange.ends[1]).toEqual(answer.slice(-4_096));
});

test('the ends of a large answer do not hold the memory of all of it', () => {
  const exchange = new RecordedExchange(false);
  exchange.said(Buffer.alloc(1_000_000));
  expect(exchange.ends.map(({ buffer }) => buffer.byteLength)).toEqual([1_024, 4_096]);
});
