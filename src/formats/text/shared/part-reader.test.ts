import { describe, expect, test } from 'bun:test';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { truncatedStream } from '../../shared/failure/answer-failure.ts';
import { MAX_EVENT_BYTES } from '../../shared/stream/sse.ts';
import { PartReader } from './part-reader.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const text = (said: string): StreamPart => ({ type: 'text-delta', candidate: 0, text: said });

/** Returns a reader for a format whose events are one word each: `end` ends the answer, `bad` is a failure. */
function wordReader() {
  const reader: PartReader = new PartReader({
    onEvent: ({ data: json }) => {
      const data = json.slice(1, -1);
      if (data === 'end') reader.finish();
      else if (data === 'bad') reader.fail(truncatedStream());
      else reader.emit(text(reader.isEnding ? `${data} at last` : data));
    },
    onEnd: () => reader.fail(truncatedStream()),
  });
  return reader;
}

const kindsOf = (parts: readonly StreamPart[]) =>
  parts.map((part) => (part.type === 'error' ? part.failure.kind : part.type));

describe('a reader of parts', () => {
  test('gives what each piece completes', () => {
    const reader = wordReader();
    expect(reader.push(bytesOf('data: [on'))).toEqual([]);
    expect(reader.push(bytesOf('e]\n\ndata: [two]\n\ndata: [th'))).toEqual([text('one'), text('two')]);
    expect(reader.push(bytesOf('ree]\n\n'))).toEqual([text('three')]);
  });

  test.each(['end', 'bad'])('gives nothing after %s, even from the same piece', (last) => {
    const reader = wordReader();
    expect(reader.push(bytesOf(`data: [one]\n\ndata: [${last}]\n\ndata: [two]\n\ndata: [bad]\n\n`))).toHaveLength(2);
    expect(reader.isOver).toBe(true);
    expect(reader.push(bytesOf('data: [three]\n\n'))).toEqual([]);
    expect(reader.end()).toEqual([]);
  });

  test('reads a last event without its blank line, and marks it as the last', () => {
    const reader = wordReader();
    reader.push(bytesOf('data: [one]'));
    const [first, ...others] = reader.end();
    expect(first).toEqual(text('one at last'));
    expect(kindsOf(others)).toEqual(['truncated_stream']);
  });

  test("calls the format's end handler only if the response has not ended", () => {
    const reader = wordReader();
    reader.push(bytesOf('data: [end]'));
    expect(reader.end()).toEqual([{ type: 'end' }]);
  });

  test('fails on an event over the limit, and keeps what came before it', () => {
    const reader = wordReader();
    const filler = new Uint8Array(MAX_EVENT_BYTES + 1).fill(0x61);
    expect(kindsOf(reader.push(Buffer.concat([bytesOf('data: [one]\n\ndata: '), filler])))).toEqual([
      'text-delta',
      'event_too_large',
    ]);
  });
});
