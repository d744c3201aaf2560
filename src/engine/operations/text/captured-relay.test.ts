import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { fakePorts } from '../../call/testing/fake-ports.ts';
import { CHAT_DONE, CHAT_ERROR, CHAT_USAGE, chatAnswer, chatText } from '../../call/testing/sample-answers.ts';
import { textLaneTo } from '../../call/testing/sample-lanes.ts';
import { channelOf, targetOf } from '../../call/testing/sample-routes.ts';
import { capturing } from './captured-relay.ts';
import type { TextLane } from './text-lane.ts';

const utf8 = new TextEncoder();
const CHATTING = targetOf(channelOf('a', 'chatting'));
const laneFor = (format: string) => textLaneTo(fakePorts().ports, CHATTING, { format, fields: { stream: true } });
const LANES = [
  ['relayed', 'openai-chat'],
  ['translated', 'anthropic-messages'],
] as const;

function streamOf(lane: TextLane, ...pieces: readonly string[]) {
  const relay = lane.stream();
  for (const piece of pieces) relay.push(utf8.encode(piece));
  return relay;
}

describe.each(LANES)('a stream that is %s and captured', (_lane, format) => {
  const captured = (...pieces: readonly string[]) => {
    const relay = streamOf(capturing(laneFor(format), CHATTING, 100_000), ...pieces);
    relay.end();
    return relay.captured?.();
  };

  test('has the whole response, with unrequested usage and the upstream’s own names', () => {
    expect(captured(chatText('Hel'), chatText('lo', 'stop'), CHAT_USAGE, CHAT_DONE)).toMatchObject({
      ...{ id: 'chatcmpl-1', model: 'up', usage: { input: 7, output: 5 } },
      candidates: [{ index: 0, parts: [{ type: 'text', text: 'Hello' }], finish: { unified: 'stop' } }],
    });
  });

  test('is incomplete before its end', () => {
    const relay = streamOf(capturing(laneFor(format), CHATTING, 100_000), chatText('Hel'), chatText('lo', 'stop'));
    expect(relay.captured?.()).toBeNull();
    relay.push(utf8.encode(CHAT_DONE));
    expect(relay.captured?.()).not.toBeNull();
  });

  test('has no response if it is cut off', () => {
    expect(captured(chatText('Hel'))).toBeNull();
  });

  test('has no response if the upstream reports an error', () => {
    expect(captured(chatText('Hel'), CHAT_ERROR, CHAT_DONE)).toBeNull();
  });

  test('that a filter ended reports it', () => {
    const filtered = captured(chatText('Hel', 'content_filter'), CHAT_USAGE, CHAT_DONE);
    expect(filtered).toMatchObject({ candidates: [{ finish: { unified: 'content-filter' } }] });
  });

  test('is abandoned if it is too long, and the client gets all of it', () => {
    const long = 'x'.repeat(60_000);
    const pieces = [chatText(long), chatText(long), chatText('', 'stop'), CHAT_USAGE, CHAT_DONE];
    expect(captured(...pieces)).toBe('too-large');
    const [own, other] = [laneFor(format).stream(), capturing(laneFor(format), CHATTING, 100_000).stream()];
    for (const piece of pieces) expect(other.push(utf8.encode(piece)).length).toBe(own.push(utf8.encode(piece)).length);
  });
});

test.each(LANES)('a stream that is %s is not decoded twice if its response is not needed', (_lane, format) => {
  expect(streamOf(laneFor(format), chatText('Hello', 'stop'), CHAT_USAGE, CHAT_DONE).captured).toBeUndefined();
});

test.each(LANES)('a whole response that is %s comes with its decoded form', (_lane, format) => {
  const [body = ''] = chatAnswer('Hello').pieces ?? [];
  const answer = capturing(laneFor(format), CHATTING, 100_000).answer(utf8.encode(String(body)));
  if (answer instanceof Failure) throw new Error(answer.message);
  expect(answer.response).toMatchObject({
    ...{ id: 'chatcmpl-1', candidates: [{ parts: [{ type: 'text', text: 'Hello' }] }] },
  });
});
