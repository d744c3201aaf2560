import { describe, expect, test } from 'bun:test';
import { DEFAULT_QUEUE, NO_LIMITS } from '../../domain/catalog/channel-limits.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import { sampleIdentity } from '../../domain/testing/sample-identity.ts';
import type { StreamRelay } from '../../formats/text/format.ts';
import { FakeClock } from '../admin/testing/fake-clock.ts';
import { ChannelLimiters } from '../channel-limits/channel-limiters.ts';
import type { TextTarget } from '../directory/target.ts';
import type { Extras } from '../ports/billing.ts';
import type { RateCounters } from '../ports/rate-counters.ts';
import { DEFAULT_ROUTING } from '../settings/settings.ts';
import * as loops from './attempt-loop.ts';
import type { BatchedCall } from './batched-call.ts';
import type { LaneRequest } from './lane.ts';
import type { LineRelay } from './line-relay.ts';
import type { NoResponse } from './no-channel.ts';
import { OtherWires } from './other-wires.ts';
import { Outcome } from './outcome.ts';
import { FakeReservation } from './testing/fake-money.ts';
import { fakePorts } from './testing/fake-ports.ts';
import type { FakeUpstream } from './testing/fake-upstream.ts';
import * as answers from './testing/sample-answers.ts';
import { type Asked, bufferedOf, laneTo, preparedBy } from './testing/sample-lanes.ts';
import { channelOf, targetsOf } from './testing/sample-routes.ts';

const CHAT = [channelOf('a', 'chatting'), channelOf('b', 'chatting'), channelOf('c', 'chatting')];

type LoopInput = loops.LoopInput<TextTarget, StreamRelay>;
type LoopResult = loops.LoopResult<TextTarget, StreamRelay>;

interface Setting extends Asked {
  readonly ports?: Partial<loops.LoopPorts>;
  readonly job?: Partial<LoopInput['job']>;
  readonly input?: Partial<LoopInput>;
}

/** Makes a request that may go to these channels, best first. */
function loopOver(channels: typeof CHAT, script: (upstream: FakeUpstream) => void, setting: Setting = {}) {
  const fakes = fakePorts(setting.ports);
  script(fakes.upstream);
  const targets = targetsOf(channels, setting.format);
  const outcome = new Outcome(fakes.ports, sampleIdentity(), 'openai-chat');
  outcome.admittedAs(fakes.principal);
  const client = { signal: new AbortController().signal };
  const lane: LoopInput['job']['lane'] = (target, routing) => laneTo(fakes.ports, { ...target, routing }, setting);
  const loop = new loops.AttemptLoop<TextTarget, StreamRelay>(fakes.ports, {
    job: { stream: false, lane, ...setting.job },
    ...{ outcome, accountId: 'acme', client, buffered: bufferedOf(1_000_000), targets, otherWires: new OtherWires() },
    ...setting.input,
  });
  const inFlight = () => targets.map(({ health }) => health.inFlight);
  /** The events that the record of the call received. */
  const recorded = () => {
    outcome.record();
    const [record] = fakes.records;
    if (record === undefined) throw new Error('nothing was recorded');
    return record;
  };
  return { ...fakes, loop, outcome, targets, inFlight, recorded };
}

/** Makes the same request and runs the loop to its end. */
async function looped(...setting: Parameters<typeof loopOver>) {
  const made = loopOver(...setting);
  const result = await made.loop.run();
  return { ...made, result, asked: made.upstream.asked };
}

function noResponse(result: LoopResult | NoResponse): NoResponse {
  if ('answer' in result) throw new Error('there is an answer');
  return result;
}

const answeredBy = (result: LoopResult | NoResponse) => ('answer' in result ? result.target.channel.id : null);

/** Limits of channels whose permits are counted. Channels without a free place are named. */
function limitsOf(full: readonly string[]) {
  const held = new Map<string, number>();
  const change = (id: string, by: number) => held.set(id, (held.get(id) ?? 0) + by);
  const counters: RateCounters = {
    take: ({ places }) => {
      const scope = places?.scope ?? '';
      const isFree = !full.some((id) => scope.includes(`channel:${id}}`));
      if (isFree) change(scope, 1);
      return { isAdmitted: isFree, decisions: [], hasFreePlace: isFree, place: isFree ? 'place' : null };
    },
    add: () => undefined,
    leave: ({ scope }) => void change(scope, -1),
  };
  const clock = new FakeClock();
  const timer = () => () => undefined;
  const channelLimits = new ChannelLimiters({ counters, clock, timer, queue: DEFAULT_QUEUE, channel: () => null });
  return { channelLimits, inUse: () => [...held.values()].filter((count) => count > 0).length };
}

const limited = (id: string, provider = 'chatting') =>
  channelOf(id, provider, { limits: { ...NO_LIMITS, maxConcurrent: 1, models: {} } });

describe('targets at their limits', () => {
  test('are skipped without an attempt', async () => {
    const { channelLimits, inUse } = limitsOf(['a']);
    const { result, asked, recorded } = await looped(
      [limited('a'), limited('b')],
      (upstream) => upstream.script('b', answers.chatAnswer()),
      { ports: { channelLimits } },
    );
    expect([answeredBy(result), asked, recorded().retryCount]).toEqual(['b', ['b'], 0]);
    // The place is held until the answer has ended.
    expect(inUse()).toBe(1);
    if ('running' in result) result.running.answered();
    expect(inUse()).toBe(0);
  });

  test('are skipped as well for a line that a batch of their provider cannot take', async () => {
    const { channelLimits, inUse } = limitsOf(['a']);
    const { loop, outcome, upstream } = loopOver(
      [limited('a'), limited('b')],
      (script) => script.script('b', answers.chatAnswer()),
      { ports: { channelLimits } },
    );
    const relay: Partial<LineRelay> = { given: null, wants: () => true, take: async () => null };
    outcome.batch = { sharePercent: 100, relay } as unknown as BatchedCall;
    const result = await loop.run();
    expect([answeredBy(result), upstream.asked, inUse()]).toEqual(['b', ['b'], 1]);
  });

  test('are named if none was asked, and leave the failure of one that was', async () => {
    const { channelLimits } = limitsOf(['a']);
    const none = await looped([limited('a')], () => {}, { ports: { channelLimits } });
    expect(none.result).toMatchObject({ failure: null, asked: 0, full: [{ by: 'channel', retryAfterMs: 0 }] });
    const one = await looped(
      [limited('a'), limited('b')],
      (upstream) => upstream.script('b', () => answers.refusal(503)),
      { ports: { channelLimits } },
    );
    expect(noResponse(one.result).failure?.kind).toBe('http_503');
  });

  test('are not forgotten: the beginning of another stream is held back until it has content', async () => {
    const { channelLimits } = limitsOf(['a']);
    const { result } = await looped(
      [limited('a', 'keeping'), limited('b', 'keeping')],
      (upstream) => upstream.script('b', answers.sse(answers.responseCreated(), answers.reset())),
      { ports: { channelLimits }, format: 'openai-responses', fields: { stream: true }, job: { stream: true } },
    );
    expect(noResponse(result)).toMatchObject({ failure: { kind: 'reset' }, full: [{ by: 'channel' }] });
  });

  test('keep no place if the request cannot be prepared for them, or if that throws', async () => {
    const { channelLimits, inUse } = limitsOf([]);
    const ports = { channelLimits };
    const unprepared = await looped(
      [limited('a', 'messaging'), channelOf('b', 'chatting')],
      (upstream) => upstream.script('b', answers.chatAnswer()),
      { ports, fields: { n: 2 } },
    );
    expect([answeredBy(unprepared.result), inUse()]).toEqual(['b', 0]);
    const lane = () => {
      throw new Error('broken');
    };
    const thrown = loopOver([limited('a')], () => {}, { ports, job: { lane } });
    await expect(thrown.loop.run()).rejects.toThrow('broken');
    expect(inUse()).toBe(0);
  });
});

describe('targets', () => {
  test('are called in order until one responds', async () => {
    const { result, asked, recorded, inFlight } = await looped(CHAT, (upstream) =>
      upstream.script('a', answers.refusal(429)).script('b', answers.chatAnswer()),
    );
    expect(asked).toEqual(['a', 'b']);
    expect(answeredBy(result)).toBe('b');
    expect(result).toMatchObject({ isRelayed: true, answer: { kind: 'whole' } });
    expect(recorded()).toMatchObject({ channelId: 'b', retryCount: 1, upstreamRequestId: 'theirs-1' });
    // The attempt ends only when the receiver of the answer ends it.
    expect(inFlight()).toEqual([0, 1, 0]);
  });

  test('that failed are recorded with their kind and duration', async () => {
    const { recorded, lines, attempts } = await looped(CHAT, (upstream) =>
      upstream
        .script('a', () => answers.refusal(503))
        .script('b', answers.reset())
        .script('c', answers.chatAnswer()),
    );
    expect(lines.map(({ message, channelId }) => [message, channelId])).toEqual([
      ['attempt failed', 'a'],
      ['attempt failed', 'b'],
    ]);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
    expect(recorded().failedAttempts).toMatchObject([
      { channelId: 'a', kind: 'http_503', latencyMs: 0, status: 503 },
      { channelId: 'b', kind: 'reset', latencyMs: 0 },
    ]);
  });

  test('have their own duration, each from its own start', async () => {
    const made = loopOver(CHAT, () => {});
    const after = (ms: number) => () => {
      made.clock.advance(ms);
      return answers.reset();
    };
    made.upstream.script('a', after(30)).script('b', after(7)).script('c', answers.chatAnswer());
    await made.loop.run();
    expect(made.recorded().failedAttempts.map(({ latencyMs }) => latencyMs)).toEqual([30, 7]);
  });

  test('after a failure that no other could avoid are not called; a client error is not a failed attempt', async () => {
    const { result, asked, recorded, attempts } = await looped(CHAT, (upstream) =>
      upstream.script('a', answers.refusal(400, 'There is no such role.')),
    );
    expect(asked).toEqual(['a']);
    expect(noResponse(result)).toMatchObject({
      failure: { code: 'invalid_request', retry: 'never' },
      wasCutShort: false,
    });
    expect(recorded().failedAttempts).toEqual([]);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['answered']);
  });

  test("whose model lacks a feature are skipped, and do not hide another's failure", async () => {
    const noTools = answers.refusal(400, 'llama2:13b does not support tools');
    const { result, asked, recorded } = await looped(CHAT, (upstream) =>
      upstream.script('a', noTools).script('b', answers.chatAnswer()),
    );
    expect(asked).toEqual(['a', 'b']);
    expect(answeredBy(result)).toBe('b');
    expect(recorded().failedAttempts).toMatchObject([{ channelId: 'a', kind: 'lacks_ability' }]);
    const failed = await looped(CHAT, (upstream) =>
      upstream
        .script('a', () => answers.refusal(503))
        .script('b', () => answers.refusal(503))
        .script('c', noTools),
    );
    expect(noResponse(failed.result).failure?.kind).toBe('http_503');
    const nobody = await looped(CHAT, (upstream) =>
      upstream.script('a', noTools).script('b', noTools).script('c', noTools),
    );
    expect(noResponse(nobody.result).failure).toMatchObject({ code: 'invalid_request', status: 400 });
  });

  test('that admit no request are skipped, and without any other nothing was attempted', async () => {
    const made = loopOver(CHAT, (upstream) => upstream.script('c', answers.chatAnswer()));
    for (const { health } of made.targets.slice(0, 2)) health.channel.block = { atMs: 0, reason: 'The key is wrong.' };
    expect(answeredBy(await made.loop.run())).toBe('c');
    expect(made.recorded().retryCount).toBe(0);
    const none = loopOver(CHAT, () => {});
    for (const { health } of none.targets) health.channel.block = { atMs: 0, reason: 'The key is wrong.' };
    expect(await none.loop.run()).toEqual({ failure: null, wasCutShort: false, asked: 0 });
  });

  test('that send an error as the first event of a stream have failed', async () => {
    const { result, asked } = await looped(
      CHAT,
      (upstream) =>
        upstream.script('a', answers.sse(answers.CHAT_ERROR)).script('b', answers.sse(answers.chatText('Hi'))),
      { fields: { stream: true }, job: { stream: true } },
    );
    expect(asked).toEqual(['a', 'b']);
    expect(answeredBy(result)).toBe('b');
  });

  test('may quote their key, which is redacted', async () => {
    const { result, lines } = await looped([channelOf('a', 'chatting')], (upstream) =>
      upstream.script('a', answers.refusal(401, 'Wrong key: key-of-a.')),
    );
    expect(noResponse(result).failure?.message).toContain('Wrong key');
    expect(JSON.stringify([noResponse(result).failure, lines])).not.toContain('key-of-a');
  });

  test('that fail because of a bug leave nothing in flight', async () => {
    const made = loopOver(CHAT, () => {});
    await expect(made.loop.run()).rejects.toThrow('nothing is scripted');
    expect(made.inFlight()).toEqual([0, 0, 0]);
  });
});

describe('the only target', () => {
  const ONLY = CHAT.slice(0, 1);

  test('is retried up to twice with a growing back-off if the failure is transient', async () => {
    const { result, asked, waits, recorded } = await looped(ONLY, (upstream) =>
      upstream.script('a', answers.reset(), answers.refusal(503), answers.chatAnswer()),
    );
    expect(asked).toEqual(['a', 'a', 'a']);
    expect(waits).toEqual([50, 100]);
    expect(answeredBy(result)).toBe('a');
    const { retryCount, failedAttempts } = recorded();
    expect([retryCount, failedAttempts.length]).toEqual([2, 2]);
  });

  test('is not called a fourth time, and counts for its health once', async () => {
    const nervous = channelOf('a', 'chatting', { breaker: { ...DEFAULT_BREAKER, minimumRequests: 2 } });
    const { result, asked, targets, clock } = await looped([nervous], (upstream) =>
      upstream.script('a', answers.reset(), answers.reset(), answers.reset()),
    );
    expect(asked).toHaveLength(3);
    expect(noResponse(result)).toMatchObject({ failure: { kind: 'reset' }, wasCutShort: false });
    expect(targets[0]?.health.failures).toBe(3);
    expect(targets[0]?.health.admits('acme', clock.monotonicMs())).toBe(true);
  });

  test.each([
    ['asks to wait', answers.refusal(429)],
    ['has timed out', answers.tooSlow()],
    ['refuses the key', answers.refusal(401)],
  ])('is not retried if it %s', async (_, answer) => {
    const { asked, waits } = await looped(ONLY, (upstream) => upstream.script('a', answer));
    expect([asked, waits]).toEqual([['a'], []]);
  });

  test('is not retried if the client disconnects during the back-off', async () => {
    const leaving = new AbortController();
    const { result, asked, recorded } = await looped(ONLY, (upstream) => upstream.script('a', answers.reset()), {
      ports: { sleep: async () => leaving.abort() },
      input: { client: { signal: leaving.signal } },
    });
    expect(asked).toEqual(['a']);
    expect(noResponse(result).failure?.code).toBe('client_closed_request');
    expect(recorded().failedAttempts).toMatchObject([{ kind: 'reset' }]);
  });

  test('is retried at most as often as the job allows', async () => {
    const never = await looped(ONLY, (upstream) => upstream.script('a', answers.reset()), { job: { repeats: 0 } });
    expect([never.asked, never.waits]).toEqual([['a'], []]);
    expect(noResponse(never.result)).toMatchObject({ failure: { kind: 'reset' }, wasCutShort: false });
    const once = await looped(ONLY, (upstream) => upstream.script('a', answers.reset(), answers.reset()), {
      job: { repeats: 1 },
    });
    expect([once.asked, once.waits]).toEqual([['a', 'a'], [50]]);
  });

  test('left of several is the last one, which is not retried', async () => {
    const { asked, waits } = await looped(CHAT.slice(0, 2), (upstream) =>
      upstream.script('a', answers.reset()).script('b', answers.reset()),
    );
    expect([asked, waits]).toEqual([['a', 'b'], []]);
  });
});

describe('limits', () => {
  test('cap the attempts, and the last failure is reported', async () => {
    const { result, asked } = await looped(
      CHAT,
      (upstream) => upstream.script('a', answers.refusal(503)).script('b', answers.reset()),
      { ports: { routing: { ...DEFAULT_ROUTING, maxAttempts: 2 } } },
    );
    expect(asked).toEqual(['a', 'b']);
    expect(noResponse(result)).toMatchObject({ failure: { kind: 'reset' }, wasCutShort: true });
  });

  test('start attempts until the deadline, with the remaining time after the first', async () => {
    const made = loopOver(CHAT, () => {}, { ports: { routing: { ...DEFAULT_ROUTING, deadlineMs: 1_000 } } });
    const after = (ms: number) => () => {
      made.clock.advance(ms);
      return answers.reset();
    };
    made.upstream.script('a', after(600)).script('b', after(400));
    expect(await made.loop.run()).toMatchObject({ failure: { kind: 'reset' }, wasCutShort: true });
    expect(made.upstream.asked).toEqual(['a', 'b']);
    const [first, second] = made.upstream.sent.map(({ request }) => request.timeouts);
    expect(first).toEqual(made.targets[0]!.timeouts.whole);
    expect(second).toEqual({ ...made.targets[1]!.timeouts.whole, firstByteMs: 400 });
  });

  test('keep a shorter timeout of the channel', async () => {
    const { upstream, targets } = await looped(
      CHAT,
      (upstream) => upstream.script('a', answers.reset()).script('b', answers.sse(answers.chatText('Hi'))),
      { fields: { stream: true }, job: { stream: true } },
    );
    expect(upstream.sent[1]?.request.timeouts).toEqual(targets[1]!.timeouts.stream);
  });
});

describe('a channel with several formats', () => {
  const KEEPING = [channelOf('k', 'keeping'), channelOf('k2', 'keeping')];
  const responses = { format: 'openai-responses' };

  test('is called in the next format before any other channel if its address lacks the first, and stays healthy', async () => {
    const { result, asked, upstream, targets, recorded } = await looped(
      KEEPING,
      (upstream) => upstream.script('k', answers.refusal(404), answers.chatAnswer()),
      responses,
    );
    expect(asked).toEqual(['k', 'k']);
    expect(upstream.sent.map(({ request }) => request.url)).toEqual([
      'http://k.example/v1/responses',
      'http://k.example/v1/chat/completions',
    ]);
    expect(answeredBy(result)).toBe('k');
    expect(targets[0]?.health.failures).toBe(0);
    expect(recorded().failedAttempts).toMatchObject([{ channelId: 'k', kind: 'http_404' }]);
  });

  test('is called in the working format from then on', async () => {
    const otherWires = new OtherWires();
    const targets = targetsOf(KEEPING, 'openai-responses');
    const setting = { ...responses, input: { otherWires, targets } };
    await looped(KEEPING, (upstream) => upstream.script('k', answers.refusal(404), answers.chatAnswer()), setting);
    const next = await looped(KEEPING, (upstream) => upstream.script('k', answers.chatAnswer()), setting);
    expect(next.upstream.sent[0]?.request.url).toBe('http://k.example/v1/chat/completions');
  });

  test('is not called in another format after a different failure', async () => {
    const { asked } = await looped(
      KEEPING,
      (upstream) => upstream.script('k', answers.refusal(503)).script('k2', answers.responsesAnswer()),
      responses,
    );
    expect(asked).toEqual(['k', 'k2']);
  });
});

describe('a field that a channel cannot carry', () => {
  const MIXED = [channelOf('m', 'messaging'), channelOf('m2', 'messaging'), channelOf('c', 'chatting')];

  test('puts channels that carry it first', async () => {
    const { asked } = await looped(MIXED, (upstream) => upstream.script('c', answers.chatAnswer()), {
      fields: { seed: 1 },
    });
    expect(asked).toEqual(['c']);
  });

  test('leaves the others as a fallback, in their own order', async () => {
    const { asked, result } = await looped(
      MIXED,
      (upstream) =>
        upstream.script('c', answers.reset()).script('m', answers.reset()).script('m2', answers.messagesAnswer()),
      { fields: { seed: 1 } },
    );
    expect(asked).toEqual(['c', 'm', 'm2']);
    expect(result).toMatchObject({ answer: { losses: [{ field: 'seed', verdict: 'dropped' }] } });
  });

  test('has no effect if no channel carries it', async () => {
    const { asked } = await looped(MIXED.slice(0, 2), (upstream) => upstream.script('m', answers.messagesAnswer()), {
      fields: { seed: 1 },
    });
    expect(asked).toEqual(['m']);
  });

  test('and that changes the meaning skips the channel without a failed attempt', async () => {
    const { asked, recorded } = await looped(MIXED, (upstream) => upstream.script('c', answers.chatAnswer()), {
      fields: { n: 2 },
    });
    expect(asked).toEqual(['c']);
    expect(recorded()).toMatchObject({ retryCount: 0, failedAttempts: [] });
  });

  test('is reported to the client if no channel carries it, unless an upstream responded', async () => {
    const none = await looped(MIXED.slice(0, 2), () => {}, { fields: { n: 2 } });
    expect(noResponse(none.result).failure).toMatchObject({ kind: 'loss_refused', details: { param: 'n' } });
    const other = await looped([...MIXED].reverse(), (upstream) => upstream.script('c', answers.reset()), {
      fields: { n: 2 },
    });
    expect(noResponse(other.result).failure?.kind).toBe('reset');
  });
});

describe("a target's surcharge", () => {
  const EXTRAS: Extras = {
    ...{ tokenFactor: 2_000_000n, webSearchUsd: null, leastWebSearches: 0, toolCalls: 0, drawnAt: null },
    ...{ askedTierFactor: 2_000_000n, others: [], drawing: null, isUnknown: false },
  };
  const notThere = new Failure('unsupported_parameter', { message: 'Not here.', retry: 'other-target' });
  const never = new Failure('insufficient_balance', { message: 'There is not enough money.' });

  /** Makes lanes with unchanged requests and the extras that each channel bills. */
  function billing(extrasAt: (channelId: string) => LaneRequest['extras']): LoopInput['job']['lane'] {
    const { ports } = fakePorts();
    return (target) => {
      const lane = laneTo(ports, target);
      const extras = extrasAt(target.channel.id);
      const request = async () => ({ ...(await preparedBy(lane)), extras });
      return { isRelayed: true, request, answer: (bytes) => lane.answer(bytes) };
    };
  }

  /** Makes a request that may go to all three channels, with a reservation that answers `withExtras` like this. */
  function reserved(withExtras: FakeReservation['withExtras'], script: (upstream: FakeUpstream) => void) {
    const made = loopOver(CHAT, script, { job: { lane: billing(() => EXTRAS) } });
    made.outcome.reserved(Object.assign(new FakeReservation(() => 42n), { withExtras }));
    return made;
  }

  test('that the account may not use there skips the target', async () => {
    const lane = billing((channelId) => (channelId === 'a' ? notThere : null));
    const script = (upstream: FakeUpstream) => upstream.script('b', answers.chatAnswer());
    const { asked, attempts, recorded } = await looped(CHAT, script, { job: { lane } });
    expect(asked).toEqual(['b']);
    expect(attempts).toEqual([]);
    expect(recorded()).toMatchObject({ retryCount: 0, failedAttempts: [] });
  });

  test('is reserved before the target is called', async () => {
    const told: unknown[] = [];
    const made = reserved(
      (extras) => {
        told.push([extras, made.upstream.asked.length]);
        return null;
      },
      (upstream) => upstream.script('a', answers.chatAnswer()),
    );
    expect(answeredBy(await made.loop.run())).toBe('a');
    expect(told).toEqual([[EXTRAS, 0]]);
  });

  test('that turns out too expensive there may fit elsewhere', async () => {
    const refusals = [Promise.resolve(notThere), Promise.resolve(null)];
    const made = reserved(
      () => refusals.shift() ?? null,
      (upstream) => upstream.script('b', answers.chatAnswer()),
    );
    expect(answeredBy(await made.loop.run())).toBe('b');
    expect([made.upstream.asked, made.attempts]).toEqual([['b'], []]);
  });

  test('that the account can never pay ends the call before any channel is called', async () => {
    const made = reserved(
      () => never,
      () => {},
    );
    expect(await made.loop.run()).toEqual({ failure: never, wasCutShort: false, asked: 0 });
    expect([made.upstream.asked, made.inFlight()]).toEqual([[], [0, 0, 0]]);
  });
});

test('an object missing at the upstream is a client error and does not affect the channel’s health', async () => {
  const missingObject = new Failure('object_not_found', { message: 'There is no file `f`.', param: 'file' });
  const { result, asked, targets } = await looped(CHAT, (upstream) => upstream.script('a', answers.refusal(404)), {
    job: { missingObject },
  });
  expect(asked).toEqual(['a']);
  expect(noResponse(result).failure).toMatchObject({ code: 'object_not_found', message: 'There is no file `f`.' });
  expect(targets[0]?.health.failures).toBe(0);
});
