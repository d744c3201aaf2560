import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import { DEFAULT_ROUTING } from '../settings/routing-settings.ts';
import { AttemptLoop, type LoopAnswer, type LoopInput, type LoopPorts, type NoAnswer } from './attempt-loop.ts';
import { OtherFormats } from './other-formats.ts';
import { Outcome } from './outcome.ts';
import { fakePorts } from './testing/fake-ports.ts';
import type { FakeUpstream } from './testing/fake-upstream.ts';
import * as answers from './testing/sample-answers.ts';
import { type Asked, heldOf, laneTo } from './testing/sample-lanes.ts';
import { channelOf, targetsOf } from './testing/sample-routes.ts';

const CHAT = [channelOf('a', 'chatting'), channelOf('b', 'chatting'), channelOf('c', 'chatting')];

interface Setting extends Asked {
  readonly ports?: Partial<LoopPorts>;
  readonly input?: Partial<LoopInput>;
}

/** A request that may go to these channels, the best first. */
function loopOver(channels: typeof CHAT, script: (upstream: FakeUpstream) => void, setting: Setting = {}) {
  const fakes = fakePorts(setting.ports);
  script(fakes.upstream);
  const targets = targetsOf(channels, setting.format);
  const outcome = new Outcome(fakes.ports, 'req_1', 'openai-chat');
  const client = { signal: new AbortController().signal };
  const loop = new AttemptLoop(fakes.ports, {
    ...{ outcome, accountId: 'acme', client, held: heldOf(1_000_000), stream: false, targets },
    ...{ otherFormats: new OtherFormats(), missingObject: null, admit: () => null },
    laneFor: (target) => ({ lane: laneTo(fakes.ports, target, setting), routing: target.routing }),
    ...setting.input,
  });
  const { asked } = fakes.upstream;
  const inFlight = () => targets.map(({ health }) => health.inFlight);
  return { ...fakes, loop, outcome, targets, asked, inFlight };
}

/** The same, run to its end. */
async function looped(...setting: Parameters<typeof loopOver>) {
  const made = loopOver(...setting);
  const result = await made.loop.run();
  return { ...made, result, asked: made.upstream.asked };
}

function noAnswer(result: LoopAnswer | NoAnswer): NoAnswer {
  if ('answer' in result) throw new Error('there is an answer');
  return result;
}

const answeredBy = (result: LoopAnswer | NoAnswer) => ('answer' in result ? result.target.channel.id : null);

describe('targets', () => {
  test('are asked in their order until one answers', async () => {
    const { result, asked, outcome, inFlight } = await looped(CHAT, (upstream) =>
      upstream.script('a', answers.refusal(429)).script('b', answers.chatAnswer()),
    );
    expect(asked).toEqual(['a', 'b']);
    expect(answeredBy(result)).toBe('b');
    expect(outcome).toMatchObject({ retryCount: 1, upstreamRequestId: 'theirs-1' });
    expect(outcome.target?.channel.id).toBe('b');
    // Whoever has the answer says when it is over.
    expect(inFlight()).toEqual([0, 1, 0]);
  });

  test('that failed are noted with their kind and how long they took', async () => {
    const { outcome, lines, attempts } = await looped(CHAT, (upstream) =>
      upstream
        .script('a', () => answers.refusal(503))
        .script('b', answers.reset())
        .script('c', answers.chatAnswer()),
    );
    expect(outcome.failedAttempts).toEqual([
      { channelId: 'a', kind: 'http_503', latencyMs: 0 },
      { channelId: 'b', kind: 'reset', latencyMs: 0 },
    ]);
    expect(lines.map(({ message, channelId }) => [message, channelId])).toEqual([
      ['attempt failed', 'a'],
      ['attempt failed', 'b'],
    ]);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  });

  test('take their own time, each from its own beginning', async () => {
    const made = loopOver(CHAT, () => {});
    const after = (ms: number) => () => {
      made.clock.advance(ms);
      return answers.reset();
    };
    made.upstream.script('a', after(30)).script('b', after(7)).script('c', answers.chatAnswer());
    await made.loop.run();
    expect(made.outcome.failedAttempts.map(({ latencyMs }) => latencyMs)).toEqual([30, 7]);
  });

  test('after one whose failure no other could help are not asked; the client’s fault is no failed attempt', async () => {
    const { result, asked, outcome, attempts } = await looped(CHAT, (upstream) =>
      upstream.script('a', answers.refusal(400, 'There is no such role.')),
    );
    expect(asked).toEqual(['a']);
    expect(noAnswer(result)).toMatchObject({
      failure: { code: 'invalid_request', retry: 'never' },
      wasCutShort: false,
    });
    expect(outcome.failedAttempts).toEqual([]);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['answered']);
  });

  test('that admit nothing now are passed over, and where there is no other nothing was tried', async () => {
    const made = loopOver(CHAT, (upstream) => upstream.script('c', answers.chatAnswer()));
    for (const { health } of made.targets.slice(0, 2)) health.channel.block = { atMs: 0, reason: 'The key is wrong.' };
    expect(answeredBy(await made.loop.run())).toBe('c');
    expect(made.outcome.retryCount).toBe(0);
    const none = loopOver(CHAT, () => {});
    for (const { health } of none.targets) health.channel.block = { atMs: 0, reason: 'The key is wrong.' };
    expect(await none.loop.run()).toEqual({ failure: null, wasCutShort: false });
  });

  test('that say an error as the first word of a stream have failed', async () => {
    const { result, asked } = await looped(
      CHAT,
      (upstream) =>
        upstream.script('a', answers.sse(answers.CHAT_ERROR)).script('b', answers.sse(answers.chatText('Hi'))),
      { fields: { stream: true }, input: { stream: true } },
    );
    expect(asked).toEqual(['a', 'b']);
    expect(answeredBy(result)).toBe('b');
  });

  test('may quote their key, which nobody is to read', async () => {
    const { result, lines } = await looped([channelOf('a', 'chatting')], (upstream) =>
      upstream.script('a', answers.refusal(401, 'Wrong key: key-of-a.')),
    );
    expect(noAnswer(result).failure?.message).toContain('Wrong key');
    expect(JSON.stringify([noAnswer(result).failure, lines])).not.toContain('key-of-a');
  });

  test('of which one is asked by a bug leave nothing in flight', async () => {
    const made = loopOver(CHAT, () => {});
    await expect(made.loop.run()).rejects.toThrow('nothing is scripted');
    expect(made.inFlight()).toEqual([0, 0, 0]);
  });
});

describe('the only target', () => {
  const ONLY = CHAT.slice(0, 1);

  test('is asked again, up to twice and after a pause that grows, where the failure may pass', async () => {
    const { result, asked, waits, outcome } = await looped(ONLY, (upstream) =>
      upstream.script('a', answers.reset(), answers.refusal(503), answers.chatAnswer()),
    );
    expect(asked).toEqual(['a', 'a', 'a']);
    expect(waits).toEqual([50, 100]);
    expect(answeredBy(result)).toBe('a');
    expect(outcome.retryCount).toBe(2);
    expect(outcome.failedAttempts).toHaveLength(2);
  });

  test('is not asked a fourth time, and counts for its health once', async () => {
    const nervous = channelOf('a', 'chatting', { breaker: { ...DEFAULT_BREAKER, minimumRequests: 2 } });
    const { result, asked, targets, clock } = await looped([nervous], (upstream) =>
      upstream.script('a', answers.reset(), answers.reset(), answers.reset()),
    );
    expect(asked).toHaveLength(3);
    expect(noAnswer(result)).toMatchObject({ failure: { kind: 'reset' }, wasCutShort: false });
    expect(targets[0]?.health.failures).toBe(3);
    expect(targets[0]?.health.admits('acme', clock.monotonicMs())).toBe(true);
  });

  test.each([
    ['asks to wait', answers.refusal(429)],
    ['has been waited for in vain', answers.tooSlow()],
    ['refuses the key', answers.refusal(401)],
  ])('is not asked again when it %s', async (_, answer) => {
    const { asked, waits } = await looped(ONLY, (upstream) => upstream.script('a', answer));
    expect([asked, waits]).toEqual([['a'], []]);
  });

  test('is not asked again for a client that leaves in the pause', async () => {
    const leaving = new AbortController();
    const { result, asked, outcome } = await looped(ONLY, (upstream) => upstream.script('a', answers.reset()), {
      ports: { sleep: async () => leaving.abort() },
      input: { client: { signal: leaving.signal } },
    });
    expect(asked).toEqual(['a']);
    expect(noAnswer(result).failure?.code).toBe('client_closed_request');
    expect(outcome.failedAttempts).toMatchObject([{ kind: 'reset' }]);
  });

  test('of several is the last one, which is not asked again', async () => {
    const { asked, waits } = await looped(CHAT.slice(0, 2), (upstream) =>
      upstream.script('a', answers.reset()).script('b', answers.reset()),
    );
    expect([asked, waits]).toEqual([['a', 'b'], []]);
  });
});

describe('bounds', () => {
  test('so many attempts are made, and the failure of the last is told', async () => {
    const { result, asked } = await looped(
      CHAT,
      (upstream) => upstream.script('a', answers.refusal(503)).script('b', answers.reset()),
      { ports: { routing: { ...DEFAULT_ROUTING, maxAttempts: 2 } } },
    );
    expect(asked).toEqual(['a', 'b']);
    expect(noAnswer(result)).toMatchObject({ failure: { kind: 'reset' }, wasCutShort: true });
  });

  test('attempts begin until the deadline, and those after the first have what is left of it', async () => {
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

  test('a channel’s own time that is shorter stays', async () => {
    const { upstream, targets } = await looped(
      CHAT,
      (upstream) => upstream.script('a', answers.reset()).script('b', answers.sse(answers.chatText('Hi'))),
      { fields: { stream: true }, input: { stream: true } },
    );
    expect(upstream.sent[1]?.request.timeouts).toEqual(targets[1]!.timeouts.stream);
  });
});

describe('a channel with several formats', () => {
  const KEEPING = [channelOf('k', 'keeping'), channelOf('k2', 'keeping')];
  const responses = { format: 'openai-responses' };

  test('is asked in the next one where its address lacks the first, before any other channel, and is not ill', async () => {
    const { result, asked, upstream, targets, outcome } = await looped(
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
    expect(outcome.failedAttempts).toMatchObject([{ channelId: 'k', kind: 'http_404' }]);
  });

  test('is asked in the one that worked from then on', async () => {
    const otherFormats = new OtherFormats();
    const targets = targetsOf(KEEPING, 'openai-responses');
    const setting = { ...responses, input: { otherFormats, targets } };
    await looped(KEEPING, (upstream) => upstream.script('k', answers.refusal(404), answers.chatAnswer()), setting);
    const next = await looped(KEEPING, (upstream) => upstream.script('k', answers.chatAnswer()), setting);
    expect(next.upstream.sent[0]?.request.url).toBe('http://k.example/v1/chat/completions');
  });

  test('is not asked in another one for a failure of another kind', async () => {
    const { asked } = await looped(
      KEEPING,
      (upstream) => upstream.script('k', answers.refusal(503)).script('k2', answers.responsesAnswer()),
      responses,
    );
    expect(asked).toEqual(['k', 'k2']);
  });
});

describe('what a channel cannot carry', () => {
  const MIXED = [channelOf('m', 'messaging'), channelOf('m2', 'messaging'), channelOf('c', 'chatting')];

  test('lets those that lose nothing go first', async () => {
    const { asked } = await looped(MIXED, (upstream) => upstream.script('c', answers.chatAnswer()), {
      fields: { seed: 1 },
    });
    expect(asked).toEqual(['c']);
  });

  test('does not keep it from being asked after them, all that lose something in their own order', async () => {
    const { asked, result } = await looped(
      MIXED,
      (upstream) =>
        upstream.script('c', answers.reset()).script('m', answers.reset()).script('m2', answers.messagesAnswer()),
      { fields: { seed: 1 } },
    );
    expect(asked).toEqual(['c', 'm', 'm2']);
    expect(result).toMatchObject({ answer: { losses: [{ field: 'seed', verdict: 'dropped' }] } });
  });

  test('does not matter where all lose it', async () => {
    const { asked } = await looped(MIXED.slice(0, 2), (upstream) => upstream.script('m', answers.messagesAnswer()), {
      fields: { seed: 1 },
    });
    expect(asked).toEqual(['m']);
  });

  test('and changes the meaning sends the request to the next one, without a failed attempt', async () => {
    const { asked, outcome } = await looped(MIXED, (upstream) => upstream.script('c', answers.chatAnswer()), {
      fields: { n: 2 },
    });
    expect(asked).toEqual(['c']);
    expect(outcome).toMatchObject({ retryCount: 0, failedAttempts: [] });
  });

  test('is what the client is told where no channel can, though not in the place of what an upstream has said', async () => {
    const none = await looped(MIXED.slice(0, 2), () => {}, { fields: { n: 2 } });
    expect(noAnswer(none.result).failure).toMatchObject({ kind: 'loss_refused', details: { param: 'n' } });
    const other = await looped([...MIXED].reverse(), (upstream) => upstream.script('c', answers.reset()), {
      fields: { n: 2 },
    });
    expect(noAnswer(other.result).failure?.kind).toBe('reset');
  });
});

test('a target that the request may not go to is not asked, and the next one may be', async () => {
  const notThere = new Failure('unsupported_parameter', { message: 'Not here.', retry: 'other-target' });
  const admit: LoopInput['admit'] = ({ channel }) => (channel.id === 'a' ? Promise.resolve(notThere) : null);
  const { asked, attempts } = await looped(CHAT, (upstream) => upstream.script('b', answers.chatAnswer()), {
    input: { admit },
  });
  expect(asked).toEqual(['b']);
  expect(attempts).toEqual([]);
  const never = new Failure('insufficient_balance', { message: 'There is not enough money.' });
  const poor = await looped(CHAT, () => {}, { input: { admit: () => never } });
  expect(poor.result).toEqual({ failure: never, wasCutShort: false });
});

test('an object that the upstream does not have is the client’s mistake and says nothing of the channel’s health', async () => {
  const missingObject = new Failure('object_not_found', { message: 'There is no file `f`.', param: 'file' });
  const { result, asked, targets } = await looped(CHAT, (upstream) => upstream.script('a', answers.refusal(404)), {
    input: { missingObject },
  });
  expect(asked).toEqual(['a']);
  expect(noAnswer(result).failure).toMatchObject({ code: 'object_not_found', message: 'There is no file `f`.' });
  expect(targets[0]?.health.failures).toBe(0);
});
