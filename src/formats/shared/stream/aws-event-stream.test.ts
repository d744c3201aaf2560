import { describe, expect, test } from 'bun:test';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import fc from 'fast-check';
import { EventStreamToSse } from './aws-event-stream.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const codec = new EventStreamCodec((input) => textOf(input as Uint8Array), bytesOf);

function frame(headers: Readonly<Record<string, string>>, body: string): Uint8Array {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string' as const, value }]);
  return codec.encode({ headers: Object.fromEntries(typed), body: bytesOf(body) });
}

function eventFrame(type: string, body: string): Uint8Array {
  return frame({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, body);
}

function chunkFrame(inner: string): Uint8Array {
  return eventFrame('chunk', JSON.stringify({ bytes: Buffer.from(inner).toString('base64'), p: 'abc' }));
}

function read(pieces: readonly Uint8Array[]): string {
  const reader = new EventStreamToSse();
  return pieces.map((piece) => textOf(reader.push(piece))).join('') + textOf(reader.end());
}

function errorIn(sse: string): { type: string; message: string } {
  const data = /event: error\ndata: (.*)\n\n$/.exec(sse)?.[1];
  const parsed = JSON.parse(data ?? 'null');
  expect(parsed.type).toBe('error');
  return parsed.error;
}

const TWO = [
  eventFrame('messageStart', '{"role":"assistant"}'),
  eventFrame('contentBlockDelta', '{"contentBlockIndex":0,"delta":{"text":"grüß \\n"}}'),
];
const TWO_AS_SSE =
  'event: messageStart\ndata: {"role":"assistant"}\n\n' +
  'event: contentBlockDelta\ndata: {"contentBlockIndex":0,"delta":{"text":"grüß \\n"}}\n\n';

describe('EventStreamToSse', () => {
  test('names each event by its type and keeps its payload', () => {
    expect(read(TWO)).toBe(TWO_AS_SSE);
  });

  test('gives the same bytes however its input is split', () => {
    const bytes = Buffer.concat(TWO);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: bytes.length })), (cuts) => {
        const at = [0, ...cuts.toSorted((left, right) => left - right), bytes.length];
        const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
        expect(read(pieces)).toBe(TWO_AS_SSE);
      }),
    );
  });

  test('unwraps the events of an invoked model', () => {
    const start = '{"type":"message_start","message":{"id":"msg_1"}}';
    expect(read([chunkFrame(start), chunkFrame('{"outputText":"no type"}')])).toBe(
      `event: message_start\ndata: ${start}\n\ndata: {"outputText":"no type"}\n\n`,
    );
  });

  test('puts a payload of several lines on one', () => {
    expect(read([eventFrame('metadata', '{\n  "usage": {}\r\n}')])).toBe(
      'event: metadata\ndata: {   "usage": {} }\n\n',
    );
  });

  test('turns an exception into an error event, and ends', () => {
    const exception = frame(
      {
        ':message-type': 'exception',
        ':exception-type': 'modelStreamErrorException',
        ':content-type': 'application/json',
      },
      '{"message":"Model Stream Error","originalStatusCode":500,"originalMessage":"It failed."}',
    );
    const sse = read([TWO[0]!, exception, TWO[1]!]);
    expect(sse).toStartWith('event: messageStart');
    expect(errorIn(sse)).toEqual({ type: 'modelStreamErrorException', message: 'Model Stream Error: It failed.' });
  });

  test('turns an error without an exception into an error event', () => {
    const error = frame({ ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'Oh' }, '');
    expect(errorIn(read([error]))).toEqual({ type: 'InternalError', message: 'Oh' });
  });

  test('reports any changed byte as an error event or waits for more, and never throws', () => {
    const [good] = TWO;
    for (let at = 0; at < good!.length; at++) {
      const bad = good!.slice();
      bad[at] = (bad[at] ?? 0) ^ 0x40;
      const sse = read([bad, TWO[1]!]);
      if (sse !== '') expect(errorIn(sse).type).toBe('damagedFrame');
    }
  });

  test('refuses a frame over the size limit at once', () => {
    expect(errorIn(read([new Uint8Array([0x7f, 0xff, 0xff, 0xff])])).type).toBe('damagedFrame');
    expect(errorIn(read([new Uint8Array([0, 0, 0, 3])])).type).toBe('damagedFrame');
  });

  test.each(['{"bytes":3}', '[]', '', '{"bytes":"bm8ganNvbg=="}'])(
    'reports a chunk without an event as damaged: %j',
    (body) => {
      expect(errorIn(read([eventFrame('chunk', body)])).type).toBe('damagedFrame');
    },
  );

  test('ends before a frame that is cut', () => {
    expect(read([TWO[0]!, TWO[1]!.subarray(0, 30)])).toBe('event: messageStart\ndata: {"role":"assistant"}\n\n');
  });

  test('does not let a type break out of its line', () => {
    expect(read([eventFrame('a\ndata: evil', '{}')])).toBe('data: {}\n\n');
  });
});
