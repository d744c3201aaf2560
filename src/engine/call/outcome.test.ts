import { describe, expect, test } from 'bun:test';
import { sampleBillable } from '../../domain/exchange/testing/sample-usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { NOTHING_BILLABLE } from '../../domain/money/quantity.ts';
import { sampleIdentity } from '../../domain/testing/sample-identity.ts';
import { Outcome } from './outcome.ts';
import { FakeReservation } from './testing/fake-money.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { channelOf, targetOf } from './testing/sample-routes.ts';

const billable = sampleBillable({ input: 7, cachedInput: 1, cacheWrite: 2, output: 5, reasoning: 3 });

/** Makes a request of an account with a reservation and one attempt begun. */
function running(cost: () => bigint | null | Promise<bigint | null> = () => 42n) {
  const fakes = fakePorts();
  const outcome = new Outcome(fakes.ports, sampleIdentity(), 'openai-chat');
  outcome.admittedAs(fakes.principal);
  outcome.limitedBy(fakes.limits.admit());
  const reservation = new FakeReservation(cost);
  outcome.reserved(reservation);
  outcome.attemptBegan(targetOf(channelOf('chat-a', 'chatting')), 0);
  return { ...fakes, outcome, reservation };
}

/** Makes an admitted request without an attempt. */
function admitted() {
  const fakes = fakePorts();
  const outcome = new Outcome(fakes.ports, sampleIdentity(), 'openai-chat');
  outcome.admittedAs(fakes.principal);
  return { ...fakes, outcome };
}

const RESET = 'A secret of the prompt.';
const reset = () => new Failure('upstream_error', { kind: 'reset', message: RESET });

describe('a request is recorded', () => {
  test('once, however often it ends', () => {
    const { outcome, records, limits, open, lines, reservation } = running();
    expect(open.count).toBe(1);
    outcome.record();
    outcome.record();
    expect(records).toHaveLength(1);
    expect(limits.ended).toHaveLength(1);
    expect(lines).toHaveLength(1);
    expect(open.count).toBe(0);
    expect(reservation.releases).toBe(1);
  });

  test('with the caller, the target and the outcome', async () => {
    const { outcome, records, clock } = admitted();
    const atMs = clock.nowMs();
    outcome.reserved(new FakeReservation(() => 42n));
    outcome.asks({ stream: true });
    outcome.names('public-model');
    outcome.attemptBegan(targetOf(channelOf('chat-b', 'chatting')), 0);
    outcome.attemptFailed(reset(), 3);
    outcome.attemptBegan(targetOf(channelOf('chat-a', 'chatting')), 1);
    outcome.heard({ status: 200, headers: new Headers({ 'x-request-id': 'theirs-1' }) });
    outcome.servedAs({ model: 'models/up-2024', serviceTier: null });
    outcome.answers(200);
    clock.advance(10);
    outcome.firstByteSent();
    clock.advance(10);
    outcome.firstByteSent();
    await outcome.charge(billable);
    outcome.record();
    expect(records).toEqual([
      {
        ...{ requestId: 'req_1', atMs, accountId: 'acme', keyId: 'ci', format: 'openai-chat' },
        ...{ modelId: 'public-model', channelId: 'chat-a', provider: 'chatting', upstreamModel: 'up' },
        ...{ answerModel: 'up-2024', stream: true, status: 200, errorCode: null, failureKind: null },
        ...{ clientGone: false, isPrivate: false, retryCount: 1, latencyMs: 20, firstByteMs: 10 },
        failedAttempts: [
          { channelId: 'chat-b', kind: 'reset', latencyMs: 3, provider: 'chatting', beganMs: 0, message: RESET },
        ],
        ...{ billable, costNanoUsd: 42n, upstreamRequestId: 'theirs-1', cacheMatch: null, cacheEntryId: null },
        times: {
          ...{ admittedMs: null, queuedMs: null, lookedUpMs: null, askedMs: 0, heardMs: 0, upstreamStatus: 200 },
          ...{ answeredMs: 20, chargedMs: 20 },
        },
      },
    ]);
  });

  test('with its failure, and a warning that names the side at fault', () => {
    const { outcome, records, lines } = running();
    outcome.failed(reset(), 502);
    outcome.record();
    expect(records).toMatchObject([
      { status: 502, errorCode: 'upstream_error', failureKind: 'reset', clientGone: false },
    ]);
    expect(lines).toMatchObject([{ level: 'warn', requestId: 'req_1', failureKind: 'reset', errorSide: 'upstream' }]);
    expect(JSON.stringify(lines)).not.toContain('A secret of the prompt');
  });

  test('with what the client was told, bounded and without secrets', () => {
    const { outcome, records } = admitted();
    const message = `\`temperature\` must be a number; got "Bearer abc.def"\n${'x'.repeat(3_000)}`;
    const details = { message, param: 'temperature', hint: 'Send one at https://me:mine@docs.example/?api_key=k1' };
    outcome.failed(new Failure('invalid_type', details), 400);
    outcome.record();
    const told = records[0]?.told;
    expect(told?.message).toStartWith('`temperature` must be a number; got "Bearer [redacted]" xxx');
    expect(told?.message).toHaveLength(1_000);
    expect(told?.message).toEndWith('x…');
    expect(told?.hint).toBe('Send one at https://[redacted]@docs.example/?api_key=[redacted]');
    expect(told?.param).toBe('temperature');
    expect(told).not.toHaveProperty('side');
  });

  test('with the side at fault only if it is not the usual one of the code', () => {
    const { outcome, records } = admitted();
    outcome.failed(new Failure('rate_limit_exceeded', { message: 'Slow down.', side: 'client' }), 429);
    outcome.record();
    expect(records[0]?.told).toEqual({ message: 'Slow down.', side: 'client' });
  });

  test('with the model that the client wrote only if it was not found', () => {
    const requested = (found: string | null) => {
      const { outcome, records } = admitted();
      outcome.wants(`gpt-fünf\n${'x'.repeat(300)}`);
      outcome.names(found);
      outcome.record();
      return records[0];
    };
    expect(requested(null)?.requestedModel).toBe(`gpt-fünf ${'x'.repeat(246)}…`);
    expect(requested(`gpt-fünf\n${'x'.repeat(300)}`)).not.toHaveProperty('requestedModel');
  });

  test('without a failure and a requested model if it succeeded', () => {
    const { outcome, records } = running();
    outcome.wants('m');
    outcome.names('m');
    outcome.answers(200);
    outcome.record();
    expect(records[0]).not.toHaveProperty('told');
    expect(records[0]).not.toHaveProperty('requestedModel');
  });

  test('without a row, and with a debug line at most, if the caller is unknown', () => {
    const fakes = fakePorts();
    const outcome = new Outcome(fakes.ports, sampleIdentity(), 'openai-chat');
    outcome.failed(new Failure('invalid_api_key', { message: 'No key.' }), 401);
    outcome.record();
    expect(fakes.records).toEqual([]);
    expect(fakes.open.count).toBe(0);
    expect(fakes.lines).toMatchObject([{ level: 'debug' }]);
  });

  test('as private if no shared channel took part', () => {
    const recordOf = (owner: string | null, platform: boolean) => {
      const { outcome, records } = admitted();
      if (owner !== 'none') outcome.attemptBegan(targetOf(channelOf('a', 'chatting', { owner })), 0);
      outcome.mayUse({ platform });
      outcome.record();
      return records[0]?.isPrivate;
    };
    expect([recordOf(null, false), recordOf('acme', true)]).toEqual([false, true]);
    expect([recordOf('none', false), recordOf('none', true)]).toEqual([true, false]);
  });

  test('with the model of the response only if it differs, and truncated to the length of a name', () => {
    const answerModel = (model: string | null) => {
      const { outcome, records } = running();
      outcome.servedAs({ model, serviceTier: null });
      outcome.record();
      return records[0]?.answerModel;
    };
    expect(answerModel('models/up')).toBeNull();
    expect(answerModel(null)).toBeNull();
    expect(answerModel('x'.repeat(1_000))).toBe('x'.repeat(200));
  });
});

describe('an attempt', () => {
  test('that failed is in the record, and in a warning without the prompt', () => {
    const { outcome, records, lines } = running();
    outcome.heard({ status: 502, headers: new Headers({ 'x-request-id': 'theirs-1' }) });
    outcome.attemptFailed(reset(), 12);
    expect(lines).toEqual([
      {
        ...{ level: 'warn', message: 'attempt failed', requestId: 'req_1', channelId: 'chat-a', provider: 'chatting' },
        ...{ failureKind: 'reset', errorSide: 'upstream', upstreamStatus: 502, upstreamRequestId: 'theirs-1' },
        latencyMs: 12,
      },
    ]);
    outcome.record();
    expect(records[0]?.failedAttempts).toEqual([
      {
        ...{ channelId: 'chat-a', provider: 'chatting', kind: 'reset', latencyMs: 12 },
        ...{ beganMs: 0, heardMs: 0, status: 502, upstreamRequestId: 'theirs-1', message: RESET },
      },
    ]);
  });

  test("at the account's own channel is marked as such", () => {
    const { outcome, records } = admitted();
    outcome.attemptBegan(targetOf(channelOf('own', 'chatting', { owner: 'acme' })), 0);
    outcome.attemptFailed(reset(), 1);
    outcome.record();
    expect(records[0]?.failedAttempts).toMatchObject([{ channelId: 'own', isPrivate: true }]);
  });

  test.each(['upstream_auth', 'upstream_quota'])(
    'that failed with the provider’s %s has its message in the log',
    (kind) => {
      const { outcome, lines } = running();
      outcome.attemptFailed(new Failure('upstream_error', { kind, message: 'The key is used up.' }), 1);
      expect(lines).toMatchObject([{ failureKind: kind, reason: 'The key is used up.' }]);
    },
  );

  test('that ended because of the client is not a failed one', () => {
    const { outcome, records, lines } = running();
    outcome.attemptFailed(new Failure('client_closed_request', { message: 'The client has left.' }), 1);
    outcome.attemptFailed(new Failure('invalid_request', { message: 'No.' }), 1);
    expect(lines).toEqual([]);
    outcome.record();
    expect(records[0]?.failedAttempts).toEqual([]);
  });

  test("has its upstream's request id, and its `_routing` entry", () => {
    const { outcome, records } = running();
    expect(admitted().outcome.routing).toBeNull();
    expect(JSON.parse(outcome.routing?.json ?? '')).toMatchObject({ channel: { id: 'chat-a' }, retryCount: 0 });
    outcome.heard({ status: 503, headers: new Headers({ 'x-request-id': 'theirs-1' }) });
    outcome.attemptBegan(targetOf(channelOf('chat-b', 'chatting')), 1);
    expect(JSON.parse(outcome.routing?.json ?? '')).toMatchObject({ channel: { id: 'chat-b' }, retryCount: 1 });
    outcome.record();
    expect(records).toMatchObject([{ channelId: 'chat-b', retryCount: 1, upstreamRequestId: null }]);
  });

  test('did not happen if the response names a channel that was not called', () => {
    const { outcome, records } = admitted();
    outcome.namesTarget(targetOf(channelOf('chat-a', 'chatting')), 0);
    outcome.answers(200);
    outcome.record();
    expect(records).toMatchObject([{ channelId: 'chat-a', retryCount: 0, upstreamRequestId: null, billable: null }]);
  });
});

describe('a reservation', () => {
  test('is settled by usage with the channel that responded, and not released after that', async () => {
    const { outcome, reservation, limits } = running();
    await outcome.charge(billable);
    outcome.record();
    const answeredBy = { channelId: 'chat-a', isPrivate: false, tierFactor: null };
    expect(reservation.settled).toEqual([{ billable, answeredBy }]);
    expect(reservation.releases).toBe(0);
    expect(limits.ended).toEqual([billable]);
  });

  test('is released if nothing was charged', () => {
    const { outcome, reservation, records, limits } = running();
    outcome.record();
    expect([reservation.releases, reservation.settled.length]).toEqual([1, 0]);
    expect(records).toMatchObject([{ billable: null, costNanoUsd: 0n }]);
    expect(limits.ended).toEqual([null]);
  });

  test('is awaited if the charge must be durable, and its cost is unknown until then', async () => {
    const { promise, resolve } = Promise.withResolvers<bigint>();
    const early = running(() => promise);
    void early.outcome.charge(billable);
    early.outcome.record();
    expect(early.records).toMatchObject([{ billable, costNanoUsd: null }]);
    const { outcome, records } = running(() => promise);
    const charging = outcome.charge(billable);
    expect(charging).toBeInstanceOf(Promise);
    resolve(9n);
    await charging;
    outcome.record();
    expect(records).toMatchObject([{ billable, costNanoUsd: 9n }]);
  });

  test('whose charge fails leaves the cost unknown, and is not settled again', async () => {
    const { outcome, reservation, records } = running(() => Promise.reject(new Error('the disk is full')));
    await expect(Promise.resolve(outcome.charge(billable))).rejects.toThrow('the disk is full');
    await outcome.charge(billable);
    outcome.record();
    expect([reservation.settled.length, reservation.releases]).toEqual([1, 0]);
    expect(records).toMatchObject([{ billable, costNanoUsd: null }]);
  });

  test('is settled with the fee alone if no model responds', async () => {
    const { outcome, reservation, records } = running();
    await outcome.chargeFee();
    outcome.record();
    expect(reservation.settled).toMatchObject([{ billable: NOTHING_BILLABLE }]);
    expect(records).toMatchObject([{ billable: null, costNanoUsd: 42n }]);
  });

  test('of a free request is charged nothing, even with known usage', async () => {
    const { outcome, records } = admitted();
    outcome.attemptBegan(targetOf(channelOf('chat-a', 'chatting')), 0);
    expect([outcome.dependsOnUsage, outcome.isCharged]).toEqual([false, false]);
    await outcome.charge(billable);
    outcome.record();
    expect(outcome.isCharged).toBe(true);
    expect(records).toMatchObject([{ billable, costNanoUsd: 0n }]);
  });

  test('that is refused returns the failure, and nothing is buffered', async () => {
    const { outcome, records } = admitted();
    const refusal = new Failure('insufficient_balance', { message: 'There is not enough money.' });
    expect(outcome.reserved(refusal)).toBe(refusal);
    expect(outcome.dependsOnUsage).toBe(false);
    expect(outcome.withExtras(null)).toBeNull();
    outcome.record();
    expect(records).toMatchObject([{ billable: null, costNanoUsd: 0n }]);
  });

  test('is checked for the surcharge of a target', () => {
    const { outcome, reservation } = running();
    const refusal = new Failure('insufficient_balance', { message: 'There is not enough money.' });
    expect(outcome.withExtras(null)).toBeNull();
    reservation.withExtras = () => refusal;
    expect(outcome.withExtras(null)).toBe(refusal);
  });
});

describe('the end of a response', () => {
  test('ends its latency; later counting is not included', () => {
    const { outcome, clock, records } = running();
    clock.advance(5);
    outcome.over();
    clock.advance(1_000);
    outcome.record();
    expect(records).toMatchObject([{ latencyMs: 5, firstByteMs: null }]);
  });

  test('releases what the request holds, once, even if the end is not reported', () => {
    const { outcome } = running();
    const released: string[] = [];
    outcome.whenOver(() => released.push('a'));
    outcome.over();
    outcome.whenOver(() => released.push('b'));
    outcome.record();
    outcome.record();
    outcome.over();
    expect(released).toEqual(['a', 'b']);
  });

  test('as a failed stream keeps the status that the client got', () => {
    const { outcome, records } = running();
    outcome.answers(200);
    outcome.failed(reset());
    outcome.record();
    expect(records).toMatchObject([{ status: 200, failureKind: 'reset', clientGone: false }]);
  });

  test('that the client did not wait for is recorded, whether or not it is a failure', () => {
    const left = running();
    left.outcome.failed(new Failure('client_closed_request', { message: 'The client has left.' }), 499);
    left.outcome.record();
    expect(left.records).toMatchObject([{ clientGone: true, errorCode: 'client_closed_request' }]);
    const whole = running();
    whole.outcome.answers(200);
    whole.outcome.clientLeft();
    whole.outcome.record();
    expect(whole.records).toMatchObject([{ clientGone: true, errorCode: null, status: 200 }]);
  });

  test('is reported once everything is recorded', () => {
    const fakes = fakePorts();
    const told: number[] = [];
    const outcome = new Outcome(fakes.ports, sampleIdentity(), 'openai-chat', () => told.push(fakes.records.length));
    outcome.admittedAs(fakes.principal);
    outcome.over();
    expect(told).toEqual([]);
    outcome.record();
    outcome.record();
    expect(told).toEqual([1]);
  });

  test('that cannot be charged is logged with the request id', () => {
    const { outcome, lines } = running();
    outcome.notCharged(new Error('the disk is full'));
    expect(lines).toMatchObject([{ level: 'error', requestId: 'req_1', error: 'Error: the disk is full' }]);
  });
});
