import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { Alternatives } from './alternatives.ts';
import { type NoResponse, withoutResponse } from './no-channel.ts';
import * as answers from './testing/sample-answers.ts';
import { channelOf, directoryOf, MODEL } from './testing/sample-routes.ts';

const NOW = 1_000;
const SPARE = channelOf('spare', 'chatting', { models: { 'spare-model': 'spare' } });

/** Returns the failure that the client gets for a request to the model over these channels. */
function outcomeOver(ids: readonly string[], accountId = 'acme') {
  const channels = ids.map((id) => channelOf(id, 'chatting'));
  const directory = directoryOf([...channels, SPARE], { status: 'public' }, [{ id: 'spare-model', status: 'public' }]);
  const targets = directory.routesTo(MODEL, accountId, 'openai-chat')?.targets ?? [];
  const principal = { account: sampleAccount({ id: accountId }), credential: sampleCredential() };
  const told = (noResponse: Partial<NoResponse>, nowMs = NOW) =>
    withoutResponse(
      { failure: null, wasCutShort: false, asked: 1, ...noResponse },
      { directory, principal, modelId: MODEL, targets, alternatives: new Alternatives(), nowMs },
    );
  const rest = (id: string, failure: Failure, forMs: number) => {
    const target = targets.find(({ channel }) => channel.id === id);
    target?.health.breaker.begin(accountId, NOW)?.rested(failure, NOW, forMs);
  };
  const block = (...blocked: readonly string[]) => {
    for (const { channel, health } of targets) {
      if (blocked.includes(channel.id)) health.channel.block = { atMs: 0, reason: 'The key is wrong.' };
    }
  };
  return { told, rest, block };
}

const wait = () => new Failure('rate_limit_exceeded', { message: 'Too many tokens a minute.', retryAfterMs: 20_000 });
const lossy = () =>
  new Failure('unsupported_parameter', { kind: 'loss_refused', message: 'It has no `n`.', retry: 'other-target' });

describe('the upstream’s own failure is reported', () => {
  test('of the only channel', () => {
    const failure = answers.reset();
    expect(outcomeOver(['a']).told({ failure })).toBe(failure);
  });

  test('if no other channel could have helped', () => {
    const failure = new Failure('invalid_request', { message: 'There is no such role.', retry: 'never' });
    expect(outcomeOver(['a', 'b']).told({ failure })).toBe(failure);
  });

  test('if others were left untried', () => {
    const failure = answers.reset();
    expect(outcomeOver(['a', 'b']).told({ failure, wasCutShort: true })).toBe(failure);
  });

  test('if it concerns what the client sent', () => {
    const failure = new Failure('object_not_found', { message: 'There is no file `f`.', retry: 'other-target' });
    expect(failure.side).toBe('client');
    expect(outcomeOver(['a', 'b']).told({ failure })).toBe(failure);
  });

  test('if no channel can carry the request, unless one in cooldown could', () => {
    const failure = lossy();
    expect(outcomeOver(['a', 'b']).told({ failure })).toBe(failure);
    const resting = outcomeOver(['a', 'b']);
    resting.rest('b', wait(), 5_000);
    expect(resting.told({ failure })).toMatchObject({ code: 'all_channels_failed', kind: 'no_channel_available' });
  });
});

describe('the failure of all channels is reported', () => {
  test('with the last message, alternative models and a retry time', () => {
    const told = outcomeOver(['a', 'b']).told({ failure: answers.reset() });
    expect(told).toMatchObject({ code: 'all_channels_failed', kind: 'all_channels_failed' });
    expect(told.message).toContain('The upstream dropped the connection.');
    expect(told.message).toContain(MODEL);
    expect(told.details).toMatchObject({ retryAfterMs: 1_000, alternatives: [{ id: 'spare-model' }] });
    expect(told.details.hint).toContain('`spare-model`');
  });

  test('if all are in cooldown, with the time until the first is available', () => {
    const made = outcomeOver(['a', 'b']);
    made.rest('a', wait(), 20_000);
    made.rest('b', wait(), 8_000);
    const told = made.told({});
    expect(told).toMatchObject({ kind: 'no_channel_available', details: { retryAfterMs: 8_000 } });
    expect(told.message).toContain('cooling down after failures');
    expect(made.told({}, NOW + 7_900).details.retryAfterMs).toBe(1_000);
  });

  test('with a longer retry time if only an operator can help', () => {
    const made = outcomeOver(['a', 'b']);
    made.block('a', 'b');
    const told = made.told({});
    expect(told.message).toContain('rejects the credentials of every one');
    expect(told.details.hint).toBe('Use another model such as `spare-model` until the admin has fixed the channels.');
    expect(told.details.retryAfterMs).toBe(60_000);
  });

  test('if one is blocked and one in cooldown, with the time of the latter', () => {
    const made = outcomeOver(['a', 'b']);
    made.block('a');
    made.rest('b', wait(), 8_000);
    expect(made.told({})).toMatchObject({ details: { retryAfterMs: 8_000 } });
    expect(made.told({}).message).toContain('cooling down');
    expect(made.told({}).details.hint).toContain('Wait for retry_after seconds');
  });

  test('if there is no channel', () => {
    const told = outcomeOver([]).told({});
    expect(told.message).toContain('No channel serves');
    expect(told.details.hint).toContain('the admin');
    expect(told.details.retryAfterMs).toBe(60_000);
  });
});

describe('with the only channel in cooldown', () => {
  test("its upstream's message is reported, with the remaining time", () => {
    const made = outcomeOver(['a']);
    made.rest('a', wait(), 20_000);
    expect(made.told({}, NOW + 5_000)).toMatchObject({
      ...{ code: 'rate_limit_exceeded', message: 'Too many tokens a minute.' },
      details: { retryAfterMs: 15_000 },
    });
  });

  test("and blocked its upstream's message is not reported", () => {
    const made = outcomeOver(['a']);
    made.rest('a', wait(), 20_000);
    made.block('a');
    expect(made.told({})).toMatchObject({ code: 'all_channels_failed', details: { retryAfterMs: 60_000 } });
  });
});
