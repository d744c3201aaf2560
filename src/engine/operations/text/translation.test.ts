import { describe, expect, spyOn, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { LARGE_BODY_BYTES } from '../../../formats/shared/json/large-json.ts';
import { STATE_MARKER } from '../../../formats/text/shared/state-token.ts';
import { fakePorts } from '../../call/testing/fake-ports.ts';
import { messagesAnswer, messagesStream } from '../../call/testing/sample-answers.ts';
import { type Asked, laneTo, preparedBy, translationOf } from '../../call/testing/sample-lanes.ts';
import { type Body, formatOf } from '../../call/testing/sample-requests.ts';
import { channelOf, targetOf } from '../../call/testing/sample-routes.ts';
import type { TextLane } from './text-lane.ts';
import { carriesForeignState } from './translation.ts';

const utf8 = new TextEncoder();
const text = (bytes: Uint8Array | string | null) =>
  typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes ?? new Uint8Array(0));
const messages = (id = 'm') => targetOf(channelOf(id, 'messaging'));

async function sentFor(asked: Asked): Promise<Body> {
  return JSON.parse(text((await preparedBy(laneTo(fakePorts().ports, messages(), asked))).body));
}

async function refusedFor(asked: Asked): Promise<Failure> {
  const prepared = await laneTo(fakePorts().ports, messages(), asked).request();
  if (!(prepared instanceof Failure)) throw new Error('it is not refused');
  return prepared;
}

const partsOf = ({ pieces = [] }: ReturnType<typeof messagesAnswer>) =>
  pieces.map((piece) => utf8.encode(String(piece)));

function answered(lane: TextLane) {
  const [bytes = new Uint8Array(0)] = partsOf(messagesAnswer('Hello'));
  const answer = lane.answer(bytes);
  if (answer instanceof Failure) throw new Error(answer.message);
  return answer;
}

describe('a request on the translate lane', () => {
  test('is encoded in the target’s format, for the target’s model', async () => {
    const sent = await sentFor({ fields: { max_tokens: 9, temperature: 0.5 } });
    expect(sent).toMatchObject({ model: 'up', max_tokens: 9, temperature: 0.5 });
    expect(sent.messages).toMatchObject([{ role: 'user' }]);
  });

  test('is decoded once for any number of targets', async () => {
    const decoding = spyOn(formatOf('openai-chat'), 'decodeRequest');
    try {
      const translation = translationOf(fakePorts().ports, {});
      for (const id of ['m', 'n', 'm']) await preparedBy(translation.lane(messages(id), messages().routing));
      answered(translation.lane(messages(), messages().routing));
      expect(decoding).toHaveBeenCalledTimes(1);
    } finally {
      decoding.mockRestore();
    }
  });

  test('has the same body if large, and is also decoded once', async () => {
    const content = 'word '.repeat(LARGE_BODY_BYTES / 4);
    const fields = { messages: [{ role: 'user', content }], seed: 1 };
    const lane = laneTo(fakePorts().ports, messages(), { fields });
    expect(lane.request()).toBeInstanceOf(Promise);
    const { body, losses } = await preparedBy(lane);
    expect(text(body)).toContain(content);
    expect(JSON.parse(text(body))).toMatchObject({ model: 'up' });
    expect(losses).toMatchObject([{ field: 'seed' }]);
  });

  test("that the target cannot carry reports its losses with the client's paths", async () => {
    const fields = { seed: 1, messages: [{ role: 'user', name: 'Ann', content: 'Hi' }] };
    const { losses } = await preparedBy(laneTo(fakePorts().ports, messages(), { fields }));
    expect(losses).toMatchObject([
      { field: 'seed', verdict: 'dropped' },
      { field: 'messages[0].name', verdict: 'dropped' },
    ]);
  });

  test("reports a loss at the client's path, wherever the target puts it", async () => {
    const { encoding, ...target } = messages();
    const carries = { ...encoding.carries, 'strict-tools': { verdict: 'dropped', why: 'the model has none' } } as const;
    const tools = [{ type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object' } } }];
    const asked = { fields: { tools } };
    const lane = laneTo(fakePorts().ports, { ...target, encoding: { ...encoding, carries } }, asked);
    expect((await preparedBy(lane)).losses.map(({ field }) => field)).toEqual(['tools[0].function.strict']);
  });

  test('that would change its meaning is refused by field, and another target may take it', async () => {
    const failure = await refusedFor({ fields: { n: 2 } });
    expect(failure).toMatchObject({ code: 'unsupported_parameter', kind: 'loss_refused', details: { param: 'n' } });
    expect(failure.message).toContain('public-model');
    expect(failure.retry).not.toBe('never');
  });

  test('that no target can store for the client is refused before it is encoded', async () => {
    const keeping = formatOf('anthropic-messages').keeping;
    if (keeping === undefined) throw new Error('the format keeps nothing');
    const wants = spyOn(keeping, 'wants').mockReturnValue(true);
    try {
      const chat = targetOf(channelOf('c', 'chatting'), 'anthropic-messages');
      const lane = laneTo(fakePorts().ports, chat, { format: 'anthropic-messages' });
      expect(await lane.request()).toBe(keeping.unsupported);
    } finally {
      wants.mockRestore();
    }
  });

  test('keeps the client’s headers for a target of the same format only', async () => {
    const asked = { format: 'anthropic-messages', headers: { 'anthropic-beta': 'one,two' } };
    const { ports } = fakePorts();
    const own = await preparedBy(
      translationOf(ports, asked).lane(targetOf(channelOf('m', 'messaging')), messages().routing),
    );
    expect(own.headers).toMatchObject({ 'anthropic-beta': 'one,two' });
    const other = await preparedBy(
      translationOf(ports, asked).lane(targetOf(channelOf('c', 'chatting')), messages().routing),
    );
    expect(other.headers).toBeNull();
  });
});

describe('a response on the translate lane', () => {
  const routing = messages().routing.withRetries(7);
  const lane = () => translationOf(fakePorts().ports, {}).lane(messages(), routing);

  test('is in the client’s format, with the public name of the model and `_routing`', () => {
    const { body, usage, served } = answered(lane());
    expect(JSON.parse(text(body))).toMatchObject({
      ...{ object: 'chat.completion', model: 'public-model', _routing: { retryCount: 7 } },
      choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
    });
    expect(usage).toMatchObject({ input: 7, output: 5, source: 'reported' });
    expect(served.model).toBe('up');
  });

  test('that is not in the upstream’s format has failed', () => {
    expect(lane().answer(utf8.encode('{"ok":true}'))).toMatchObject({ kind: 'garbage', side: 'upstream' });
  });

  test('as a stream is passed on part by part', () => {
    const relay = lane().stream();
    const out = partsOf(messagesStream('Hello')).map((piece) => text(relay.push(piece)));
    expect(out[2]).toContain('"content":"Hello"');
    expect(out.at(-1)).toEndWith('data: [DONE]\n\n');
    expect(relay).toMatchObject({ finished: true, failure: null, usage: { input: 7, output: 5 } });
  });

  test('as a stream that ends too early has failed', () => {
    const relay = lane().stream();
    for (const piece of partsOf(messagesStream()).slice(0, 3)) relay.push(piece);
    relay.end();
    expect(relay.failure).toMatchObject({ kind: 'truncated_stream', side: 'upstream' });
  });

  test('that arrives whole instead of streamed is converted to a stream', () => {
    const [bytes = new Uint8Array(0)] = partsOf(messagesAnswer('Hello'));
    const streamed = lane().streamOfWhole(bytes);
    if (streamed instanceof Failure) throw new Error(streamed.message);
    expect(text(streamed.bytes)).toContain('"content":"Hello"');
    expect(text(streamed.bytes)).toEndWith('data: [DONE]\n\n');
    expect(streamed.relay.finished).toBe(true);
  });
});

test('a state of another family is detected in a body by its mark alone', () => {
  expect(carriesForeignState(utf8.encode('{"messages":[{"role":"user","content":"Hi"}]}'))).toBe(false);
  expect(carriesForeignState(utf8.encode(`{"messages":[{"signature":"${STATE_MARKER}abc"}]}`))).toBe(true);
});
