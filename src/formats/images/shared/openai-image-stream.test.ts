import { describe, expect, test } from 'bun:test';
import { PLAIN_IMAGE } from '../../shared/testing/image-samples.ts';
import type { ImageStreamReader } from '../wire.ts';
import { openStream } from './openai-image-stream.ts';

const utf8 = new TextEncoder();
const usage = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens: 272,
  total_tokens: 322,
};
const facts = {
  size: '1024x1024',
  quality: 'high',
  background: 'opaque',
  output_format: 'png',
  created_at: 1_700_000_000,
};
const event = (type: string, more: object, end = '\n') =>
  `event: ${type}${end}data: ${JSON.stringify({ type, b64_json: 'AAAAAAAA', ...facts, ...more })}${end}${end}`;
const partial = (index: number, end?: string) =>
  event('image_generation.partial_image', { partial_image_index: index }, end);
const completed = (end?: string) => event('image_generation.completed', { usage }, end);

function open(model = 'gpt-image-1.5'): ImageStreamReader {
  const reader = openStream({ ...PLAIN_IMAGE, stream: true }, { upstreamModel: model });
  if (reader === null) throw new Error('no stream');
  return reader;
}

/** Returns the bytes passed on from a stream that arrives in these pieces. */
function passed(reader: ImageStreamReader, ...pieces: readonly (string | Uint8Array)[]): string {
  const events = pieces.flatMap((piece) => reader.push(typeof piece === 'string' ? utf8.encode(piece) : piece));
  return [...events, ...reader.end()].map(({ bytes }) => new TextDecoder().decode(bytes)).join('');
}

const RESULT = {
  count: 1,
  created: 1_700_000_000,
  tokens: { textInput: 10, imageInput: 40, textOutput: 0, imageOutput: 272 },
  model: null,
  size: '1024x1024',
  quality: 'high',
  background: 'opaque',
  fileFormat: 'png',
};

test('a stream is passed on byte by byte, wherever it is split', () => {
  const whole = `${partial(0)}${partial(1, '\r\n')}${completed()}`;
  const bytes = utf8.encode(whole);
  for (let at = 0; at <= bytes.length; at++) {
    const reader = open();
    expect(passed(reader, bytes.subarray(0, at), bytes.subarray(at))).toBe(whole);
    expect(reader.failure).toBeNull();
    expect(reader.result).toEqual(RESULT);
  }
});

test('the event with a finished image is marked', () => {
  const reader = open();
  const events = reader.push(utf8.encode(`${partial(0)}: ping\n\n${completed()}data: [DONE]\n\n`));
  expect(events.map(({ isCompleted }) => isCompleted)).toEqual([false, true]);
  expect(reader.end()).toEqual([]);
  expect(reader.failure).toBeNull();
});

test('each of several images counts, also for edits', () => {
  const reader = open();
  passed(reader, event('image_edit.partial_image', {}), event('image_edit.completed', { usage }), completed());
  expect(reader.result).toMatchObject({ count: 2, tokens: { textInput: 20, imageInput: 80, imageOutput: 544 } });
});

test('the last event counts even without its blank line', () => {
  const reader = open();
  expect(passed(reader, completed().trimEnd())).toBe(completed());
  expect(reader.result.count).toBe(1);
  expect(reader.failure).toBeNull();
});

describe('a stream has failed', () => {
  const kindOf = (...pieces: readonly string[]) => {
    const reader = open();
    const text = passed(reader, ...pieces);
    return { kind: reader.failure?.kind, side: reader.failure?.side, text, code: reader.failure?.details.publicCode };
  };

  test('if it is empty, or ends before a finished image', () => {
    expect(kindOf().kind).toBe('empty_stream');
    expect(kindOf(': ping\n\n').kind).toBe('empty_stream');
    expect(kindOf(partial(0))).toMatchObject({ kind: 'truncated_stream', text: partial(0) });
    expect(kindOf(event('image_generation.completed', { usage, b64_json: '' })).kind).toBe('truncated_stream');
    expect(kindOf(event('image_generation.completed', { usage, b64_json: null })).kind).toBe('truncated_stream');
  });

  test('if it is cut at any byte before the end of its last event', () => {
    const whole = partial(0) + completed();
    const end = whole.trimEnd().length;
    for (let at = 0; at < end; at++) {
      const reader = open();
      passed(reader, whole.slice(0, at));
      expect(reader.failure).not.toBeNull();
      expect(reader.result.count).toBe(0);
    }
  });

  test('if it carries an error, and nothing after it is passed on', () => {
    const moderated = {
      code: 'moderation_blocked',
      message: 'Your request was rejected.',
      type: 'image_generation_user_error',
    };
    const error = `event: error\ndata: ${JSON.stringify({ type: 'error', error: moderated })}\n\n`;
    expect(kindOf(partial(0), error, completed())).toMatchObject({
      side: 'client',
      code: 'moderation_blocked',
      text: partial(0),
    });
    expect(kindOf('data: {"error":{"message":"overloaded","code":"server_error"}}\n\n')).toMatchObject({
      side: 'upstream',
      kind: 'error_in_200',
    });
    expect(kindOf('data: {"type":"error"}\n\n').side).toBe('upstream');
  });

  test('if it has invalid JSON', () => {
    for (const data of ['no', '[1]', '7', '{"type":"image_generation.comp', '{"type":nonsense}']) {
      expect(kindOf(`data: ${data}\n\n`, completed()).kind).toBe('garbage');
    }
  });
});

test('usage of a wrong type is ignored', () => {
  for (const odd of [null, 7, 'x', [], { input_tokens: -1, output_tokens: 'x' }]) {
    const reader = open();
    passed(reader, event('image_generation.completed', { usage: odd }));
    expect(reader.result).toMatchObject({ count: 1, tokens: null });
  }
});

test('models without streams have no reader', () => {
  expect(openStream({ ...PLAIN_IMAGE, stream: true }, { upstreamModel: 'dall-e-3' })).toBeNull();
  expect(openStream({ ...PLAIN_IMAGE, stream: false }, { upstreamModel: 'gpt-image-2' })).toBeNull();
});
