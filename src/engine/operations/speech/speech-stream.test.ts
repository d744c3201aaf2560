import { describe, expect, test } from 'bun:test';
import type { SpeechReader } from '../../../domain/audio/speech.ts';
import { garbage } from '../../../formats/shared/failure/answer-failure.ts';
import { SpeechSize } from './speech-size.ts';
import { SpeechStream } from './speech-stream.ts';

const EMPTY = new Uint8Array(0);
const ROUTING = { json: '{"r":1}' };
const size = new SpeechSize({ input: 'Hello', instructions: null, speed: null });
const bytes = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256);

/** Makes a reader that passes its input on. */
function reader(changes: Partial<SpeechReader> = {}): SpeechReader {
  return {
    ...{ mediaType: 'audio/pcm', failure: null, usage: null, characters: null },
    push: (piece) => piece,
    end: () => EMPTY,
    ...changes,
  };
}

function eventsIn(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

describe('audio output', () => {
  test('passes the bytes on as they arrive', () => {
    const stream = new SpeechStream(reader(), 'audio', size, ROUTING);
    expect(stream.push(EMPTY)).toEqual(EMPTY);
    expect(stream.started).toBe(false);
    expect(stream.push(bytes)).toEqual(bytes);
    expect([stream.started, stream.finished, stream.contentType]).toEqual([true, false, 'audio/pcm']);
    expect(stream.end()).toEqual(EMPTY);
    expect([stream.finished, stream.failure]).toEqual([true, null]);
  });

  test('fails without audio', () => {
    const stream = new SpeechStream(reader(), 'audio', size, ROUTING);
    stream.push(EMPTY);
    stream.end();
    expect([stream.finished, stream.failure?.kind]).toEqual([false, 'garbage']);
  });

  test('fails when the reader fails, and ends there', () => {
    const stream = new SpeechStream(reader({ failure: garbage('no') }), 'audio', size, ROUTING);
    expect(stream.push(bytes)).toEqual(EMPTY);
    expect([stream.failure?.message, stream.started]).toEqual(['no', false]);
  });
});

describe('event output', () => {
  test('has self-contained base64 in each piece, wherever the audio is split', () => {
    for (let cut = 0; cut <= 50; cut++) {
      const stream = new SpeechStream(reader(), 'sse', size, ROUTING);
      const parts = [stream.push(bytes.subarray(0, cut)), stream.push(bytes.subarray(cut)), stream.end()];
      const events = eventsIn(Buffer.concat(parts).toString());
      const audio = events.slice(0, -1).map(({ audio }) => String(audio));
      // Only the last piece may be padded.
      for (const piece of audio.slice(0, -1)) expect(piece).not.toContain('=');
      expect(Buffer.concat(audio.map((piece) => Buffer.from(piece, 'base64')))).toEqual(Buffer.from(bytes));
      expect(events.at(-1)).toEqual({
        ...{ type: 'speech.audio.done', _routing: { r: 1 } },
        usage: { input_tokens: 2, output_tokens: 1, total_tokens: 3 },
      });
      expect(stream.contentType).toBe('text/event-stream');
    }
  });

  test('splits large audio into several events', () => {
    const stream = new SpeechStream(reader(), 'sse', size, ROUTING);
    expect(eventsIn(Buffer.from(stream.push(new Uint8Array(200_001))).toString()).length).toBe(5);
  });
});

describe('the usage', () => {
  const billableOf = (changes: Partial<SpeechReader>, hasTokenPrices: boolean, length = 48_000) => {
    const stream = new SpeechStream(reader(changes), 'audio', size, ROUTING);
    stream.push(new Uint8Array(length));
    const { quantities, source } = stream.billable(hasTokenPrices);
    return [Object.fromEntries(quantities.map(({ unit, amount }) => [unit, amount])), source];
  };
  const common = { character: 5, millisecond: 1_000, request: 1 };

  test('has tokens only if they are reported or priced', () => {
    expect(billableOf({}, false)).toEqual([common, 'estimated']);
    expect(billableOf({}, true)).toEqual([{ ...common, input_token: 2, audio_output_token: 25 }, 'estimated']);
    const usage = { inputTokens: 7, outputTokens: 70 };
    expect(billableOf({ usage }, false)).toEqual([{ ...common, input_token: 7, audio_output_token: 70 }, 'reported']);
  });

  test('has the reported characters, but never more than were sent', () => {
    expect(billableOf({ characters: 4 }, false)).toEqual([{ ...common, character: 4 }, 'reported']);
    expect(billableOf({ characters: 400 }, false)).toEqual([common, 'reported']);
  });

  test('has the usual duration of the text if the audio has none', () => {
    expect(billableOf({ mediaType: 'audio/flac' }, false)).toEqual([{ ...common, millisecond: 335 }, 'estimated']);
    expect(billableOf({ mediaType: 'audio/x-unknown' }, false, 0)).toEqual([
      { ...common, millisecond: 0 },
      'estimated',
    ]);
  });

  test('handles samples at another rate', () => {
    expect(billableOf({ mediaType: 'audio/pcm;rate=16000' }, false)[0]).toMatchObject({ millisecond: 1_500 });
  });
});
