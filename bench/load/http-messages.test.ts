import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { MessageParser, Outbox } from './http-messages.ts';
import { completionAnswer, contentChunkCount, marker, streamFrames, streamHead } from './mock-answers.ts';

/** Feeds `bytes` in pieces that end at the given offsets and returns the bodies of the messages that ended. */
function bodiesOf(side: 'request' | 'response', bytes: Buffer, cuts: readonly number[], closes = false): string[] {
  const bodies: string[] = [];
  let body = '';
  const parser = new MessageParser(side, {
    onHead: () => {
      body = '';
    },
    onBody: (fragment) => {
      body += fragment.toString();
    },
    onEnd: () => bodies.push(body),
  });
  const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  let start = 0;
  for (const end of ends) {
    parser.push(bytes.subarray(start, end));
    start = end;
  }
  if (closes) parser.close();
  return bodies;
}

test('responses are read the same however the network splits them', () => {
  const stream = Buffer.concat([streamHead, ...streamFrames(true)]);
  const bytes = Buffer.concat([completionAnswer(), stream, completionAnswer()]);
  const whole = bodiesOf('response', bytes, []);
  expect(whole).toHaveLength(3);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
      expect(bodiesOf('response', bytes, cuts)).toEqual(whole);
    }),
    { numRuns: 50 },
  );
});

test('a streamed response has one marker per content chunk and ends with [DONE]', () => {
  const [body = ''] = bodiesOf('response', Buffer.concat([streamHead, ...streamFrames(true)]), []);
  expect(body.split(marker)).toHaveLength(contentChunkCount + 1);
  expect(body).toEndWith('data: [DONE]\n\n');
  expect(body.match(/^data: /gm)).toHaveLength(contentChunkCount + 3);
});

test('a usage chunk is sent only on request', () => {
  expect(Buffer.concat(streamFrames(true)).includes('prompt_tokens')).toBe(true);
  expect(Buffer.concat(streamFrames(false)).includes('prompt_tokens')).toBe(false);
});

test('a JSON response is about 1 KB', () => {
  const [body = ''] = bodiesOf('response', completionAnswer(), []);
  expect(body.length).toBeGreaterThan(900);
  expect(body.length).toBeLessThan(1200);
});

test('a truncated chunked response never ends', () => {
  const cutOff = Buffer.concat([streamHead, ...streamFrames(true).slice(0, -1)]);
  expect(bodiesOf('response', cutOff, [], true)).toEqual([]);
});

test('a response without a length ends when the peer closes', () => {
  const bytes = Buffer.from('HTTP/1.1 200 OK\r\n\r\nall of it');
  expect(bodiesOf('response', bytes, [], true)).toEqual(['all of it']);
});

test('a request without a body ends with its head', () => {
  expect(bodiesOf('request', Buffer.from('GET /stats HTTP/1.1\r\nHost: a\r\n\r\n'), [])).toEqual(['']);
});

test('data that a full socket rejects is sent in order when it drains', () => {
  let room = 3;
  let received = '';
  const socket = {
    write(bytes: Uint8Array): number {
      const taken = Math.min(room, bytes.length);
      received += Buffer.from(bytes.subarray(0, taken)).toString();
      room -= taken;
      return taken;
    },
  };
  const outbox = new Outbox(socket);
  const reused = Buffer.from('abcde');
  outbox.send(reused);
  reused.fill('x');
  outbox.send(Buffer.from('fgh'));
  room = 4;
  outbox.drain();
  room = 100;
  outbox.drain();
  expect(received).toBe('abcdefgh');
});
