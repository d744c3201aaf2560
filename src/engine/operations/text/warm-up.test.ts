import { describe, expect, test } from 'bun:test';
import { openaiResponses } from '../../../formats/text/openai-responses/index.ts';
import * as answers from '../../call/testing/sample-answers.ts';
import { expectOver, gateway, told } from '../../call/testing/sample-gateway.ts';
import { type Body, GENERATE } from '../../call/testing/sample-requests.ts';
import { channelOf, directoryOf } from '../../call/testing/sample-routes.ts';

const RESPONSES = openaiResponses.name;
const call = { ...GENERATE, purpose: 'warm-up', stream: false } as const;

/** Makes a gateway with one channel and one lasting client connection. */
function warming() {
  const directory = directoryOf([channelOf('c', 'chatting')]);
  const made = gateway({ directory: () => directory });
  const connection = made.services.connections.open('acme');
  const [target] = directory.routesTo('public-model', 'acme', RESPONSES)?.targets ?? [];
  if (target === undefined) throw new Error('there is no target');
  const warmUp = async (fields: Body) => {
    const outbound = await made.ask(fields, { format: RESPONSES, call, connection });
    return { outbound, body: JSON.parse(await told(outbound)) };
  };
  const goOn = (fields: Body) => made.ask(fields, { format: RESPONSES, connection });
  return { made, target, warmUp, goOn };
}

describe('a warm-up', () => {
  test('succeeds without an upstream call, a reservation or a charge', async () => {
    const { made, warmUp } = warming();
    const { outbound, body } = await warmUp({});
    expect(outbound).toMatchObject({ kind: 'whole', status: 200, headers: { 'content-type': 'application/json' } });
    expect(body).toMatchObject({
      object: 'response',
      model: 'public-model',
      output: [],
      _routing: { channel: { id: 'c' } },
    });
    expect(outbound.headers['x-routing']).toContain('"c"');
    expect(made.steps).toEqual(['key used', 'admit', 'read body', 'record']);
    expect(made.records).toMatchObject([
      { channelId: 'c', status: 200, billable: null, costNanoUsd: 0n, retryCount: 0, failedAttempts: [] },
    ]);
    await expectOver(made, null);
  });

  test.each([
    ['in the store', {}],
    ['for its connection only', { store: false }],
  ])('is stored %s for the next turn', async (where, fields) => {
    const { made, warmUp, goOn } = warming();
    const { body } = await warmUp({ instructions: 'Be brief.', input: 'Remember the word zebra.', ...fields });
    expect((await made.responses.get('acme', body.id)) !== null).toBe(where === 'in the store');
    made.upstream.script('c', answers.chatAnswer());
    const next = await goOn({ input: 'Which word?', previous_response_id: body.id, ...fields });
    expect(next).toMatchObject({ status: 200 });
    expect(made.upstream.sent[0]?.text).toContain('zebra');
    expect(made.upstream.sent[0]?.text).toContain('Which word?');
    await expectOver(made, null, 2);
  });

  test('of an invalid request is refused like that request', async () => {
    const { made, warmUp } = warming();
    expect((await warmUp({ model: 'other' })).outbound).toMatchObject({ status: 404 });
    expect((await warmUp({ input: [{ type: 'message', role: 'user' }] })).outbound).toMatchObject({ status: 400 });
    expect(made.records).toMatchObject([{ status: 404 }, { status: 400 }]);
    expect(made.steps).not.toContain('reserve');
  });

  test('fails while no channel is available', async () => {
    const { made, target, warmUp } = warming();
    target.health.channel.block = { atMs: 0, reason: 'The key is wrong.' };
    expect((await warmUp({})).outbound).toMatchObject({ status: 503 });
    await expectOver(made, 'no_channel_available');
  });
});
