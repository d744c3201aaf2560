import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { expectLinear } from '../../../../tools/test/linear.ts';
import { dataSpan, EventSplitter, EventTooLarge, joinedData, MAX_EVENT_BYTES } from './sse.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function split(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const splitter = new EventSplitter();
  const events: string[] = [];
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    splitter.push(bytes.subarray(from, to), (event) => events.push(textOf(event)));
    from = to;
  }
  return [...events, textOf(splitter.rest())];
}

describe('EventSplitter', () => {
  test('gives the same events at every split, for every line end, and loses no byte', () => {
    const line = fc.constantFrom('data: {"a":"ü€"}', 'event: x', ': comment', 'data:', 'id: 1');
    const event = fc.array(line, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat()),
        (events, end, at) => {
          const parts = events.map((lines) => `${lines.join(end)}${end}${end}`);
          const bytes = bytesOf(parts.join(''));
          const cuts = at.map((cut) => cut % (bytes.length + 1)).sort((left, right) => left - right);
          expect(split(bytes, cuts)).toEqual([...parts, '']);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('ends an event at a pair of bare carriage returns', () => {
    expect(split(bytesOf('data: a\r\rdata: b\r\rdata: c'), [3, 8, 9])).toEqual([
      'data: a\r\r',
      'data: b\r\r',
      'data: c',
    ]);
  });

  test('refuses an endless event', () => {
    const splitter = new EventSplitter();
    const piece = new Uint8Array(MAX_EVENT_BYTES / 4).fill(0x61);
    expect(() => {
      for (let count = 0; count < 5; count++) splitter.push(piece, () => {});
    }).toThrow(EventTooLarge);
  });
});

describe('dataSpan', () => {
  const dataOf = (text: string) => {
    const event = bytesOf(text);
    const span = dataSpan(event);
    return span === null || span === 'many' ? span : textOf(event.subarray(span.start, span.end));
  };
  test.each([
    ['data: {"a":1}\n\n', '{"a":1}'],
    ['data:{"a":1}\n\n', '{"a":1}'],
    ['event: x\r\nid: 3\r\ndata: y\r\n\r\n', 'y'],
    [': comment\n\n', null],
    ['data: a\ndata: b\n\n', 'many'],
    ['data:\n\n', ''],
  ])('%p holds %p', (text, data) => {
    expect(dataOf(text)).toBe(data);
  });

  test('joins several data lines by line feeds', () => {
    expect(joinedData(bytesOf('data: {"a":\r\ndata: 1}\r\n\r\n'))).toBe('{"a":\n1}');
  });
});

test('a large event in many small pieces takes linear time', () => {
  const split = (pieces: number) => {
    const splitter = new EventSplitter();
    const piece = new TextEncoder().encode('x'.repeat(1_400));
    let bytes = 0;
    const onEvent = (event: Uint8Array) => {
      bytes += event.length;
    };
    for (let index = 0; index < pieces; index++) splitter.push(piece, onEvent);
    splitter.push(new TextEncoder().encode('\n\n'), onEvent);
    expect(bytes).toBe(pieces * 1_400 + 2);
  };
  expectLinear(8_000, (count) => count, split);
});

test('a kept event is not overwritten by later input', () => {
  const splitter = new EventSplitter();
  const kept: Uint8Array[] = [];
  const push = (text: string) => splitter.push(new TextEncoder().encode(text), (event) => kept.push(event));
  for (const text of ['da', 'ta: 1', '\n\nda', 'ta: 2', '\n', '\ndata: 3\n\n', 'data: 4\n\n']) push(text);
  expect(kept.map((event) => new TextDecoder().decode(event))).toEqual([1, 2, 3, 4].map((n) => `data: ${n}\n\n`));
});

/** Counts how many bytes all searches for a byte go through. */
function searchedBytes(text: string): number {
  const bytes = new TextEncoder().encode(text);
  let searched = 0;
  const { indexOf } = Uint8Array.prototype;
  Uint8Array.prototype.indexOf = function counted(byte: number, from = 0) {
    const found = indexOf.call(this, byte, from);
    searched += (found < 0 ? this.length : found) - Math.min(from, this.length);
    return found;
  };
  try {
    new EventSplitter().push(bytes, (event) => dataSpan(event));
  } finally {
    Uint8Array.prototype.indexOf = indexOf;
  }
  return searched / bytes.length;
}

test.each([
  ['line feeds', ': x\n', '\n'],
  ['line feeds, and one CR at the end', ': x\n', '\r\n\r\n'],
  ['CRs', ': x\r', '\r\r '],
  ['both', ': x\r\n', '\r\n'],
  ['whole events, and one CR at the end', 'data: x\n\n', '\r\n'],
])('lines with %s are scanned a bounded number of times', (_what, line, end) => {
  expect(searchedBytes(line.repeat(10_000) + end)).toBeLessThan(8);
});
