import { expect, test } from 'bun:test';
import { eventsIn, eventsOf } from './sse.ts';

const TEXT =
  ': ping\r\n\r\nevent: a\r\ndata: {"t":"snow 雪 🦊"}\r\n\r\ndata:one\ndata: two\n\nid: 7\rdata: last\r\rdata: cut off';
const EVENTS = ['{"t":"snow 雪 🦊"}', 'one\ntwo', 'last'];

async function read(pieces: readonly Uint8Array[], onCancel?: () => void): Promise<string[]> {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: onCancel,
  });
  const events: string[] = [];
  for await (const event of eventsOf(body)) events.push(event);
  return events;
}

test('finds the same events however the bytes are cut', async () => {
  const bytes = new TextEncoder().encode(TEXT);
  for (let at = 0; at <= bytes.length; at++) {
    expect(await read([bytes.slice(0, at), bytes.slice(at)])).toEqual(EVENTS);
  }
  expect(await read([...bytes].map((byte) => new Uint8Array([byte])))).toEqual(EVENTS);
});

test('finds the events of a text, with the rest of a truncated one', () => {
  expect(eventsIn(TEXT)).toEqual([...EVENTS, 'cut off']);
});

test('ends the request when the reader stops', async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: x\n\n')),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const event of eventsOf(body)) {
    expect(event).toBe('x');
    break;
  }
  expect(isCancelled).toBe(true);
});

test('ends when the connection breaks', async () => {
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isFirst) controller.enqueue(new TextEncoder().encode('data: one\n\ndata: cut'));
      else controller.error(new TypeError('network error'));
      isFirst = false;
    },
  });
  const events: string[] = [];
  for await (const event of eventsOf(body)) events.push(event);
  expect(events).toEqual(['one']);
});
