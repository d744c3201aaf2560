import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import { RunningAttempt } from './running-attempt.ts';
import { fakePorts } from './testing/fake-ports.ts';
import { reset } from './testing/sample-answers.ts';
import { channelOf, targetOf } from './testing/sample-routes.ts';

const limited = (retryAfterMs?: number) =>
  new Failure('rate_limit_exceeded', { message: 'Too many.', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
const quota = () => new Failure('upstream_error', { kind: 'upstream_quota', message: 'No money is left.' });
const refused = () => new Failure('upstream_error', { kind: 'upstream_auth', message: 'The key is wrong.' });
const forbidden = () => new Failure('upstream_error', { kind: 'forbidden', message: 'Not allowed.' });
const wrongRequest = () => new Failure('invalid_request', { message: 'There is no such role.' });
const clientLeft = () => new Failure('client_closed_request', { message: 'The client closed the connection.' });

/** Makes a channel, and a function that begins an attempt at it. */
function asking({ isShared = false, breaker = {} } = {}) {
  const fakes = fakePorts();
  const target = targetOf(channelOf('a', 'chatting', { breaker: { ...DEFAULT_BREAKER, ...breaker } }));
  const { health } = target;
  health.channel.share(isShared);
  const tryBegin = (accountId = 'acme', stream = false) => RunningAttempt.begin(fakes.ports, target, accountId, stream);
  const begin = (accountId = 'acme', stream = false) => {
    const running = tryBegin(accountId, stream);
    if (running === null) throw new Error('the channel does not admit it');
    return running;
  };
  const admits = (accountId = 'acme') => health.admits(accountId, fakes.clock.monotonicMs());
  return { ...fakes, target, health, tryBegin, begin, admits };
}

describe('requests in flight', () => {
  test.each([
    ['answers', (running: RunningAttempt) => running.answered()],
    ['is abandoned', (running: RunningAttempt) => running.abandoned()],
    ['fails', (running: RunningAttempt) => running.failed(reset())],
    ['fails because of the client', (running: RunningAttempt) => running.failed(wrongRequest())],
  ])('one is counted until it %s, and ends once', (_, end) => {
    const { begin, health, attempts } = asking();
    const running = begin();
    begin();
    expect([health.inFlight, health.channel.inFlight]).toEqual([2, 2]);
    end(running);
    running.answered();
    running.abandoned();
    running.failed(reset());
    expect([health.inFlight, health.channel.inFlight, health.requests]).toEqual([1, 1, 1]);
    expect(attempts).toHaveLength(1);
    expect(health.isNews).toBe(true);
  });

  test('a blocked channel gets none, and none is counted', () => {
    const { tryBegin, health } = asking();
    health.channel.block = { atMs: 0, reason: 'The key is wrong.' };
    expect(tryBegin()).toBeNull();
    expect([health.inFlight, health.requests]).toEqual([0, 0]);
  });
});

describe('the outcome of an attempt', () => {
  test("is an answer with its time to the first byte, and the channel's last one", () => {
    const { begin, clock, health, attempts } = asking();
    const running = begin('acme', true);
    clock.advance(20);
    running.answering();
    clock.advance(30);
    running.answering();
    running.answered();
    expect(running.latencyMs).toBe(50);
    expect(attempts).toEqual([{ channelId: 'a', outcome: 'answered', kind: null, firstByteMs: 20 }]);
    expect(health.answeredAtMs).toBe(clock.monotonicMs());
    expect(health.firstByteMs.stream.valueAt(clock.monotonicMs())).toBe(20);
    expect(health.firstByteMs.whole.valueAt(clock.monotonicMs())).toBeNull();
  });

  test('is a failure of the upstream, by kind', () => {
    const { begin, clock, health, attempts } = asking();
    begin().failed(reset());
    expect(attempts).toEqual([{ channelId: 'a', outcome: 'failed', kind: 'reset', firstByteMs: null }]);
    expect(health.failures).toBe(1);
    expect(health.lastFailure).toEqual({ kind: 'reset', atMs: clock.nowMs() });
  });

  test('is an answer if the upstream rejects the request, and nothing if the client disconnects or the gateway cancels', () => {
    const { begin, health, attempts } = asking();
    begin().failed(wrongRequest());
    begin().failed(clientLeft());
    begin().abandoned();
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['answered', 'abandoned', 'abandoned']);
    expect([health.failures, health.lastFailure]).toEqual([0, null]);
  });
});

describe('the breaker', () => {
  test('opens on failures, admits one probe after the cooldown, and closes on its success', () => {
    const { begin, tryBegin, admits, clock } = asking({
      breaker: { minimumRequests: 3, probes: 1, cooldownMs: 2_000 },
    });
    for (let at = 0; at < 3; at++) begin().failed(reset());
    expect(tryBegin()).toBeNull();
    clock.advance(2_000);
    const probe = begin();
    expect(tryBegin()).toBeNull();
    probe.answered();
    expect(admits()).toBe(true);
  });

  test('counts a retried target only once', () => {
    const { begin, admits, health } = asking({ breaker: { minimumRequests: 3 } });
    begin().failed(reset());
    for (let at = 0; at < 9; at++) begin().failed(reset(), true);
    expect(admits()).toBe(true);
    expect(health.failures).toBe(10);
    begin().failed(reset());
    begin().failed(reset());
    expect(admits()).toBe(false);
  });

  test('is not opened by client errors', () => {
    const { begin, admits } = asking({ breaker: { minimumRequests: 1 } });
    for (let at = 0; at < 9; at++) begin().failed(wrongRequest());
    expect(admits()).toBe(true);
  });

  test.each([
    ['was cancelled by the gateway', (probe: RunningAttempt) => probe.abandoned()],
    ['failed because of the client', (probe: RunningAttempt) => probe.failed(wrongRequest())],
    ['failed like the one before it', (probe: RunningAttempt) => probe.failed(reset(), true)],
  ])('releases a probe that %s', (_, end) => {
    const { begin, tryBegin, clock } = asking({ breaker: { minimumRequests: 1, probes: 1, cooldownMs: 2_000 } });
    begin().failed(reset());
    clock.advance(2_000);
    end(begin());
    expect(tryBegin()).not.toBeNull();
  });

  test('of a shared channel opens for the failing account, and requests a probe', () => {
    const { begin, admits, probed } = asking({ isShared: true, breaker: { minimumRequests: 3 } });
    for (let at = 0; at < 3; at++) begin('acme').failed(reset());
    expect([admits('acme'), admits('other')]).toEqual([false, true]);
    expect(probed).toEqual(['a']);
  });
});

describe('a channel is in cooldown', () => {
  test.each([
    ['for the time that the upstream gives', limited(5_000), 5_000],
    ['for a second if the upstream gives none', limited(), 1_000],
    ['for a minute if its quota is used up', quota(), 60_000],
  ])('%s', (_, failure, ms) => {
    const { begin, admits, clock, health, attempts } = asking();
    begin().failed(failure);
    clock.advance(ms - 1);
    expect(admits()).toBe(false);
    clock.advance(1);
    expect(admits()).toBe(true);
    expect(attempts).toMatchObject([{ outcome: 'failed', kind: failure.kind }]);
    expect(health.failures).toBe(1);
  });

  test('even on a retry', () => {
    const { begin, admits } = asking();
    begin().failed(limited(5_000), true);
    expect(admits()).toBe(false);
  });
});

describe('credentials that seem to be refused', () => {
  test.each([
    ['refused', refused()],
    ['forbidden', forbidden()],
  ])('are reported for verification: %s', (_, failure) => {
    const { begin, suspected } = asking();
    begin().failed(failure);
    expect(suspected).toEqual([{ channelId: 'a', failure }]);
  });

  test.each([reset(), limited(1), quota(), wrongRequest(), clientLeft()])('are not suspected for %#', (failure) => {
    const { begin, suspected } = asking();
    begin().failed(failure);
    expect(suspected).toEqual([]);
  });
});
