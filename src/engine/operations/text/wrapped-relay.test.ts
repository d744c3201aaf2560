import { describe, expect, test } from 'bun:test';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { chatText } from '../../call/testing/sample-answers.ts';
import { formatOf, parsed } from '../../call/testing/sample-requests.ts';
import { framed } from './wrapped-relay.ts';

const utf8 = new TextEncoder();
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const codec = new EventStreamCodec(
  (input) => textOf(input as Uint8Array),
  (text) => utf8.encode(text),
);

/** Wraps one event in AWS framing. */
function frame(event: string): Uint8Array {
  const body = utf8.encode(
    JSON.stringify({ bytes: Buffer.from(event.slice('data: '.length).trim()).toString('base64') }),
  );
  const header = (value: string) => ({ type: 'string' as const, value });
  const headers = { ':event-type': header('chunk'), ':message-type': header('event') };
  return codec.encode({ headers, body });
}

const relay = () => {
  const patch = { publicModel: 'public-model', routing: { json: '{}' }, created: 1, newId: String };
  return formatOf('openai-chat').relayStream(parsed('openai-chat', { stream: true }), patch);
};

describe('a stream', () => {
  test('of server-sent events is read as it arrives', () => {
    const plain = relay();
    expect(framed(plain, { framing: 'sse' })).toBe(plain);
  });

  test('in frames is unwrapped, wherever they are cut', () => {
    const stream = framed(relay(), { framing: 'aws-event-stream' });
    const bytes = Buffer.concat([frame(chatText('Hel')), frame(chatText('lo', 'stop'))]);
    const out: string[] = [];
    for (let at = 0; at < bytes.length; at += 7) out.push(textOf(stream.push(bytes.subarray(at, at + 7))));
    out.push(textOf(stream.end()));
    expect(out.join('')).toContain('"content":"Hel"');
    expect(out.join('')).toContain('"content":"lo"');
    expect(out.join('')).toContain('"model":"public-model"');
    expect(stream).toMatchObject({ started: true, finished: true, failure: null });
  });

  test('in frames that is cut within one has not ended', () => {
    const stream = framed(relay(), { framing: 'aws-event-stream' });
    stream.push(frame(chatText('Hel')));
    stream.push(frame(chatText('lo', 'stop')).subarray(0, 20));
    stream.end();
    expect(stream.failure).toMatchObject({ kind: 'truncated_stream', side: 'upstream' });
  });
});
