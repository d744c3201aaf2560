import { describe, expect, test } from 'bun:test';
import { sampleBillable } from '../../domain/exchange/testing/sample-usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { NOTHING_BILLABLE } from '../../domain/money/quantity.ts';
import { Outcome } from './outcome.ts';
import { FakeReservation } from './testing/fake-money.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { channelOf, targetOf } from './testing/sample-routes.ts';

const billable = sampleBillable({ input: 7, cachedInput: 1, cacheWrite: 2, output: 5, reasoning: 3 });

/** A request of an account that has been put money aside for and that a channel was asked for. */
function running(cost: () => bigint | null | Promise<bigint | null> = () => 42n) {
  const fakes = fakePorts();
  const outcome = new Outcome(fakes.ports, 'req_1', 'openai-chat');
  outcome.principal = fakes.principal;
  outcome.admission = fakes.limits.admit();
  const reservation = new FakeReservation(cost);
  outcome.reservation = reservation;
  outcome.target = targetOf(channelOf('chat-a', 'chatting'));
  return { ...fakes, outcome, reservation };
}

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

  test('with who asked for what, who answered, and how it went', async () => {
    const { outcome, records, clock } = running();
    const atMs = clock.nowMs();
    outcome.modelId = 'public-model';
    outcome.stream = true;
    outcome.status = 200;
    outcome.retryCount = 1;
    outcome.failedAttempts.push({ channelId: 'chat-b', kind: 'reset', latencyMs: 3 });
    outcome.upstreamRequestId = 'theirs-1';
    outcome.served = { model: 'models/up-2024', serviceTier: null };
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
        failedAttempts: [{ channelId: 'chat-b', kind: 'reset', latencyMs: 3 }],
        ...{ billable, costNanoUsd: 42n, upstreamRequestId: 'theirs-1' },
      },
    ]);
  });

  test('with its failure, and a warning that names the side', () => {
    const { outcome, records, lines } = running();
    outcome.failure = new Failure('upstream_error', { kind: 'reset', message: 'A secret of the prompt.' });
    outcome.status = 502;
    outcome.record();
    expect(records).toMatchObject([{ status: 502, errorCode: 'upstream_error', failureKind: 'reset' }]);
    expect(lines).toMatchObject([{ level: 'warn', requestId: 'req_1', kind: 'reset', side: 'upstream' }]);
    expect(JSON.stringify(lines)).not.toContain('A secret of the prompt');
  });

  test('without a row and with no more than a debug line where nobody is known to have asked', () => {
    const fakes = fakePorts();
    const outcome = new Outcome(fakes.ports, 'req_1', 'openai-chat');
    outcome.failure = new Failure('invalid_api_key', { message: 'No key.' });
    outcome.record();
    expect(fakes.records).toEqual([]);
    expect(fakes.open.count).toBe(0);
    expect(fakes.lines).toMatchObject([{ level: 'debug' }]);
  });

  test('as private where no shared channel had a part in it', () => {
    const recordOf = (owner: string | null, mayUsePlatform: boolean) => {
      const { outcome, records } = running();
      outcome.target = owner === 'none' ? null : targetOf(channelOf('a', 'chatting', { owner }));
      outcome.mayUsePlatform = mayUsePlatform;
      outcome.record();
      return records[0]?.isPrivate;
    };
    expect([recordOf(null, false), recordOf('acme', true)]).toEqual([false, true]);
    expect([recordOf('none', false), recordOf('none', true)]).toEqual([true, false]);
  });

  test('with the answer’s model only where it is another one, and no longer than a name', () => {
    const answerModel = (model: string | null) => {
      const { outcome, records } = running();
      outcome.served = { model, serviceTier: null };
      outcome.record();
      return records[0]?.answerModel;
    };
    expect(answerModel('models/up')).toBeNull();
    expect(answerModel(null)).toBeNull();
    expect(answerModel('x'.repeat(1_000))).toBe('x'.repeat(200));
  });
});

describe('what was put aside', () => {
  test('is settled by the usage with the channel that answered, and not given back after that', async () => {
    const { outcome, reservation, limits } = running();
    await outcome.charge(billable);
    outcome.record();
    const answeredBy = { channelId: 'chat-a', isPrivate: false, tierFactor: null };
    expect(reservation.settled).toEqual([{ billable, answeredBy }]);
    expect(reservation.releases).toBe(0);
    expect(limits.ended).toEqual([billable]);
  });

  test('is given back where nothing was charged', () => {
    const { outcome, reservation, records, limits } = running();
    outcome.record();
    expect([reservation.releases, reservation.settled.length]).toEqual([1, 0]);
    expect(records).toMatchObject([{ billable: null, costNanoUsd: 0n }]);
    expect(limits.ended).toEqual([null]);
  });

  test('is waited for where the charge has to be durable, and its cost is not known until then', async () => {
    const { promise, resolve } = Promise.withResolvers<bigint>();
    const { outcome } = running(() => promise);
    const charging = outcome.charge(billable);
    expect(charging).toBeInstanceOf(Promise);
    expect(outcome.costNanoUsd).toBeNull();
    resolve(9n);
    await charging;
    expect(outcome.costNanoUsd).toBe(9n);
  });

  test('whose charge fails leaves the cost unknown, and is settled no second time', async () => {
    const { outcome, reservation, records } = running(() => Promise.reject(new Error('the disk is full')));
    await expect(Promise.resolve(outcome.charge(billable))).rejects.toThrow('the disk is full');
    await outcome.charge(billable);
    outcome.record();
    expect([reservation.settled.length, reservation.releases]).toEqual([1, 0]);
    expect(records).toMatchObject([{ billable, costNanoUsd: null }]);
  });

  test('is settled by nothing but the fee where no model answers', async () => {
    const { outcome, reservation, records } = running();
    await outcome.chargeFee();
    outcome.record();
    expect(reservation.settled).toMatchObject([{ billable: NOTHING_BILLABLE }]);
    expect(records).toMatchObject([{ billable: null, costNanoUsd: 42n }]);
  });

  test('for nothing is charged nothing, though the usage is known', async () => {
    const { outcome, records } = running();
    outcome.reservation = null;
    await outcome.charge(billable);
    outcome.record();
    expect(records).toMatchObject([{ billable, costNanoUsd: 0n }]);
  });
});

describe('the end of an answer', () => {
  test('ends its latency; what is counted after that was not the client’s to wait for', () => {
    const { outcome, clock, records } = running();
    clock.advance(5);
    outcome.over();
    clock.advance(1_000);
    outcome.record();
    expect(records).toMatchObject([{ latencyMs: 5, firstByteMs: null }]);
  });

  test('gives back what the request holds, once, and though nobody says that it is over', () => {
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

  test('that cannot be charged is told in the log, by the request', () => {
    const { outcome, lines } = running();
    outcome.notCharged(new Error('the disk is full'));
    expect(lines).toMatchObject([{ level: 'error', requestId: 'req_1', error: 'Error: the disk is full' }]);
  });
});
