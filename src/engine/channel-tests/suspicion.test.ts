import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { fakePorts } from '../call/testing/fake-ports.ts';
import type { Scripted } from '../call/testing/fake-upstream.ts';
import { chatAnswer, refusal, reset } from '../call/testing/sample-answers.ts';
import { channelOf, directoryOf, MODEL, PROVIDERS, targetOf } from '../call/testing/sample-routes.ts';
import type { AskedTarget } from '../directory/target.ts';
import { Suspicions } from './suspicion.ts';

const refused = new Failure('upstream_error', { kind: 'upstream_auth', message: 'The key is wrong.' });
const forbidden = new Failure('upstream_error', { kind: 'forbidden', message: 'Not allowed.' });
const SEVERAL = { [MODEL]: 'up', second: 'up-2', third: 'up-3', fourth: 'up-4', fifth: 'up-5' };
const ONLY = { [MODEL]: 'up' };

/** Makes a channel that was refused; its upstream gives these answers to the gateway's test requests. */
function suspecting(models: Channel['models'], answers: readonly (Scripted | Failure)[], isShared = false) {
  const fakes = fakePorts();
  const { upstream, clock } = fakes;
  upstream.script('a', ...answers);
  const channel = channelOf('a', 'chatting', { models });
  const directory = directoryOf([channel]);
  const target: AskedTarget = targetOf(channel);
  target.health.channel.share(isShared);
  const confirmed: string[] = [];
  const suspicions = new Suspicions({
    ...{ upstream, clock, directory: () => directory },
    providers: new Map(PROVIDERS.map((provider) => [provider.name, provider])),
    confirmed: ({ channel }, reason) => confirmed.push(`${channel.id}: ${reason}`),
  });
  const check = async (failure: Failure, asked: AskedTarget = target) => {
    suspicions.check(asked, failure);
    for (let turn = 0; turn < 50; turn++) await Bun.sleep(0);
  };
  const askedModels = () => upstream.sent.map(({ text }) => JSON.parse(text).model as string);
  return { ...fakes, suspicions, target, confirmed, check, asked: askedModels };
}

describe('refused credentials are confirmed', () => {
  test('at once if there is no other model, the channel is not shared, and the refusal is clear', () => {
    const { suspicions, target, confirmed, upstream } = suspecting(ONLY, []);
    suspicions.check(target, refused);
    expect(confirmed).toEqual(['a: The key is wrong.']);
    expect(upstream.sent).toEqual([]);
  });

  test('if the other models are refused too, of which three are tried', async () => {
    const { check, confirmed, asked } = suspecting(SEVERAL, [refusal(401), refusal(403), refusal(401)]);
    await check(refused);
    expect(asked()).toEqual(['up-2', 'up-3', 'up-4']);
    expect(confirmed).toEqual(['a: The key is wrong.']);
  });

  test('if only a failing or unreachable server could contradict', async () => {
    const { check, confirmed } = suspecting(SEVERAL, [refusal(503), reset(), refusal(401)]);
    await check(refused);
    expect(confirmed).toHaveLength(1);
  });

  test.each([
    ['the refusal is unclear', forbidden, false],
    ['several accounts use it', refused, true],
  ])('if the same model is refused again, because %s', async (_, failure, isShared) => {
    const { check, confirmed, asked } = suspecting(ONLY, [refusal(401)], isShared);
    await check(failure);
    expect(asked()).toEqual(['up']);
    expect(confirmed).toHaveLength(1);
  });
});

describe('refused credentials are not confirmed', () => {
  test.each([
    ['answers', chatAnswer()],
    ['rejects the request', refusal(400)],
    ['is unknown', refusal(404)],
    ['asks to wait', refusal(429)],
  ])('if one of the other models %s, which ends the check', async (_, answer) => {
    const { check, confirmed, asked } = suspecting(SEVERAL, [refusal(401), answer]);
    await check(refused);
    expect(asked()).toEqual(['up-2', 'up-3']);
    expect(confirmed).toEqual([]);
  });

  test('by an API without a model, if there is no model to try', async () => {
    const { check, confirmed, target } = suspecting(ONLY, []);
    await check(refused, { ...target, channel: { ...target.channel, models: {} }, upstreamModel: null });
    expect(confirmed).toEqual([]);
  });
});

test('models that responded recently are tried first', async () => {
  const { check, asked, target } = suspecting(SEVERAL, [refusal(401), refusal(401), refusal(401)]);
  target.health.channel.model('up-5').answeredAtMs = 2;
  target.health.channel.model('up-4').answeredAtMs = 1;
  await check(refused);
  expect(asked()).toEqual(['up-5', 'up-4', 'up-2']);
});

test('a channel is checked once a minute', async () => {
  const { check, clock, asked } = suspecting(SEVERAL, [chatAnswer(), chatAnswer()]);
  await check(refused);
  clock.advance(59_999);
  await check(refused);
  expect(asked()).toHaveLength(1);
  clock.advance(1);
  await check(refused);
  expect(asked()).toHaveLength(2);
});
