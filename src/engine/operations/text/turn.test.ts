import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { fakePorts } from '../../call/testing/fake-ports.ts';
import { type Body, formatOf, inbound, parsed } from '../../call/testing/sample-requests.ts';
import { channelOf, targetOf, targetsOf } from '../../call/testing/sample-routes.ts';
import { ObjectMemory } from '../../directory/object-memory.ts';
import type { TextTarget } from '../../directory/target.ts';
import { sampleResponse } from '../../ports/testing/samples.ts';
import { IssuedResponses } from './issued-responses.ts';
import { Turn } from './turn.ts';

const RESPONSES = 'openai-responses';
const KEEPER = channelOf('k', 'keeping');
const OTHER = channelOf('c', 'chatting');

function opening() {
  const fakes = fakePorts();
  const { ports, principal } = fakes;
  const objects = new ObjectMemory(ports);
  const issued = new IssuedResponses({ ...ports, objects });
  const targets = targetsOf([KEEPER, OTHER], RESPONSES);
  const open = async (fields: Body, name = RESPONSES) => {
    const asked = { format: formatOf(name), client: inbound(), principal, request: parsed(name, fields), targets };
    return await Turn.open({ ...ports, objects, issued }, asked);
  };
  const opened = async (...[fields, name]: Parameters<typeof open>) => {
    const turn = await open(fields, name);
    if (turn instanceof Failure) throw new Error(turn.message);
    return turn;
  };
  return { ...fakes, open, opened, objects };
}

const input = (text: string, id = 'msg_in') =>
  JSON.stringify([{ id, type: 'message', role: 'user', content: [{ type: 'input_text', text }] }]);
const answerJson = (id: string, text: string, itemId = `msg_${id}`) => {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const output = [{ id: itemId, type: 'message', role: 'assistant', status: 'completed', content }];
  return JSON.stringify({ id, object: 'response', status: 'completed', model: 'public-model', output });
};
const stored = (id: string, text: string, fields = {}) =>
  sampleResponse({ id, inputJson: input(`Asked ${text}`), responseJson: answerJson(id, text), ...fields });
const isKnownAt = (turn: Turn, channel: typeof KEEPER) => turn.isKnownAt(targetOf(channel, RESPONSES));

test('a self-contained request is ready at once, and is the same for every target', () => {
  const { ports, principal } = opening();
  const objects = new ObjectMemory(ports);
  const issued = new IssuedResponses({ ...ports, objects });
  for (const name of ['openai-chat', 'anthropic-messages', RESPONSES]) {
    const request = parsed(name);
    const asked = { format: formatOf(name), client: inbound(), principal, request, targets: [] };
    const turn = Turn.open({ ...ports, objects, issued }, asked);
    if (!(turn instanceof Turn)) throw new Error('it is waited for');
    expect(turn.whole).toBe(request);
    expect(turn.requestFor(targetOf(OTHER))).toBe(request);
    expect(turn.bodyBytes).toBe(request.bytes.length);
    expect(turn.affinity([], null)).toBeNull();
  }
});

describe('a request that continues a response', () => {
  test('includes the earlier turns, the oldest first', async () => {
    const { opened, responses } = opening();
    await responses.put(stored('resp_1', 'one'));
    await responses.put(stored('resp_2', 'two', { previousId: 'resp_1' }));
    const turn = await opened({ input: 'And now?', previous_response_id: 'resp_2' });
    const text = JSON.stringify(turn.whole.body.input);
    const places = ['Asked one', '"one"', 'Asked two', '"two"', 'And now?'].map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(Math.min(...places)).toBeGreaterThan(-1);
    expect(turn.whole.body.previous_response_id).toBeUndefined();
  });

  test('goes unchanged to the channel whose provider stores the response, which is tried first', async () => {
    const { opened, responses } = opening();
    await responses.put(stored('resp_1', 'one', { place: 'k', upstreamStored: true }));
    const turn = await opened({ previous_response_id: 'resp_1' });
    expect([isKnownAt(turn, KEEPER), isKnownAt(turn, OTHER)]).toEqual([true, false]);
    expect(turn.requestFor(targetOf(KEEPER, RESPONSES)).body.previous_response_id).toBe('resp_1');
    expect(turn.requestFor(targetOf(OTHER, RESPONSES))).toBe(turn.whole);
    const rank = (target: TextTarget) => turn.affinity([], null)?.(target) ?? 0;
    expect(rank(targetOf(KEEPER, RESPONSES))).toBeLessThan(rank(targetOf(OTHER, RESPONSES)));
  });

  test('is known nowhere if the provider has not stored the response', async () => {
    const { opened, responses } = opening();
    await responses.put(stored('resp_1', 'one', { place: 'k', upstreamStored: false }));
    expect(isKnownAt(await opened({ previous_response_id: 'resp_1' }), KEEPER)).toBe(false);
  });

  test.each([
    ['does not exist', {}],
    ['belongs to another account', { accountId: 'other' }],
    ['has expired', { expiresAtMs: 1 }],
    ['continues a missing one', { previousId: 'resp_0' }],
  ])('that %s is refused by field', async (why, fields) => {
    const { open, responses } = opening();
    if (why !== 'does not exist') await responses.put(stored('resp_1', 'one', fields));
    expect(await open({ previous_response_id: 'resp_1' })).toMatchObject({
      ...{ code: 'response_not_found', status: 400 },
      details: { param: 'previous_response_id', publicCode: 'previous_response_not_found' },
    });
  });

  test('is refused if the history is too long', async () => {
    const { open, responses } = opening();
    responses.chain = async () => ({ kind: 'too-long' });
    const failure = await open({ previous_response_id: 'resp_1' });
    expect(failure).toMatchObject({ code: 'invalid_value', details: { param: 'previous_response_id' } });
  });
});

describe('a request with item references', () => {
  const pointing = {
    input: [
      { type: 'item_reference', id: 'msg_resp_1' },
      { role: 'user', content: 'And now?' },
    ],
  };

  test('has them resolved from the stored items', async () => {
    const { opened, responses, objects } = opening();
    await responses.put(stored('resp_1', 'one'));
    await objects.given({ accountId: 'acme', ids: ['msg_resp_1'], place: null, responseId: 'resp_1' });
    const turn = await opened(pointing);
    expect(JSON.stringify(turn.whole.body.input)).toContain('"one"');
    expect(JSON.stringify(turn.whole.body.input)).not.toContain('item_reference');
  });

  test('keeps its references for the channel that stores all of them', async () => {
    const { opened, responses, objects } = opening();
    await responses.put(stored('resp_1', 'one'));
    await objects.given({ accountId: 'acme', ids: ['msg_resp_1'], place: 'k', responseId: 'resp_1' });
    const turn = await opened(pointing);
    expect(turn.requestFor(targetOf(KEEPER, RESPONSES)).body.input).toEqual(pointing.input);
    expect(JSON.stringify(turn.requestFor(targetOf(OTHER, RESPONSES)).body.input)).toContain('"one"');
  });

  test('gets no items of another account', async () => {
    const { opened, responses, objects } = opening();
    await responses.put(stored('resp_1', 'one', { accountId: 'other' }));
    await objects.given({ accountId: 'other', ids: ['msg_resp_1'], place: 'k', responseId: 'resp_1' });
    const turn = await opened(pointing);
    expect(turn.whole.body.input).toEqual(pointing.input);
    expect(isKnownAt(turn, KEEPER)).toBe(false);
  });
});

describe('a response', () => {
  test("is stored with the request's own input for thirty days", async () => {
    const { opened, responses, clock } = opening();
    const turn = await opened({ input: 'Say hello.' });
    expect(turn.wantsKeeping).toBe(true);
    expect(await turn.keep(answerJson('resp_9', 'Hello'), targetOf(KEEPER, RESPONSES), true)).toEqual({ id: 'resp_9' });
    const kept = await responses.get('acme', 'resp_9');
    expect(kept).toMatchObject({ previousId: null, place: 'k', upstreamStored: true });
    expect(kept?.inputJson).toContain('Say hello.');
    expect(kept?.expiresAtMs).toBe(clock.nowMs() + 30 * 24 * 60 * 60 * 1000);
    clock.advance(30 * 24 * 60 * 60 * 1000);
    expect(await responses.get('acme', 'resp_9')).toBeNull();
  });

  test('that continues another is stored with its new items only', async () => {
    const { opened, responses } = opening();
    await responses.put(stored('resp_1', 'one'));
    const turn = await opened({ input: 'And now?', previous_response_id: 'resp_1' });
    await turn.keep(answerJson('resp_2', 'two'), targetOf(KEEPER, RESPONSES), true);
    const kept = await responses.get('acme', 'resp_2');
    expect(kept).toMatchObject({ previousId: 'resp_1' });
    expect(kept?.inputJson).not.toContain('Asked one');
  });

  test.each([
    ['was translated', KEEPER, false],
    ['comes from a provider that stores none', OTHER, true],
  ])('is not marked as stored by the provider if it %s', async (_, channel, relayed) => {
    const { opened, responses } = opening();
    await (await opened({})).keep(answerJson('resp_9', 'Hello'), targetOf(channel, RESPONSES), relayed);
    expect(await responses.get('acme', 'resp_9')).toMatchObject({ upstreamStored: false });
  });

  test('is not stored against the client’s wish, nor in a format without storage', async () => {
    const { opened } = opening();
    expect((await opened({ store: false })).wantsKeeping).toBe(false);
    const chat = await opened({}, 'openai-chat');
    expect(chat.wantsKeeping).toBe(false);
    expect(await chat.keep('{"id":"chatcmpl-1"}', targetOf(OTHER), true)).toBeNull();
  });

  test('that cannot be stored fails with the reason', async () => {
    const { opened } = opening();
    const target = targetOf(KEEPER, RESPONSES);
    const turn = await opened({});
    await turn.keep(answerJson('resp_9', 'Hello'), target, true);
    expect(await turn.keep(answerJson('resp_9', 'Hello'), target, true)).toEqual({ problem: 'id-taken' });
    const large = answerJson('resp_8', 'x'.repeat(16 * 1024 * 1024));
    expect(await turn.keep(large, target, true)).toEqual({ problem: 'too-large' });
  });
});

test('channels are ordered by what they know: the conversation, its state, its last response', async () => {
  const { opened, responses } = opening();
  await responses.put(stored('resp_1', 'one', { place: 'k', upstreamStored: true }));
  const turn = await opened({ previous_response_id: 'resp_1' });
  const rank = turn.affinity(['x', 'y'], 'z');
  const ids = ['w', 'z', 'y', 'x', 'k'];
  const targets = targetsOf(
    ids.map((id) => channelOf(id, 'keeping')),
    RESPONSES,
  );
  const inOrder = [...targets].sort((left, right) => (rank?.(left) ?? 0) - (rank?.(right) ?? 0));
  expect(inOrder.map(({ channel }) => channel.id)).toEqual(['k', 'x', 'y', 'z', 'w']);
});

test('bytes that are not relayed are released, and their number is kept', async () => {
  const turn = await opening().opened({});
  const { bodyBytes } = turn;
  turn.releaseBytes();
  expect([turn.whole.bytes.length, turn.bodyBytes]).toEqual([0, bodyBytes]);
});
