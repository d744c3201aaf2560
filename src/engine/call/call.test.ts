import { describe, expect, test } from 'bun:test';
import { sampleBillable } from '../../domain/exchange/testing/sample-usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Outbound } from './responder.ts';
import type { AllPorts } from './testing/fake-ports.ts';
import * as answers from './testing/sample-answers.ts';
import { expectOver, type Gateway, gateway, told } from './testing/sample-gateway.ts';
import { channelOf, directoryOf } from './testing/sample-routes.ts';

const { chatText, CHAT_USAGE, CHAT_DONE } = answers;
const WHOLE_STREAM = [chatText('Hello'), chatText('', 'stop') + CHAT_USAGE, CHAT_DONE];

describe('a request', () => {
  test('is admitted before its body is read, reserved before the upstream call, and charged before it is recorded', async () => {
    const made = gateway();
    made.upstream.script('chat-a', answers.chatAnswer());
    await made.ask();
    const order = ['key used', 'admit', 'read body', 'reserve', 'ask chat-a', 'charge', 'record'];
    expect(made.steps).toEqual(order);
  });

  test('for a whole response gets it, with the common headers', async () => {
    const made = gateway();
    made.upstream.script('chat-a', answers.chatAnswer('Hello'));
    const outbound = await made.ask();
    expect(JSON.parse(await told(outbound))).toMatchObject({
      model: 'public-model',
      choices: [{ message: { content: 'Hello' } }],
      _routing: { channel: { id: 'chat-a' }, retryCount: 0 },
    });
    const headers = { 'content-type': 'application/json', 'x-request-id': 'req_1', 'x-ratelimit-limit': '10' };
    expect(outbound).toMatchObject({ kind: 'whole', status: 200, headers });
    expect(JSON.parse(outbound.headers['x-routing'] ?? '')).toMatchObject({ channel: { id: 'chat-a' } });
    expect(made.records).toMatchObject([
      {
        status: 200,
        modelId: 'public-model',
        channelId: 'chat-a',
        costNanoUsd: 42n,
        billable: sampleBillable({ input: 7, output: 5 }),
      },
    ]);
    expect(made.limits.ended).toEqual([sampleBillable({ input: 7, output: 5 })]);
    expect(made.attempts).toMatchObject([{ channelId: 'chat-a', outcome: 'answered' }]);
    await expectOver(made, null);
  });

  test('for a stream gets it as it arrives, and is over when it is read', async () => {
    const made = gateway();
    made.upstream.script('chat-a', answers.sse(...WHOLE_STREAM));
    const outbound = await made.ask({ stream: true });
    expect(outbound.kind).toBe('stream');
    expect(outbound.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-request-id': 'req_1' });
    expect(outbound.headers['content-type']).toStartWith('text/event-stream');
    expect([made.calls.inFlight, made.calls.responder.openStreams, made.records.length]).toEqual([1, 1, 0]);
    const text = await told(outbound);
    expect(text).toContain('"content":"Hello"');
    expect(text).toContain('"_routing"');
    expect(text).toEndWith(CHAT_DONE);
    expect(made.records).toMatchObject([
      { status: 200, stream: true, billable: sampleBillable({ input: 7, output: 5 }), costNanoUsd: 42n },
    ]);
    await expectOver(made, null);
  });

  test('goes to another channel if one fails, and the response says so', async () => {
    const channels = [channelOf('chat-a', 'chatting'), channelOf('chat-b', 'chatting', { priority: 1 })];
    const directory = directoryOf(channels);
    const made = gateway({ directory: () => directory });
    made.upstream.script('chat-a', answers.refusal(503)).script('chat-b', answers.chatAnswer());
    const { _routing } = JSON.parse(await told(await made.ask()));
    expect(_routing).toMatchObject({ channel: { id: 'chat-b' }, retryCount: 1 });
    expect(made.records).toMatchObject([
      { retryCount: 1, failedAttempts: [{ channelId: 'chat-a', kind: 'http_503' }] },
    ]);
    await expectOver(made, null);
  });

  test('is translated for a channel of another format, with its losses in a header', async () => {
    const directory = directoryOf([channelOf('m', 'messaging')]);
    const made = gateway({ directory: () => directory });
    made.upstream.script('m', answers.messagesAnswer('Hello'));
    const outbound = await made.ask({ seed: 1 });
    expect(outbound.headers['x-switchyard-losses']).toContain('seed');
    expect(JSON.parse(await told(outbound))).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
    await expectOver(made, null);
  });

  test('without reported usage is counted and charged before the response, which has the count', async () => {
    const cost = Promise.withResolvers<bigint>();
    const made = gateway();
    made.ports.billing.reserve = () => ({
      ...{
        ...{ dependsOnUsage: false, isPriced: true, costMember: () => '' },
        applied: null,
        withExtras: () => null,
        settle: () => cost.promise,
        release: () => {},
      },
    });
    made.upstream.script('chat-a', answers.chatAnswer('Hello', { usage: undefined }));
    const asked = made.ask();
    cost.resolve(3n);
    const answer = await asked;
    expect(answer).toMatchObject({ status: 200 });
    const body = answer.kind === 'whole' ? Buffer.from(answer.body).toString() : '';
    expect(JSON.parse(body).usage).toMatchObject({ estimated: true });
    await expectOver(made, null);
    expect(made.records).toMatchObject([{ billable: { source: 'estimated' }, costNanoUsd: 3n }]);
  });
});

describe('a request that ends early', () => {
  const refusal = (code: 'rate_limit_exceeded' | 'insufficient_balance' | 'payload_too_large') =>
    new Failure(code, { kind: 'told so', message: 'No.', side: 'client', retry: 'never' });

  const ways: readonly (readonly [string, number, string, (made: Gateway) => Promise<Outbound>, readonly string[]])[] =
    [
      [
        'the limits are used up',
        ...([429, 'told so'] as const),
        async (made) => {
          made.limits.refusal = refusal('rate_limit_exceeded');
          return made.ask();
        },
        ['key used', 'admit'],
      ],
      [
        'the body cannot be read',
        ...([413, 'told so'] as const),
        (made) => made.ask({}, { bytes: refusal('payload_too_large') }),
        ['key used', 'admit', 'read body'],
      ],
      [
        'the body is invalid',
        ...([400, 'invalid_json'] as const),
        (made) => made.ask({}, { bytes: new TextEncoder().encode('{') }),
        ['key used', 'admit', 'read body'],
      ],
      [
        'a header is invalid',
        ...([400, 'invalid_value'] as const),
        (made) => made.ask({}, { format: 'anthropic-messages', headers: { 'anthropic-beta': 'a b' } }),
        ['key used', 'admit', 'read body'],
      ],
      [
        'the model does not exist',
        ...([404, 'model_not_found'] as const),
        (made) => made.ask({ model: 'other' }),
        ['key used', 'admit', 'read body'],
      ],
      [
        'the previous response does not exist',
        ...([400, 'response_not_found'] as const),
        (made) => made.ask({ previous_response_id: 'resp_0' }, { format: 'openai-responses' }),
        ['key used', 'admit', 'read body'],
      ],
      [
        'the balance is too low',
        ...([402, 'told so'] as const),
        async (made) => {
          made.billing.refusal = refusal('insufficient_balance');
          return made.ask();
        },
        ['key used', 'admit', 'read body', 'reserve'],
      ],
      [
        'the only upstream fails',
        ...([502, 'http_501'] as const),
        async (made) => {
          made.upstream.script('chat-a', ...Array(3).fill(answers.refusal(501)));
          return made.ask();
        },
        ['key used', 'admit', 'read body', 'reserve', 'ask chat-a', 'ask chat-a', 'ask chat-a', 'release'],
      ],
      [
        'the client disconnects during the upstream call',
        ...([499, 'client_closed_request'] as const),
        async (made) => {
          const leaving = new AbortController();
          made.upstream.script('chat-a', () => {
            queueMicrotask(() => leaving.abort());
            return Promise.withResolvers<Failure>().promise;
          });
          return made.ask({}, { signal: leaving.signal });
        },
        ['key used', 'admit', 'read body', 'reserve', 'ask chat-a', 'release'],
      ],
    ];

  test.each(ways)(
    'because %s gets a %d, is recorded once and leaves nothing reserved',
    async (_, status, kind, run, steps) => {
      const made = gateway();
      const outbound = await run(made);
      expect(outbound).toMatchObject({ kind: 'whole', status });
      expect(made.steps).toEqual([...steps, 'record']);
      expect(made.records).toMatchObject([{ status, billable: null, costNanoUsd: 0n }]);
      expect(made.records[0]?.clientGone).toBe(status === 499);
      await expectOver(made, kind);
    },
  );

  test('because of an invalid key has its body unread, and no row', async () => {
    const made = gateway({ principals: { find: () => null } });
    expect(await made.ask()).toMatchObject({ status: 401 });
    expect(await made.ask({}, { secret: null })).toMatchObject({ status: 401 });
    expect(made.steps).toEqual([]);
    await expectOver(made, null, 0);
  });
});

describe('a bug', () => {
  const boom = () => {
    throw new Error('a secret of the inside');
  };
  const places: readonly (readonly [string, Partial<AllPorts>])[] = [
    ['the directory', { directory: boom }],
    ['the limits', { limits: { admit: boom } }],
    ['the billing', { billing: { reserve: boom, promised: boom } }],
    ['the upstream', { upstream: { send: boom, interrupt: () => {} } }],
  ];

  test.each(places)('in %s is a 500 with the request id and without details, which the log has', async (_, ports) => {
    const made = gateway(ports);
    const outbound = await made.ask();
    const text = await told(outbound);
    expect(outbound).toMatchObject({ kind: 'whole', status: 500 });
    expect(text).toContain('req_1');
    expect(text).not.toContain('secret of the inside');
    const line = made.lines.find(({ level }) => level === 'error');
    expect(JSON.stringify(line)).toContain('a secret of the inside');
    expect(line?.requestId).toBe('req_1');
    expect([made.calls.inFlight, made.open.count]).toEqual([0, 0]);
    expect(made.billing.isEven).toBe(true);
  });
});

describe('a response that cannot be charged', () => {
  const failing = () => {
    const made = gateway();
    made.billing.cost = () => Promise.reject(new Error('the disk is full'));
    return made;
  };

  test('is not sent whole', async () => {
    const made = failing();
    made.upstream.script('chat-a', answers.chatAnswer('Hello'));
    const outbound = await made.ask();
    expect(outbound).toMatchObject({ status: 500 });
    expect(await told(outbound)).not.toContain('Hello');
    expect(made.records).toMatchObject([{ costNanoUsd: null }]);
    await expectOver(made, 'not_charged');
  });

  test('is sent without an end as a stream', async () => {
    const made = failing();
    made.upstream.script('chat-a', answers.sse(...WHOLE_STREAM));
    const text = await told(await made.ask({ stream: true }));
    expect(text).toContain('Hello');
    expect(text).toContain('"error"');
    expect(text).not.toContain('"finish_reason":"stop"');
    await expectOver(made, 'not_charged');
  });
});

describe('a stream', () => {
  test('whose upstream breaks off ends with an error, and its channel learns of it', async () => {
    const made = gateway();
    made.upstream.script('chat-a', answers.sse(chatText('Hello'), answers.reset()));
    expect(await told(await made.ask({ stream: true }))).toContain('"error"');
    expect(made.attempts).toMatchObject([{ outcome: 'failed', kind: 'reset' }]);
    await expectOver(made, 'reset');
    expect(made.records).toMatchObject([{ status: 200, billable: { source: 'estimated' } }]);
  });

  test('whose client disconnects is charged for what was produced, and its upstream is cancelled', async () => {
    const made = gateway();
    made.upstream.script('chat-a', answers.sse(chatText('Hello'), Promise.withResolvers<string>().promise));
    const outbound = await made.ask({ stream: true });
    if (outbound.kind !== 'stream') throw new Error('it is no stream');
    await outbound.stream.next();
    outbound.stream.clientLeft();
    await expectOver(made, 'client_closed_request');
    expect(made.records).toMatchObject([{ clientGone: true, billable: { source: 'estimated' } }]);
    expect(made.upstream.sent[0]?.body?.isCancelled).toBe(true);
    expect(made.attempts).toMatchObject([{ outcome: 'abandoned' }]);
  });

  test('is cut off at shutdown, even if its client does not read', async () => {
    const made = gateway();
    made.upstream.script('chat-a', answers.sse(chatText('Hello'), Promise.withResolvers<string>().promise));
    const outbound = await made.ask({ stream: true });
    made.calls.responder.cutOff(
      new Failure('upstream_error', { kind: 'shutdown', side: 'gateway', message: 'It stops.' }),
    );
    await expectOver(made, 'shutdown');
    expect(await told(outbound)).toContain('It stops.');
  });

  test('without content starts with pings, and is one request until its end', async () => {
    const made = gateway({ pings: { intervalMs: 1_000 } });
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof answers.sse>>();
    made.upstream.script('chat-a', promise);
    const running = made.ask({ stream: true });
    await Bun.sleep(0);
    made.calls.responder.look();
    const outbound = await running;
    expect(outbound.kind).toBe('stream');
    expect([made.calls.inFlight, made.records.length]).toEqual([1, 0]);
    resolve(answers.sse(...WHOLE_STREAM));
    const text = await told(outbound);
    expect(text).toStartWith(':');
    expect(text).toContain('"content":"Hello"');
    await expectOver(made, null);
  });

  test('that started with pings and gets no response ends with the failure', async () => {
    const made = gateway({ pings: { intervalMs: 1_000 } });
    const { promise, resolve } = Promise.withResolvers<Failure>();
    made.upstream.script('chat-a', promise);
    const running = made.ask({ stream: true });
    await Bun.sleep(0);
    made.calls.responder.look();
    const outbound = await running;
    resolve(answers.tooSlow());
    expect(await told(outbound)).toContain('The upstream did not begin to answer.');
    await expectOver(made, 'first_byte_timeout');
    expect(made.records).toMatchObject([{ status: 200, errorCode: 'timeout_error' }]);
  });
});

test('a response is stored before its end is sent, and can be continued', async () => {
  const directory = directoryOf([channelOf('chat-a', 'chatting')]);
  const made = gateway({ directory: () => directory });
  made.upstream.script('chat-a', answers.chatAnswer('Hello'), answers.chatAnswer('Again'));
  const first = JSON.parse(await told(await made.ask({}, { format: 'openai-responses' })));
  expect(await made.responses.get('acme', first.id)).not.toBeNull();
  await made.ask({ input: 'And now?', previous_response_id: first.id }, { format: 'openai-responses' });
  const { messages } = JSON.parse(made.upstream.sent[1]?.text ?? '');
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
  await expectOver(made, null, 2);
});
