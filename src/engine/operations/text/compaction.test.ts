import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../../domain/catalog/channel.ts';
import { sampleBillable } from '../../../domain/exchange/testing/sample-usage.ts';
import { STATE_MARKER } from '../../../formats/text/shared/state-token.ts';
import * as answers from '../../call/testing/sample-answers.ts';
import { expectOver, gateway, told } from '../../call/testing/sample-gateway.ts';
import { type Body, GENERATE } from '../../call/testing/sample-requests.ts';
import { channelOf, directoryOf } from '../../call/testing/sample-routes.ts';

const RESPONSES = 'openai-responses';
const call = { ...GENERATE, purpose: 'compact' } as const;
const [KEEPER, CHAT] = [channelOf('k', 'keeping'), channelOf('c', 'chatting', { priority: 1 })];

const compacted = () =>
  answers.json({
    ...{ id: 'resp_9', object: 'response.compaction', created_at: 1 },
    output: [{ id: 'cmp_9', type: 'compaction', encrypted_content: 'theirs' }],
    usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 },
  });

/** Compacts a conversation in a gateway with these channels. */
function compacting(channels: readonly Channel[]) {
  const directory = directoryOf(channels);
  const made = gateway({ directory: () => directory });
  const compact = async (fields: Body = {}) => {
    const outbound = await made.ask(fields, { format: RESPONSES, call });
    return { outbound, body: JSON.parse(await told(outbound)) };
  };
  const urls = () => made.upstream.sent.map(({ request }) => request.url);
  return { made, compact, urls };
}

describe('a conversation is compacted', () => {
  test('at the provider’s endpoint, with the client’s bytes', async () => {
    const { made, compact, urls } = compacting([KEEPER]);
    made.upstream.script('k', compacted());
    const { body } = await compact({ their_own: 1 });
    expect(urls()).toEqual(['http://k.example/v1/responses/compact']);
    expect(JSON.parse(made.upstream.sent[0]?.text ?? '')).toMatchObject({ model: 'up', their_own: 1 });
    expect(body).toMatchObject({ output: [{ type: 'compaction', encrypted_content: 'theirs' }] });
    expect(made.records).toMatchObject([{ billable: sampleBillable({ input: 7, output: 5 }), costNanoUsd: 42n }]);
    await expectOver(made, null);
  });

  test('as a summary by the model if the provider has no endpoint, and can be continued', async () => {
    const { made, compact, urls } = compacting([CHAT]);
    made.upstream.script('c', answers.chatAnswer('They want a zebra.'), answers.chatAnswer());
    const { body } = await compact({ input: 'I want a zebra.' });
    expect(urls()).toEqual(['http://c.example/v1/chat/completions']);
    expect(made.upstream.sent[0]?.text).toContain('replaced by a summary');
    const sealed = body.output.find(({ type }: Body) => type === 'compaction');
    expect(sealed.encrypted_content).not.toContain('zebra');
    await made.ask({ input: body.output }, { format: RESPONSES });
    expect(made.upstream.sent[1]?.text).toContain('They want a zebra.');
    await expectOver(made, null, 2);
  });

  test('as a summary by the same channel if its address lacks the endpoint', async () => {
    const { made, compact, urls } = compacting([KEEPER, CHAT]);
    made.upstream.script('k', answers.refusal(404), answers.responsesAnswer('They want a zebra.'));
    expect((await compact()).outbound).toMatchObject({ status: 200 });
    expect(urls()).toEqual(['http://k.example/v1/responses/compact', 'http://k.example/v1/responses']);
    expect(made.upstream.sent[1]?.text).toContain('replaced by a summary');
    expect(made.records).toMatchObject([{ retryCount: 1, failedAttempts: [{ channelId: 'k', kind: 'http_404' }] }]);
    await expectOver(made, null);
  });

  test('without effect on the generations of that address, or the next compaction', async () => {
    const { made, compact, urls } = compacting([KEEPER]);
    made.upstream.script('k', answers.refusal(404), answers.responsesAnswer('They want a zebra.'));
    await compact();
    // If the conversation contains state of another provider family, a summary is requested at once, from the same target as a generation.
    made.upstream.script('k', answers.refusal(404), answers.chatAnswer('They want a zebra.'));
    await compact({ input: `Of another family: ${STATE_MARKER}abc` });
    made.upstream.script('k', answers.responsesAnswer(), compacted());
    await made.ask({}, { format: RESPONSES });
    await compact();
    expect(urls()).toEqual([
      'http://k.example/v1/responses/compact',
      'http://k.example/v1/responses',
      'http://k.example/v1/responses',
      'http://k.example/v1/chat/completions',
      'http://k.example/v1/responses',
      'http://k.example/v1/responses/compact',
    ]);
    await expectOver(made, null, 4);
  });

  test('by another channel if one fails', async () => {
    const { made, compact, urls } = compacting([KEEPER, CHAT]);
    made.upstream.script('k', answers.refusal(503)).script('c', answers.chatAnswer('They want a zebra.'));
    expect((await compact()).outbound).toMatchObject({ status: 200 });
    expect(urls()).toEqual(['http://k.example/v1/responses/compact', 'http://c.example/v1/chat/completions']);
    await expectOver(made, null);
  });

  test('unless the model writes nothing', async () => {
    const { made, compact } = compacting([CHAT]);
    made.upstream.script('c', answers.chatAnswer(''));
    expect((await compact()).outbound).toMatchObject({ status: 502 });
    await expectOver(made, 'no_summary');
  });
});

test('a summary of this gateway is expanded before it goes to the endpoint', async () => {
  const { made, compact } = compacting([CHAT]);
  made.upstream.script('c', answers.chatAnswer('They want a zebra.'));
  const { body } = await compact();
  const directory = directoryOf([KEEPER]);
  const other = gateway({ directory: () => directory });
  other.upstream.script('k', compacted());
  await other.ask({ input: body.output }, { format: RESPONSES, call });
  expect(other.upstream.sent[0]?.request.url).toBe('http://k.example/v1/responses/compact');
  expect(other.upstream.sent[0]?.text).toContain('They want a zebra.');
});
