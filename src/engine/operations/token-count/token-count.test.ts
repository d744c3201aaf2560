import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../../domain/catalog/channel.ts';
import { DEFAULT_BREAKER } from '../../../domain/routing/breaker-settings.ts';
import type { InboundCall } from '../../../formats/text/client-request.ts';
import * as answers from '../../call/testing/sample-answers.ts';
import { expectOver, gateway, told } from '../../call/testing/sample-gateway.ts';
import { type Body, GENERATE } from '../../call/testing/sample-requests.ts';
import { channelOf, directoryOf, MODEL } from '../../call/testing/sample-routes.ts';
import { TokenCountOperation } from './token-count.ts';

const MESSAGES = 'anthropic-messages';
const call: InboundCall = { ...GENERATE, purpose: 'count-tokens' };
const [M, N, C] = [
  channelOf('m', 'messaging'),
  channelOf('n', 'messaging', { priority: 1 }),
  channelOf('c', 'chatting', { priority: 2 }),
];

const counted = (tokens: number) => answers.json({ input_tokens: tokens, their_own: 1 });

/** Sends token counts in the Messages format to a gateway with these channels. */
function counting(channels: readonly Channel[]) {
  const directory = directoryOf(channels);
  const made = gateway({ directory: () => directory });
  const count = async (fields: Body = {}, format = MESSAGES) => {
    const outbound = await made.run(new TokenCountOperation(made.services), fields, { format, call });
    return { outbound, body: JSON.parse(await told(outbound)) as Body };
  };
  const health = (id: string) =>
    directory.routesTo(MODEL, 'acme', MESSAGES)!.targets.find(({ channel }) => channel.id === id)!.health;
  return { made, count, health };
}

describe('tokens are counted', () => {
  test('by the first channel whose provider can, at its own endpoint, free of charge', async () => {
    const { made, count } = counting([channelOf('c', 'chatting'), N]);
    made.upstream.script('n', counted(17));
    const { outbound, body } = await count();
    expect(outbound).toMatchObject({ kind: 'whole', status: 200 });
    expect(body).toMatchObject({ input_tokens: 17, their_own: 1, _routing: { channel: { id: 'n' }, retryCount: 0 } });
    expect(body.estimated).toBeUndefined();
    expect(made.upstream.sent[0]?.request.url).toBe('http://n.example/v1/messages/count_tokens');
    expect(JSON.parse(made.upstream.sent[0]?.text ?? '')).toMatchObject({ model: 'up', messages: [{ role: 'user' }] });
    expect(made.steps).toEqual(['key used', 'admit', 'read body', 'ask n', 'record']);
    expect(made.records).toMatchObject([
      { channelId: 'n', modelId: MODEL, billable: null, costNanoUsd: 0n, retryCount: 0 },
    ]);
    await expectOver(made, null);
  });

  test('for a client of another format, in that format', async () => {
    const { made, count } = counting([M]);
    made.upstream.script('m', counted(17));
    const { body } = await count({ seed: 1 }, 'openai-responses');
    expect(body).toMatchObject({ object: 'response.input_tokens', input_tokens: 17 });
    expect([body.their_own, body.estimated]).toEqual([undefined, undefined]);
    expect(JSON.parse(made.upstream.sent[0]?.text ?? '')).toMatchObject({ model: 'up', messages: [{ role: 'user' }] });
  });

  test('even if part of the request would be lost, since it is not generated', async () => {
    const otherModel = channelOf('n', 'messaging', { priority: 1, models: { [MODEL]: 'up-2' } });
    const { made, count } = counting([M, otherModel]);
    made.upstream.script('m', counted(17));
    const { outbound } = await count({ metadata: { team: 'a' } }, 'openai-responses');
    expect(made.upstream.asked).toEqual(['m']);
    expect(outbound.headers['x-switchyard-losses']).toBeUndefined();
  });

  test.each([MESSAGES, 'openai-responses'])(
    'and not generated, even if a client of %s requests a stream',
    async (format) => {
      const { made, count } = counting([M]);
      made.upstream.script('m', counted(17));
      const { outbound, body } = await count({ stream: true }, format);
      expect(outbound.kind).toBe('whole');
      expect(body.input_tokens).toBe(17);
      expect(made.upstream.sent[0]?.request.url).toBe('http://m.example/v1/messages/count_tokens');
      await expectOver(made, null);
    },
  );

  test('by the next channel if one fails', async () => {
    const { made, count } = counting([M, N, C]);
    made.upstream.script('m', answers.refusal(503)).script('n', counted(18));
    const { body } = await count();
    expect(body).toMatchObject({ input_tokens: 18, _routing: { channel: { id: 'n' }, retryCount: 1 } });
    expect(made.records).toMatchObject([{ retryCount: 1, failedAttempts: [{ channelId: 'm', kind: 'http_503' }] }]);
    await expectOver(made, null);
  });

  test('by the next channel if a response has no number', async () => {
    const { made, count } = counting([M, N]);
    made.upstream.script('m', answers.json({ ok: true })).script('n', counted(18));
    expect((await count()).body.input_tokens).toBe(18);
    expect(made.attempts).toMatchObject([{ outcome: 'failed', kind: 'garbage' }, { outcome: 'answered' }]);
  });
});

describe('the tokenizer counts, and reports it,', () => {
  test('if no channel can', async () => {
    const { made, count } = counting([C]);
    const { outbound, body } = await count();
    expect(outbound.headers['x-routing']).toContain('"c"');
    expect(body).toMatchObject({ estimated: true, _routing: { channel: { id: 'c' } } });
    expect(body.input_tokens).toBeGreaterThan(2);
    expect(made.upstream.asked).toEqual([]);
    expect(made.records).toMatchObject([{ channelId: 'c', status: 200, retryCount: 0, costNanoUsd: 0n }]);
    await expectOver(made, null);
  });

  test('if every channel that can has failed, without a second call', async () => {
    const { made, count } = counting([M]);
    made.upstream.script('m', answers.reset());
    const { outbound, body } = await count();
    expect([made.upstream.asked, made.waits]).toEqual([['m'], []]);
    expect(JSON.parse(outbound.headers['x-routing'] ?? '')).toMatchObject({ retryCount: 1 });
    expect(outbound).toMatchObject({ status: 200 });
    expect(body.estimated).toBe(true);
    expect(made.records).toMatchObject([{ status: 200, failedAttempts: [{ channelId: 'm', kind: 'reset' }] }]);
    await expectOver(made, null);
  });

  test('unless no channel is available for the model itself', async () => {
    const { made, count, health } = counting([M]);
    health('m').channel.block = { atMs: 0, reason: 'The key is wrong.' };
    const { outbound } = await count();
    expect(outbound).toMatchObject({ status: 503 });
    await expectOver(made, 'no_channel_available');
  });
});

describe('the health of token counting', () => {
  const nervous = (id: string) => channelOf(id, 'messaging', { breaker: { ...DEFAULT_BREAKER, minimumRequests: 1 } });

  test('is separate: a failure does not affect the model', async () => {
    const { made, count, health } = counting([nervous('m')]);
    made.upstream.script('m', answers.refusal(503));
    await count();
    const counter = health('m').channel.model('/count_tokens up');
    expect(counter.failures).toBe(1);
    expect(counter.admits('acme', made.clock.monotonicMs())).toBe(false);
    expect(health('m').failures).toBe(0);
    expect(health('m').admits('acme', made.clock.monotonicMs())).toBe(true);
    expect([counter.inFlight, health('m').channel.inFlight]).toEqual([0, 0]);
  });

  test('skips only the counter in cooldown: the next one counts, or the tokenizer', async () => {
    const { made, count } = counting([nervous('m'), nervous('n')]);
    made.upstream.script('m', answers.refusal(503)).script('n', counted(18), answers.refusal(503));
    expect((await count()).body.input_tokens).toBe(18);
    expect((await count()).body.estimated).toBe(true);
    expect((await count()).body.estimated).toBe(true);
    expect(made.upstream.asked).toEqual(['m', 'n', 'n']);
    await expectOver(made, null, 3);
  });

  test('does not matter if the model itself is unavailable', async () => {
    const { made, count, health } = counting([M, N]);
    health('m').channel.block = { atMs: 0, reason: 'The key is wrong.' };
    made.upstream.script('n', counted(18));
    expect((await count()).body.input_tokens).toBe(18);
    expect(made.upstream.asked).toEqual(['n']);
  });
});

describe('a client', () => {
  test('whose mistake the upstream reports gets that, without another count', async () => {
    const { made, count } = counting([M, N]);
    made.upstream.script('m', answers.refusal(400, 'There is no such role.'));
    const { outbound, body } = await count();
    expect(outbound).toMatchObject({ status: 400 });
    expect(JSON.stringify(body)).toContain('There is no such role.');
    expect(made.upstream.asked).toEqual(['m']);
    expect(made.records).toMatchObject([{ status: 400, failedAttempts: [] }]);
  });

  test('that names a member of the channel owner is refused without a call, as for a generation', async () => {
    const { made, count } = counting([M, N]);
    const { outbound, body } = await count({ deployment: 'theirs' });
    expect(outbound).toMatchObject({ status: 400 });
    expect(body).toMatchObject({ error: { message: expect.stringContaining('deployment') } });
    expect(made.upstream.asked).toEqual([]);
    await expectOver(made, 'loss_refused');
  });

  test('that names such a member is served by its own channel', async () => {
    const { made, count } = counting([M, channelOf('own', 'messaging', { owner: 'acme', priority: 9 })]);
    made.upstream.script('own', counted(19));
    expect((await count({ deployment: 'theirs' })).body.input_tokens).toBe(19);
    expect(made.upstream.asked).toEqual(['own']);
    expect(made.records).toMatchObject([{ isPrivate: true }]);
  });

  test('that requests an unknown model is refused', async () => {
    const { made, count } = counting([M]);
    expect((await count({ model: 'other' })).outbound).toMatchObject({ status: 404 });
    await expectOver(made, 'model_not_found');
  });
});
